import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** Whether `X-Hub-Signature-256` is the HMAC of exactly these bytes; compared in constant time. */
export function isSignedBy(secret: string, bytes: Buffer, signature: string): boolean {
  const sent = SIGNATURE.exec(signature)?.[1];
  const expected = createHmac('sha256', secret).update(bytes).digest();
  // The HMAC is computed for malformed signatures as well, so that they take as long.
  return sent !== undefined && timingSafeEqual(Buffer.from(sent, 'hex'), expected);
}
