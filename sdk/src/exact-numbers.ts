import { bodyOf } from './connect.js';

/** A number that does not fit the language's own, as it was written. */
export class ExactNumber {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }

  /** Rounded. */
  valueOf(): number {
    return Number(this.text);
  }

  toJSON(): number {
    return this.valueOf();
  }
}

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON.parse that keeps numbers which would lose a digit as `ExactNumber`: 9007199254740993 and 0.10 among them. */
export function parseExact(text: string): unknown {
  // Nothing in the text can begin like this by design: it is made anew for each text.
  const mark = `${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}:`;
  const marked = text.replace(TOKENS, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${mark}${token}"`,
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value,
  ) as unknown;
}

/** The body of a call with every digit: `await exactly(mqlQuery, { client, query: { q } })`. */
export async function exactly<Options extends object, Body>(
  operation: (options: Options) => Promise<{ data: Body | undefined }>,
  options: Options,
): Promise<Body> {
  const text = (await bodyOf(operation({ ...options, parseAs: 'text' }))) as unknown as string;
  return parseExact(text) as Body;
}
