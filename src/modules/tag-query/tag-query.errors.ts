import { AppError, defineErrors } from '../../platform/errors/index.js';

export const tagQueryErrors = defineErrors({
  PARSE_ERROR: [400, 'the tag query could not be parsed'],
  UNKNOWN_TAG: [400, 'the tag query uses an unknown key'],
  BAD_DATE_FORMAT: [400, 'a date must look like YYYY-MM-DD, "YYYY-MM-DD HH:MM", A..B, A.. or ..B'],
});

/** A syntax error at `offset` (UTF-16 units into the query); the message counts characters from one, as people do. */
export function parseErrorAt(query: string, offset: number, problem: string): AppError {
  const position = [...query.slice(0, offset)].length + 1;
  return tagQueryErrors.PARSE_ERROR(`${problem} (at position ${position})`);
}
