import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

export const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Seals a part of a report with the runner's token, which the service does not keep: initialisation vector, tag, bytes. */
export function sealed(data: Uint8Array, token: string, iv: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', keyOf(token), iv);
  const bytes = [cipher.update(data), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...bytes]);
}

/** Undefined when it was sealed with another token. */
export function unsealed(part: Uint8Array, token: string): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(token), part.subarray(0, IV_BYTES));
  decipher.setAuthTag(part.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(part.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function keyOf(token: string): Buffer {
  return createHash('sha256').update(`report parts ${token}`).digest();
}
