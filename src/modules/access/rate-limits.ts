import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { httpErrors } from '../../platform/errors/index.js';
import { Clock } from '../../platform/time/clock.js';

export interface RateLimit {
  /** what is limited, such as `login:account` */
  name: string;
  /** whom it counts for; only a hash is stored */
  subject: string;
  /** hits allowed in a window */
  limit: number;
  windowSeconds: number;
}

/** Counts in PostgreSQL, so that replicas share the count. Never part of the caller's transaction. */
@Injectable()
export class RateLimits {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Counts a hit; 429 with `Retry-After` when it is one too many. */
  async hit({ name, subject, limit, windowSeconds }: RateLimit): Promise<void> {
    const now = this.clock.now();
    const key = `${name}:${createHash('sha256').update(subject).digest('base64url')}`;
    const ends = new Date(now.getTime() + windowSeconds * 1000);
    const [row] = await this.source.query<{ hits: number; window_ends_at: Date }[]>(
      `INSERT INTO rate_limits AS r (key, hits, window_ends_at) VALUES ($1, 1, $2)
       ON CONFLICT (key) DO UPDATE SET
         hits = CASE WHEN r.window_ends_at <= $3 THEN 1 ELSE r.hits + 1 END,
         window_ends_at = CASE WHEN r.window_ends_at <= $3 THEN $2 ELSE r.window_ends_at END
       RETURNING hits, window_ends_at`,
      [key, ends, now],
    );
    if (!row || row.hits <= limit) {
      if (row?.hits === 1) await this.forgetExpired(now);
      return;
    }
    const seconds = Math.max(1, Math.ceil((row.window_ends_at.getTime() - now.getTime()) / 1000));
    throw httpErrors.RATE_LIMITED('too many attempts, try again later', { 'Retry-After': String(seconds) });
  }

  private async forgetExpired(now: Date): Promise<void> {
    await this.source.query(
      `DELETE FROM rate_limits WHERE key IN
         (SELECT key FROM rate_limits WHERE window_ends_at < $1 ORDER BY window_ends_at LIMIT 10 FOR UPDATE SKIP LOCKED)`,
      [now],
    );
  }
}

/** An IPv6 client owns a /64: its address counts as that. */
export function addressSubject(address: string | undefined): string {
  if (address === undefined || !isIPv6(address)) return address ?? 'unknown';
  if (address.startsWith('::ffff:')) return address.slice('::ffff:'.length);
  const [head = '', tail] = address.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(8 - front.length - back.length).fill('0');
  return [...front, ...zeros, ...back].slice(0, 4).join(':');
}
