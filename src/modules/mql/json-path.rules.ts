import { QueryRefused } from './mql.errors.js';
import { constantText } from './query-tree.js';

/** Steps that answer more than they were given: what stands inside, or three objects for each member. */
const MULTIPLYING = /\*\*|\bkeyvalue\b/gi;
const QUOTED = /"(?:[^"\\]|\\.)*"/g;
/** `[0, 0, 0]` answers the same part three times. */
const SEVERAL_SUBSCRIPTS = /\[[^\]]*,/;

/** A path that multiplies twice takes all memory there is, out of a document of a few bytes. */
export function checkJsonPath(value: unknown, place: number | undefined): void {
  const path = constantText(value);
  if (path === undefined) throw new QueryRefused('QUERY_ERR', 'a path of jsonb is written as a text', place);
  const steps = path.replace(QUOTED, '""');
  if ((steps.match(MULTIPLYING) ?? []).length > 1)
    throw new QueryRefused('RESOURCE_LIMIT_ERR', 'a path has one ** or keyvalue() at most', place);
  if (SEVERAL_SUBSCRIPTS.test(steps))
    throw new QueryRefused('RESOURCE_LIMIT_ERR', 'a subscript of a path is one place or one range', place);
}
