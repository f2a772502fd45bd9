import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  type ReportContents,
  reported,
  type ReportMessage,
  type ReportPart,
} from './report-contents.rules.js';
import { Turns } from './turns.js';

/** Bytes that are read at once: a report of that size takes some ten milliseconds. */
export const SMALL_REPORT = 256 * 1024;
const MODERATE_REPORT = 8 * 1024 * 1024;
/** What a large report took of memory is given back. */
const IDLE_MS = 60_000;

type Answer = ReportContents | ReportPart | string;

/**
 * Takes reports apart. One of 50 MiB takes ten seconds, in which nobody else would be answered: so those that are not small
 * are read in a thread, one after the other, and the largest in one more, so that the others need not wait for them.
 */
@Injectable()
export class ReportReading implements OnApplicationShutdown {
  private readonly turns = new Turns();
  private readonly threads = new Map<string, ReaderThread>();

  async read(message: ReportMessage): Promise<Answer> {
    const size = message.bytes.reduce((sum, bytes) => sum + bytes.length, 0);
    if (size <= SMALL_REPORT) return reported(message);
    const lane = size <= MODERATE_REPORT ? 'moderate' : 'large';
    return this.turns.take(lane, () => this.threadOf(lane).read(message));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.threads.values()].map((thread) => thread.end()));
  }

  private threadOf(lane: string): ReaderThread {
    const running = this.threads.get(lane);
    if (running?.isAlive) return running;
    const thread = new ReaderThread();
    this.threads.set(lane, thread);
    return thread;
  }
}

/** Reads one message at a time, and ends when there is none for a while. */
class ReaderThread {
  isAlive = true;
  private readonly worker = new Worker(join(__dirname, 'report-thread.js'));
  private idle: NodeJS.Timeout | undefined;
  private settle: { resolve: (answer: Answer) => void; reject: (error: unknown) => void } | undefined;

  constructor() {
    this.worker.unref();
    this.worker.on('message', (answer: Answer) => this.settle?.resolve(answer));
    this.worker.on('error', (error) => this.fail(error));
    this.worker.on('exit', () => this.fail(new Error('the thread that reads reports has ended')));
  }

  async read(message: ReportMessage): Promise<Answer> {
    clearTimeout(this.idle);
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.settle = { resolve, reject };
        this.worker.postMessage(message);
      });
    } finally {
      this.settle = undefined;
      this.idle = setTimeout(() => void this.end(), IDLE_MS).unref();
    }
  }

  async end(): Promise<void> {
    this.isAlive = false;
    clearTimeout(this.idle);
    await this.worker.terminate();
  }

  private fail(error: unknown): void {
    this.isAlive = false;
    this.settle?.reject(error);
  }
}
