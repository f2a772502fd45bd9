/** One of `SERVICE_ENCRYPTION_KEYS`; `key` has 32 bytes. */
export interface EncryptionKey {
  id: string;
  key: Buffer;
}

const KEY_BYTES = 32;
const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;
const BASE64 = /^[A-Za-z0-9+/]{43}=?$/;

/** `id:base64 of 32 bytes`, comma separated, the newest first. Errors name the position or the id, never a key. */
export function parseEncryptionKeys(text: string): EncryptionKey[] {
  const keys = text.split(',').map((entry, index) => parseEntry(entry.trim(), index + 1));
  const repeated = keys.find(({ id }, index) => keys.findIndex((key) => key.id === id) !== index);
  if (repeated) throw new Error(`key id "${repeated.id}" must occur once`);
  return keys;
}

function parseEntry(entry: string, position: number): EncryptionKey {
  const separator = entry.indexOf(':');
  const id = entry.slice(0, Math.max(separator, 0));
  if (!KEY_ID.test(id))
    throw new Error(
      `entry ${position} must look like id:base64, with 1 to 32 letters, digits, _ or - before the colon`,
    );
  const encoded = entry.slice(separator + 1);
  const key = Buffer.from(encoded, 'base64');
  if (!BASE64.test(encoded) || key.length !== KEY_BYTES)
    throw new Error(`key "${id}" must be 32 bytes in base64 (openssl rand -base64 32)`);
  return { id, key };
}

/** The inverse of `parseEncryptionKeys`. */
export function formatEncryptionKeys(keys: readonly EncryptionKey[]): string {
  return keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');
}
