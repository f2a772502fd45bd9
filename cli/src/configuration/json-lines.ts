/** Where the members of a JSON text stand. */
export interface JsonLines {
  /** the lines from the name, or the beginning, to the end of the value */
  linesAt(path: readonly (string | number)[]): { start: number; end: number };
}

const DEEPEST = 6;
const STRING = /"(?:[^"\\]|\\.)*"/y;

/** Lines of the upper levels of a text that is known to be JSON. */
export function jsonLines(text: string): JsonLines {
  const found = new Map<string, { start: number; end: number }>();
  let at = 0;
  let line = 1;
  const space = (): void => {
    for (; ' \t\r\n\uFEFF'.includes(text.charAt(at)) && at < text.length; at++) if (text[at] === '\n') line++;
  };
  const string = (): string => {
    STRING.lastIndex = at;
    const literal = STRING.exec(text)?.[0] ?? '""';
    at += literal.length;
    return JSON.parse(literal) as string;
  };
  const value = (path: (string | number)[], start: number): void => {
    space();
    const begun = start === 0 ? line : start;
    const open = text[at];
    if (open === '{' || open === '[') members(path, open === '{' ? 'object' : 'array');
    else if (open === '"') string();
    else while (at < text.length && !',]} \t\r\n'.includes(text.charAt(at))) at++;
    if (path.length <= DEEPEST) found.set(JSON.stringify(path), { start: begun, end: line });
  };
  const members = (path: (string | number)[], kind: 'object' | 'array'): void => {
    at++;
    for (let index = 0; ; index++) {
      space();
      if (at >= text.length || text[at] === '}' || text[at] === ']') break;
      const begun = line;
      const name = kind === 'object' ? string() : index;
      space();
      if (kind === 'object') at++;
      value([...path, name], begun);
      space();
      if (text[at] === ',') at++;
    }
    at++;
  };
  value([], 0);
  return { linesAt: (path) => found.get(JSON.stringify(path)) ?? { start: 1, end: 1 } };
}
