import { QueryRefused } from '../mql.errors.js';
import { constantText } from './query-tree.js';

/** Steps that answer more than they were given: what stands inside, or three objects for each member. */
const MULTIPLYING = /\*\*|\bkeyvalue\b/gi;
const QUOTED = /"(?:[^"\\]|\\.)*"/g;
/** `[0, 0, 0]` answers the same part three times. */
const SEVERAL_SUBSCRIPTS = /\[[^\]]*,/;

const COMPARISON = /==|!=|<>|<=|>=|<|>/g;
const LITERAL_BEFORE = /(?:^|[\s(&|!,?])(?:""|[+-]?\.?\d[\d.e+-]*|true|false|null)\s*$/i;
const LITERAL_AFTER = /^\s*(?:""|[+-]?\.?\d|(?:true|false|null)\b)/i;

/** A path that multiplies twice takes all memory there is, out of a document of a few bytes. */
export function checkJsonPath(value: unknown, place: number | undefined): void {
  const path = constantText(value);
  if (path === undefined) throw new QueryRefused('QUERY_ERR', 'a path of jsonb is written as a text', place);
  const steps = path.replace(QUOTED, '""').replace(/\s*\.\s*/g, '.');
  if (steps.includes('/*')) throw new QueryRefused('QUERY_ERR', 'a path of jsonb has no comments', place);
  if (/\de[+-]?\d{3}/i.test(steps))
    throw new QueryRefused('RESOURCE_LIMIT_ERR', 'a number in a path has an exponent of two digits', place);
  if ((steps.match(MULTIPLYING) ?? []).length > 1)
    throw new QueryRefused('RESOURCE_LIMIT_ERR', 'a path has one ** or keyvalue() at most', place);
  if (SEVERAL_SUBSCRIPTS.test(steps))
    throw new QueryRefused('RESOURCE_LIMIT_ERR', 'a subscript of a path is one place or one range', place);
  // All values of one side with all of the other: nothing stops that loop.
  for (const { index, 0: operator } of steps.matchAll(COMPARISON))
    if (
      !LITERAL_BEFORE.test(steps.slice(0, index)) &&
      !LITERAL_AFTER.test(steps.slice(index + operator.length))
    )
      throw new QueryRefused(
        'RESOURCE_LIMIT_ERR',
        'a comparison in a path has a constant on one side',
        place,
      );
}
