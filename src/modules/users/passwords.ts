import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { compare, hash } from 'bcrypt';

export const SHORTEST_PASSWORD = 8;
export const LONGEST_PASSWORD = 128;

const COST = 10;
/** Each one keeps a core busy for some 75 ms; requests that wait their turn leave cores for the rest of the service. */
const AT_ONCE = 2;
/** Of a password nobody knows: comparing with it takes as long as with a real one. */
const NOBODYS = '$2b$10$xU3odDtvWTzgJwnpAXOah.SE4C2qTwZrCG.YvB4IJNntecvmdeXYW';

/** Hashes and checks passwords off the event loop, a few at a time. */
@Injectable()
export class Passwords {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  async hash(password: string): Promise<string> {
    return this.inTurn(() => hash(digestOf(password), COST));
  }

  /** Takes the same time when there is no hash to compare with, so that nobody learns which accounts exist. */
  async matches(password: string, stored: string | null | undefined): Promise<boolean> {
    const same = await this.inTurn(() => compare(digestOf(password), stored ?? NOBODYS));
    return same && typeof stored === 'string';
  }

  private async inTurn<T>(task: () => Promise<T>): Promise<T> {
    if (this.running >= AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}

/** bcrypt sees 72 bytes and stops at NUL: it gets 44 printable ones that depend on the whole password. */
function digestOf(password: string): string {
  return createHash('sha256').update(password, 'utf8').digest('base64');
}
