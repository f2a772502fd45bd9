import { hash } from 'node:crypto';

/** The first 128 bits of a hash in hex, in the form of a uuid: short to store, quick to compare. */
function uuidOfHash(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

export function hashUuid(text: string): string {
  return uuidOfHash(hash('md5', text, 'hex'));
}
