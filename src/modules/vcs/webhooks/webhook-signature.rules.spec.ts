import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { isSignedBy } from './webhook-signature.rules.js';

const sign = (secret: string, bytes: Uint8Array): string =>
  `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;

describe('The signature of a delivery', () => {
  it('holds for the bytes that were signed, and for no others', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), fc.string({ minLength: 1 }), (bytes, others, secret) => {
        const signature = sign(secret, bytes);
        expect(isSignedBy(secret, Buffer.from(bytes), signature)).toBe(true);
        expect(isSignedBy(`${secret}x`, Buffer.from(bytes), signature)).toBe(false);
        if (!Buffer.from(bytes).equals(Buffer.from(others)))
          expect(isSignedBy(secret, Buffer.from(others), signature)).toBe(false);
      }),
    );
  });

  it('is nothing but sha256= and 64 hexadecimal digits', () => {
    fc.assert(fc.property(fc.string(), (signature) => !isSignedBy('secret', Buffer.from('x'), signature)));
  });
});
