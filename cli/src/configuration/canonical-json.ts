import { hash } from 'node:crypto';
import type { Json } from './block-data.rules.js';

/** JSON with the keys of objects in order and no white space, so that equal values are equal texts. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort(byBytes)
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`);
  return `{${members.join(',')}}`;
}

/** Hexadecimal SHA-256. */
export function sha256(content: string | Buffer): string {
  return hash('sha256', content, 'hex');
}

/** One hash over all nodes, whatever their order; the service makes the same of what it stored. */
export function revisionHash(nodes: readonly { key: string; hash: string }[]): string {
  const order = nodes.every(({ key }) => isAscii(key)) ? byUnits : byBytes;
  const texts = [...nodes]
    .sort((a, b) => order(a.key, b.key))
    .map(({ key, hash }) => JSON.stringify([key, hash]));
  return sha256(texts.join(''));
}

/** The order of PostgreSQL's C collation: by the bytes of UTF-8. */
export function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  return isAscii(a) && isAscii(b) ? byUnits(a, b) : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

/** The same as by bytes where all is ASCII, and much faster. */
function byUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
