import { parseErrorAt } from './tag-query.errors.js';

export const MAX_QUERY_BYTES = 8192;

/** A word keeps its text without quotes; `quoted` words are never keywords. `offset` is in UTF-16 units. */
export type Token =
  | { kind: 'open' | 'close'; offset: number }
  | { kind: 'word'; text: string; quoted: boolean; offset: number };

/**
 * Splits a tag query (notes 9.6). White space separates words; `'…'` and `"…"` quote a whole term or the value after
 * `key:`. There is no escape inside quotes: a value that contains one kind of quote is written in the other kind.
 */
export function scanTagQuery(query: string): Token[] {
  if (Buffer.byteLength(query, 'utf8') > MAX_QUERY_BYTES)
    throw parseErrorAt(query, 0, `a tag query must not exceed ${MAX_QUERY_BYTES} bytes`);
  const nul = query.indexOf('\0');
  if (nul >= 0) throw parseErrorAt(query, nul, 'a tag query must not contain a NUL character');
  const tokens: Token[] = [];
  let offset = 0;
  while (offset < query.length) {
    const char = query.charAt(offset);
    if (/\s/.test(char)) offset++;
    else if (char === '(' || char === ')')
      tokens.push({ kind: char === '(' ? 'open' : 'close', offset: offset++ });
    else {
      const { token, end } = scanWord(query, offset);
      tokens.push(token);
      offset = end;
    }
  }
  return tokens;
}

function scanWord(query: string, start: number): { token: Token; end: number } {
  if (isQuote(query.charAt(start))) {
    const close = closingQuote(query, start);
    const text = query.slice(start + 1, close);
    return { token: { kind: 'word', text, quoted: true, offset: start }, end: endOfWord(query, close + 1) };
  }
  let end = start;
  while (end < query.length && !/[\s()]/.test(query.charAt(end))) {
    const char = query.charAt(end);
    if (isQuote(char)) {
      if (query.charAt(end - 1) !== ':')
        throw parseErrorAt(query, end, 'a quote must start a term or follow the colon of key:"value"');
      const close = closingQuote(query, end);
      const text = query.slice(start, end) + query.slice(end + 1, close);
      return { token: { kind: 'word', text, quoted: true, offset: start }, end: endOfWord(query, close + 1) };
    }
    end++;
  }
  return { token: { kind: 'word', text: query.slice(start, end), quoted: false, offset: start }, end };
}

function closingQuote(query: string, start: number): number {
  const close = query.indexOf(query.charAt(start), start + 1);
  if (close < 0) throw parseErrorAt(query, start, 'the quote is not closed');
  return close;
}

function endOfWord(query: string, end: number): number {
  if (end < query.length && !/[\s()]/.test(query.charAt(end)))
    throw parseErrorAt(query, end, 'a space must follow a closing quote');
  return end;
}

function isQuote(char: string): boolean {
  return char === '"' || char === "'";
}
