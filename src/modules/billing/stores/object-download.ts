import { createWriteStream } from 'node:fs';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { StoreFailure } from './billing-store.js';

/** How many bytes a sync may still write. Shared by its files. */
export class ByteBudget {
  private used = 0;
  constructor(readonly limit: number) {}

  spend(bytes: number): void {
    this.used += bytes;
    if (this.used > this.limit)
      throw new StoreFailure(`the files exceed SERVICE_BILLING_MAX_SYNC_SIZE (${this.limit} bytes unpacked)`);
  }
}

export interface Download {
  from: Readable;
  path: string;
  isPacked: boolean;
  /** bytes that the store said the object has */
  size: number;
  budget: ByteBudget;
  /** how long the store may send nothing */
  silenceMs: number;
  signal: AbortSignal;
}

/**
 * Writes an object to a file, unpacked: the reader then never sees a gzip stream, of which it would silently read a
 * truncated one to its last whole line. Throws a `StoreFailure` for objects that are too large, too slow or cut off.
 */
export async function downloadObject({
  from,
  path,
  isPacked,
  size,
  budget,
  silenceMs,
  signal,
}: Download): Promise<void> {
  const stop = new AbortController();
  const idle = setTimeout(() => stop.abort(new StoreFailure('the store stopped sending')), silenceMs);
  let received = 0;
  const arriving = new Transform({
    transform(part: Buffer, _encoding, done) {
      received += part.length;
      idle.refresh();
      done(null, part);
    },
  });
  const bounded = new Transform({
    transform(part: Buffer, _encoding, done) {
      try {
        budget.spend(part.length);
        done(null, part);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  const both = AbortSignal.any([signal, stop.signal]);
  try {
    if (isPacked) await pipeline(from, arriving, createGunzip(), bounded, file, { signal: both });
    else await pipeline(from, arriving, bounded, file, { signal: both });
  } catch (error) {
    if (stop.signal.aborted) throw stop.signal.reason;
    throw signal.aborted ? signal.reason : failureOf(error);
  } finally {
    clearTimeout(idle);
  }
  if (received !== size) throw new StoreFailure('the file is shorter or longer than the store said');
}

function failureOf(error: unknown): unknown {
  if (error instanceof StoreFailure) return error;
  const { code = '' } = error as { code?: unknown };
  if (String(code).startsWith('Z_')) return new StoreFailure('the file is not a whole gzip file');
  if (code === 'ENOSPC') return new StoreFailure('the server has no room for the file');
  return new StoreFailure('the file could not be read to its end');
}
