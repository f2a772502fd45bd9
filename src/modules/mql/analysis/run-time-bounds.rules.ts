import type { Expansion } from './name-scope.js';
import { QUERY_SCHEMA } from '../tables/query-table.js';
import { fieldsOf, functionName, type Tree } from './query-tree.js';

/** Characters of a text that is looked for and that only the rows know. */
export const LONGEST_SOUGHT = 256;

/** Answers a text, or fails when it is longer than that. */
export const SHORT_TEXT = 'short_text';
export const shortTextFunction = `CREATE FUNCTION ${QUERY_SCHEMA}.${SHORT_TEXT}(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
  AS $function$ BEGIN
    IF length(value) > ${LONGEST_SOUGHT} THEN
      RAISE EXCEPTION 'a text that is looked for has more than ${LONGEST_SOUGHT} characters: write left(…, ${LONGEST_SOUGHT}), or starts_with' USING ERRCODE = 'MQ001';
    END IF;
    RETURN value;
  END $function$`;

/** Answers the text of a document, or fails when that has numbers with an exponent of four digits. */
export const PLAIN_NUMBERS = 'plain_numbers';
export const plainNumbersFunction = `CREATE FUNCTION ${QUERY_SCHEMA}.${PLAIN_NUMBERS}(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
  AS $function$ BEGIN
    IF value ~ '[0-9]\\.?[eE][-+]?[0-9]{4}'
      AND regexp_replace(value, '"([^"\\\\]|\\\\.)*"', '', 'g') ~ '[0-9]\\.?[eE][-+]?[0-9]{4}' THEN
      RAISE EXCEPTION 'a number has an exponent of more than three digits' USING ERRCODE = 'MQ001';
    END IF;
    RETURN value;
  END $function$`;

/** A text that only the rows know, which PostgreSQL looks at once more: a longer one ends the query. */
export function shortOf(value: unknown, expansion: Expansion): unknown {
  if (expansion.length <= LONGEST_SOUGHT) return value;
  return ownCall(SHORT_TEXT, value);
}

/** Text that becomes a document only in the rows, where 1e131071 would be a number of 131,072 digits. */
export function plainNumbersOf(value: unknown): Tree {
  const typeName = { names: [{ String: { sval: 'text' } }], typemod: -1 };
  return ownCall(PLAIN_NUMBERS, { TypeCast: { arg: value, typeName } });
}

/** What cannot be such a text: constants have their numbers counted, functions of jsonb answer jsonb. */
export function isWritten(value: unknown): boolean {
  const call = fieldsOf(value, 'FuncCall');
  return (
    fieldsOf(value, 'A_Const') !== undefined ||
    fieldsOf(value, 'A_ArrayExpr') !== undefined ||
    (call !== undefined && /^(to_jsonb|jsonb_build_(object|array))$/.test(functionName(call) ?? ''))
  );
}

function ownCall(name: string, value: unknown): Tree {
  const funcname = [QUERY_SCHEMA, name].map((part) => ({ String: { sval: part } }));
  return { FuncCall: { funcname, args: [value], funcformat: 'COERCE_EXPLICIT_CALL' } };
}
