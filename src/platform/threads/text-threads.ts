import { join } from 'node:path';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { httpErrors } from '../errors/index.js';
import type { TextAnswer, TextJob } from './text-thread.js';
import { ThreadLane } from './thread-lane.js';
import type { ThreadWork } from './thread-work.js';

/** Bytes. A text of this size takes about ten milliseconds and is read without a thread. */
export const SMALL_TEXT = 256 * 1024;
const MODERATE_TEXT = 8 * 1024 * 1024;
/** An idle thread ends after this time, which frees the memory of large texts. */
const IDLE_MS = 60_000;
/** Reading takes 0.2 seconds per MiB. A job that takes ten times as long is taken for endless. */
const EFFORT = { baseMs: 20_000, msPerMiB: 2000 };

export interface TextInput<Input> {
  input: Input;
  bytes: number;
  /** texts of one group share a turn: a tenant */
  group: string;
  /** aborted when nobody waits for the output any more: what has not begun is dropped */
  left?: AbortSignal;
}

interface Waiting {
  resolve: (output: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Reads texts that clients send. A text of 50 MiB takes ten seconds and would block every other request: a text that is
 * not small is read in a thread, where groups take turns. The largest texts have a second thread.
 */
@Injectable()
export class TextThreads implements OnApplicationShutdown {
  private readonly waiting = new Map<number, Waiting>();
  private readonly moderate = this.aLane('reader of texts');
  private readonly large = this.aLane('reader of large texts');
  private nextId = 1;
  private idle: NodeJS.Timeout | undefined;

  async run<Input, Output>(
    work: ThreadWork<Input, Output>,
    { input, bytes, group, left }: TextInput<Input>,
  ): Promise<Output> {
    left?.throwIfAborted();
    if (bytes <= SMALL_TEXT) return work.perform(input);
    const lane = bytes <= MODERATE_TEXT ? this.moderate : this.large;
    const id = this.nextId++;
    clearTimeout(this.idle);
    const leave = (): void => {
      lane.release(id);
      this.waiting.get(id)?.reject(left?.reason);
    };
    left?.addEventListener('abort', leave, { once: true });
    try {
      return await new Promise<Output>((resolve, reject) => {
        // The thread calls the same function, so the output has its type.
        this.waiting.set(id, { resolve: resolve as (output: unknown) => void, reject });
        const message: TextJob = { id, file: work.file, name: work.name, input };
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
      file: join(__dirname, 'text-thread.js'),
      name,
      effort: EFFORT,
      onMessage: (message) => this.settle(message as TextAnswer),
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

  private settle(answer: TextAnswer): void {
    const waiting = this.waiting.get(answer.id);
    if ('output' in answer) waiting?.resolve(answer.output);
    else waiting?.reject(new Error(`reading failed: ${answer.failure}`));
  }
}
