import { join } from 'node:path';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { httpErrors } from '../../platform/errors/index.js';
import { ThreadLane } from '../../platform/threads/index.js';
import { performReading, type ReadingKind, type ReadingTasks } from './reading-task.rules.js';
import type { ReadingAnswer, ReadingJob } from './reading-thread.js';

/** Bytes that are read at once: a text of that size takes some ten milliseconds. */
export const SMALL_TEXT = 256 * 1024;
const MODERATE_TEXT = 8 * 1024 * 1024;
/** Memory that a large text took is given back. */
const IDLE_MS = 60_000;
/** Reading takes 0.2 seconds for a MiB; a job that needs ten times as long does not come to an end. */
const EFFORT = { baseMs: 20_000, msPerMiB: 2000 };

export interface ReadingRequest<K extends ReadingKind> {
  kind: K;
  input: ReadingTasks[K]['input'];
  bytes: number;
  /** who shares a turn: a tenant */
  group: string;
  /** aborted when nobody waits for the output any more: what has not begun is dropped */
  left?: AbortSignal;
}

interface Waiting {
  resolve: (output: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Reads what clients log and report. A text of 50 MiB takes ten seconds, in which nobody else would be answered: texts that
 * are not small are read in a thread, where tenants take turns, and the largest in one more.
 */
@Injectable()
export class ReadingService implements OnApplicationShutdown {
  private readonly waiting = new Map<number, Waiting>();
  private readonly moderate = this.aLane('reader of reports and logs');
  private readonly large = this.aLane('reader of large reports and logs');
  private nextId = 1;
  private idle: NodeJS.Timeout | undefined;

  async read<K extends ReadingKind>(request: ReadingRequest<K>): Promise<ReadingTasks[K]['output']> {
    const { kind, input, bytes, group, left } = request;
    left?.throwIfAborted();
    if (bytes <= SMALL_TEXT) return performReading(kind, input);
    const lane = bytes <= MODERATE_TEXT ? this.moderate : this.large;
    const id = this.nextId++;
    clearTimeout(this.idle);
    const leave = (): void => {
      lane.release(id);
      this.waiting.get(id)?.reject(left?.reason);
    };
    left?.addEventListener('abort', leave, { once: true });
    try {
      return await new Promise<ReadingTasks[K]['output']>((resolve, reject) => {
        // The thread answers each kind with its own output.
        this.waiting.set(id, { resolve: resolve as (output: unknown) => void, reject });
        const message: ReadingJob<K> = { id, kind, input };
        lane.post({ group, owner: id, message, bytes });
      });
    } finally {
      left?.removeEventListener('abort', leave);
      this.waiting.delete(id);
      if (this.waiting.size === 0) this.idle = setTimeout(() => void this.endIdle(), IDLE_MS).unref();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.idle);
    await Promise.all([this.moderate.close(), this.large.close()]);
  }

  private async endIdle(): Promise<void> {
    await Promise.all([this.moderate.endIdle(), this.large.endIdle()]);
  }

  private aLane(name: string): ThreadLane {
    return new ThreadLane({
      file: join(__dirname, 'reading-thread.js'),
      name,
      effort: EFFORT,
      onMessage: (message) => this.settle(message as ReadingAnswer),
      onLost: (owners) => {
        for (const id of owners.keys())
          this.waiting
            .get(id)
            ?.reject(
              httpErrors.UNAVAILABLE('the body could not be read; send it again', { 'Retry-After': '5' }),
            );
      },
    });
  }

  private settle(answer: ReadingAnswer): void {
    const waiting = this.waiting.get(answer.id);
    if ('output' in answer) waiting?.resolve(answer.output);
    else waiting?.reject(new Error(`reading failed: ${answer.failure}`));
  }
}
