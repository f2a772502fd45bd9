import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/** The only source of randomness, and the one-way functions that go with it. */
@Injectable()
export class Secrets {
  /** A version 4 UUID. */
  uuid(): string {
    return randomUUID();
  }

  /** `bytes` random bytes in base64url; 32 bytes are 256 bits. */
  token(bytes = 32): string {
    return randomBytes(bytes).toString('base64url');
  }

  bytes(count: number): Buffer {
    return randomBytes(count);
  }
}

/** SHA-256 of a credential, the only form in which one is stored. */
export function hashOfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Constant-time comparison of two strings of any length. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hashOfSecret(a), hashOfSecret(b));
}
