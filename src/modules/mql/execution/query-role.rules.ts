import { GATHERED, gatheredAggregate } from '../analysis/gathering.rules.js';
import { QUERY_SCHEMA } from '../tables/query-table.js';
import {
  PLAIN_NUMBERS,
  plainNumbersFunction,
  SHORT_TEXT,
  shortTextFunction,
} from '../analysis/run-time-bounds.rules.js';

/** Roles are shared by all databases of a server: each owner has a reader of its own. */
export function readerOf(owner: string): string {
  return `${owner.slice(0, 58)}_mql`;
}

/** What an administrator types when the service may not create roles itself. */
export function creationAdvice(owner: string): string {
  const reader = readerOf(owner);
  return `SQL queries are off: DB_USER may not create the role they run as. Let an administrator run: ALTER ROLE "${owner}" CREATEROLE; or: CREATE ROLE "${reader}" NOLOGIN; GRANT "${reader}" TO "${owner}"; then restart`;
}

/**
 * Made and owned by the reader, so that whatever a query does, it does as the reader: a definer's function can neither
 * change the role nor be left before its statement ends. Statements run read-only inside of a STABLE function.
 */
export function functionsOfReader(owner: string): string[] {
  const rights = (signature: string) => [
    `REVOKE ALL ON FUNCTION ${QUERY_SCHEMA}.${signature} FROM PUBLIC`,
    `GRANT EXECUTE ON FUNCTION ${QUERY_SCHEMA}.${signature} TO ${quoted(owner)}`,
  ];
  return [
    // STABLE: whatever it is given, it can only read.
    `CREATE FUNCTION ${QUERY_SCHEMA}.run(query text, most_bytes bigint)
       RETURNS TABLE ("row" text, keys text[]) LANGUAGE plpgsql STABLE SECURITY DEFINER
       SET search_path = pg_catalog, ${QUERY_SCHEMA}, pg_temp
       AS $function$
       BEGIN
         RETURN QUERY EXECUTE format(
           'SELECT j, k FROM (SELECT j, k, sum(octet_length(j)) OVER (ROWS UNBOUNDED PRECEDING) AS total FROM (%s) AS p (j, k)) t WHERE ${QUERY_SCHEMA}.within_bytes(total, %s)',
           query, most_bytes);
       END $function$`,
    ...rights('run(text, bigint)'),
    shortTextFunction,
    ...rights(`${SHORT_TEXT}(text)`),
    plainNumbersFunction,
    ...rights(`${PLAIN_NUMBERS}(text)`),
    gatheredAggregate,
    ...rights(`${GATHERED}(integer)`),
  ];
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
