import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EncryptionKey } from './encryption-keys.js';

/** Where a sealed value is stored. The place is authenticated, so that a value moved to another place does not open. */
export interface SealedPlace {
  table: string;
  column: string;
  /** primary key of the row, as text */
  row: string;
}

/**
 * Layout, version 1, all of it binary:
 * version (1) | length of the key id (1) | key id | IV (12) | wrapped data key (32) | tag (16) | IV (12) | ciphertext | tag (16).
 * The first three parts are the prefix by which SQL finds values that an older key seals.
 */
const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const DATA_KEY_BYTES = 32;
const WRAPPED_BYTES = IV_BYTES + DATA_KEY_BYTES + TAG_BYTES;

/** Bytes after the key id of which `rewrapValue` needs the first part of a value: the rest of it stays as it is. */
export const REWRAPPED_BYTES = WRAPPED_BYTES + IV_BYTES + TAG_BYTES;

/** What every value that the key seals begins with. */
export function sealedPrefix(keyId: string): Buffer {
  const id = Buffer.from(keyId);
  return Buffer.concat([Buffer.from([VERSION, id.length]), id]);
}

/** Encrypts with a random data key, which `key` wraps (AES-256-GCM twice). */
export function sealValue(value: Buffer, place: SealedPlace, key: EncryptionKey): Buffer {
  const dataKey = randomBytes(DATA_KEY_BYTES);
  return Buffer.concat([
    sealedPrefix(key.id),
    encrypt(dataKey, key.key, wrapContext(place, key.id)),
    encrypt(value, dataKey, valueContext(place)),
  ]);
}

/** Throws when the value was changed, moved, or sealed by another key of the same id. */
export function openValue(sealed: Buffer, place: SealedPlace, key: EncryptionKey): Buffer {
  const { wrapped, ciphertext } = split(sealed);
  return decrypt(ciphertext, unwrap(wrapped, place, key), valueContext(place));
}

/** The same value under another key: only the data key is wrapped again, the ciphertext stays as it is. */
export function rewrapValue(
  sealed: Buffer,
  place: SealedPlace,
  keys: { from: EncryptionKey; to: EncryptionKey },
): Buffer {
  const { wrapped, ciphertext } = split(sealed);
  const dataKey = unwrap(wrapped, place, keys.from);
  return Buffer.concat([
    sealedPrefix(keys.to.id),
    encrypt(dataKey, keys.to.key, wrapContext(place, keys.to.id)),
    ciphertext,
  ]);
}

/** Id of the key that wraps the value's data key. */
export function keyIdOf(sealed: Buffer): string {
  return split(sealed).keyId;
}

function split(sealed: Buffer): { keyId: string; wrapped: Buffer; ciphertext: Buffer } {
  const wrappedAt = 2 + (sealed[1] ?? 0);
  const ciphertextAt = wrappedAt + WRAPPED_BYTES;
  if (sealed[0] !== VERSION || sealed.length < ciphertextAt + IV_BYTES + TAG_BYTES)
    throw new Error('not a sealed value');
  return {
    keyId: sealed.toString('utf8', 2, wrappedAt),
    wrapped: sealed.subarray(wrappedAt, ciphertextAt),
    ciphertext: sealed.subarray(ciphertextAt),
  };
}

function unwrap(wrapped: Buffer, place: SealedPlace, key: EncryptionKey): Buffer {
  return decrypt(wrapped, key.key, wrapContext(place, key.id));
}

function wrapContext({ table, column, row }: SealedPlace, keyId: string): Buffer {
  return Buffer.from(JSON.stringify(['data key', keyId, table, column, row]));
}

/** Without the key's id, so that a value can be wrapped again without being encrypted again. */
function valueContext({ table, column, row }: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify(['value', table, column, row]));
}

function encrypt(value: Buffer, key: Buffer, context: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(context);
  return Buffer.concat([iv, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(box: Buffer, key: Buffer, context: Buffer): Buffer {
  const tagAt = box.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(context).setAuthTag(box.subarray(tagAt));
  return Buffer.concat([decipher.update(box.subarray(IV_BYTES, tagAt)), decipher.final()]);
}
