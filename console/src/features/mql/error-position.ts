export interface ErrorPlace {
  /** from 0, in UTF-16 units of the query */
  offset: number;
  /** from 1 */
  line: number;
  /** from 1, in characters */
  column: number;
}

/** Where in a query an error is, when the service ends its text with `(at position <n>)`; n counts characters from 1. */
export function placeOf(message: string, query: string): ErrorPlace | undefined {
  const position = /\(at position (\d+)\)$/.exec(message)?.[1];
  if (position === undefined) return undefined;
  const characters = Array.from(query);
  const before = characters.slice(0, Math.max(0, Number(position) - 1));
  if (Number(position) > characters.length + 1) return undefined;
  const lastBreak = before.lastIndexOf('\n');
  return {
    offset: before.join('').length,
    line: before.filter((character) => character === '\n').length + 1,
    column: before.length - lastBreak,
  };
}
