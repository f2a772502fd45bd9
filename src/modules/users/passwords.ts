import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { compare, hash } from 'bcrypt';
import { httpErrors } from '../../platform/errors/index.js';

export const SHORTEST_PASSWORD = 8;
export const LONGEST_PASSWORD = 128;

const COST = 10;
/** Each one keeps a core busy for some 75 ms; requests that wait their turn leave cores for the rest of the service. */
const MAX_RUNNING = 2;
/** Hashes of new passwords among them: a sign-in does not wait for two of those. */
const MAX_RUNNING_HASHES = 1;
/** A check waits for as many checks before it; the other hashes wait for all checks. */
const MAX_WAITING = { check: 64, hash: 24 };
/** Hashes of one caller that run or wait. */
const MAX_PER_CALLER = 8;
/** Of a password nobody knows: comparing with it takes as long as with a real one. */
const NOBODYS = '$2b$10$xU3odDtvWTzgJwnpAXOah.SE4C2qTwZrCG.YvB4IJNntecvmdeXYW';

type Purpose = keyof typeof MAX_WAITING;

/** Hashes and checks passwords off the event loop, a few at a time. People who sign in come before new passwords. */
@Injectable()
export class Passwords {
  private readonly running: Record<Purpose, number> = { check: 0, hash: 0 };
  private readonly waiting: Record<Purpose, (() => void)[]> = { check: [], hash: [] };
  private readonly hashing = new Map<string, number>();

  /**
   * @param caller who may have eight hashes under way; 429 for more
   * @param left aborted when nobody waits for the hash any more: one that has not begun is dropped
   */
  async hash(password: string, caller: string, left?: AbortSignal): Promise<string> {
    const own = this.hashing.get(caller) ?? 0;
    if (own >= MAX_PER_CALLER)
      throw httpErrors.RATE_LIMITED('too many of your new passwords are being stored; try again', {
        'Retry-After': '1',
      });
    this.hashing.set(caller, own + 1);
    try {
      return await this.inTurn('hash', () => hash(digestOf(password), COST), left);
    } finally {
      const left = (this.hashing.get(caller) ?? 1) - 1;
      if (left > 0) this.hashing.set(caller, left);
      else this.hashing.delete(caller);
    }
  }

  /** Takes the same time when there is no hash to compare with, so that nobody learns which accounts exist. */
  async matches(password: string, stored: string | null | undefined, left?: AbortSignal): Promise<boolean> {
    const same = await this.inTurn('check', () => compare(digestOf(password), stored ?? NOBODYS), left);
    return same && typeof stored === 'string';
  }

  private async inTurn<T>(purpose: Purpose, task: () => Promise<T>, left?: AbortSignal): Promise<T> {
    left?.throwIfAborted();
    if (this.hasRoom(purpose)) this.running[purpose] += 1;
    else await this.turn(purpose, left);
    try {
      return await task();
    } finally {
      this.running[purpose] -= 1;
      this.beginNext();
    }
  }

  private hasRoom(purpose: Purpose): boolean {
    if (purpose === 'hash' && this.running.hash >= MAX_RUNNING_HASHES) return false;
    return this.running.check + this.running.hash < MAX_RUNNING;
  }

  private beginNext(): void {
    const purpose = this.waiting.check.length > 0 ? 'check' : 'hash';
    const next = this.hasRoom(purpose) ? this.waiting[purpose].shift() : undefined;
    if (!next) return;
    // The place is taken before anybody else can see it free.
    this.running[purpose] += 1;
    next();
  }

  private async turn(purpose: Purpose, left: AbortSignal | undefined): Promise<void> {
    const queue = this.waiting[purpose];
    if (queue.length >= MAX_WAITING[purpose])
      throw httpErrors.UNAVAILABLE('too many passwords are being checked; try again', { 'Retry-After': '2' });
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        left?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        queue.splice(queue.indexOf(begin), 1);
        reject(left?.reason as Error);
      };
      queue.push(begin);
      left?.addEventListener('abort', leave, { once: true });
    });
  }
}

/** bcrypt sees 72 bytes and stops at NUL: it gets 44 printable ones that depend on the whole password. */
function digestOf(password: string): string {
  return createHash('sha256').update(password, 'utf8').digest('base64');
}
