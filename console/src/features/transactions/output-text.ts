import { parseLossless, stringifyLossless } from '../../platform/client';

/** Text of an output: the service sends JSON in pieces of base64, which may cut a character in two. */
export function outputText(fragments: readonly { idx: number; data: string }[]): string {
  const ordered = fragments.toSorted((a, b) => a.idx - b.idx);
  const parts = ordered.map(({ data }) => Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0)));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  return readable(new TextDecoder().decode(bytes));
}

/** A runner prints text; what it reports of a failure may be an object. */
function readable(json: string): string {
  if (json === '') return '';
  try {
    const value = parseLossless(json);
    return typeof value === 'string' ? value : stringifyLossless(value, 2);
  } catch {
    return json;
  }
}
