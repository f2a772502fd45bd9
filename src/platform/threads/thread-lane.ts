import { type TransferListItem, Worker, type WorkerOptions } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { FairQueue } from './fair-queue.js';

export interface LaneJob {
  /** groups take turns, whatever each has queued */
  group: string;
  /** jobs of one owner are lost together when the thread ends that keeps something for it */
  owner: number;
  message: object;
  transfer?: readonly TransferListItem[];
  /** size of what the job is about, for the time it may take */
  bytes: number;
}

/** `effort`: the job itself took too long. `ended`: the thread ended for another reason. */
export type LostReason = 'effort' | 'ended';

export interface LaneOptions {
  /** file of the worker; it answers each job with any number of messages, then with `'next'` */
  file: string | URL;
  name: string;
  workerOptions?: WorkerOptions;
  onMessage: (message: unknown) => void;
  /** The thread is gone and with it all it kept for these owners. Queued jobs of others wait for the next thread. */
  onLost: (owners: ReadonlyMap<number, LostReason>) => void;
  /** time one job may take: `baseMs`, and more for each MiB */
  effort: { baseMs: number; msPerMiB: number };
}

/** One job is worked on while the next one already lies in the thread. */
const MAX_POSTED = 2;

/**
 * A worker thread that many share. Jobs of different groups take turns; a job that takes longer than its size allows ends
 * the thread, and a new one takes its place.
 */
export class ThreadLane {
  private readonly logger = new Logger('ThreadLane');
  private readonly queue = new FairQueue<LaneJob>();
  /** handed to the thread, the first one is being worked on */
  private readonly posted: LaneJob[] = [];
  /** the thread keeps something for them between jobs */
  private readonly owners = new Set<number>();
  private worker: Worker | undefined;
  private limit: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: LaneOptions) {}

  post(job: LaneJob): void {
    this.queue.push(job);
    this.fill();
  }

  /** Until `release`, the end of the thread is a loss for the owner even when it has no job here. */
  retain(owner: number): void {
    this.owners.add(owner);
  }

  /** Drops what the owner has queued: its client left, or it has failed. */
  release(owner: number): void {
    this.owners.delete(owner);
    this.queue.remove((job) => job.owner === owner);
  }

  get queued(): number {
    return this.queue.length;
  }

  /** Ends the thread when it has nothing to do and keeps nothing. */
  async endIdle(): Promise<void> {
    if (this.posted.length > 0 || this.queue.length > 0 || this.owners.size > 0) return;
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.limit);
    await this.worker?.terminate();
  }

  private fill(): void {
    while (!this.isClosed && this.posted.length < MAX_POSTED) {
      const job = this.queue.shift();
      if (!job) return;
      this.posted.push(job);
      (this.worker ??= this.start()).postMessage(job.message, job.transfer ?? []);
      if (this.posted.length === 1) this.startLimit();
    }
  }

  private start(): Worker {
    const worker = new Worker(this.options.file, this.options.workerOptions);
    worker.unref();
    worker.on('message', (message: unknown) => {
      if (worker !== this.worker) return;
      if (message === 'next') this.finished();
      else this.options.onMessage(message);
    });
    worker.on('error', (error) => {
      const kind = error instanceof Error ? error.name : typeof error;
      this.logger.error({ msg: 'worker thread failed', thread: this.options.name, kind });
      this.lose(worker, 'ended');
    });
    worker.on('exit', () => this.lose(worker, 'ended'));
    return worker;
  }

  private finished(): void {
    this.posted.shift();
    clearTimeout(this.limit);
    if (this.posted.length > 0) this.startLimit();
    this.fill();
  }

  private startLimit(): void {
    const [job] = this.posted;
    const { baseMs, msPerMiB } = this.options.effort;
    this.limit = setTimeout(
      () => {
        this.logger.warn({ msg: 'worker thread exceeded its effort limit', thread: this.options.name });
        if (this.worker) this.lose(this.worker, 'effort');
      },
      baseMs + (msPerMiB * (job?.bytes ?? 0)) / (1024 * 1024),
    );
    this.limit.unref();
  }

  private lose(worker: Worker, reason: LostReason): void {
    if (worker !== this.worker || this.isClosed) return;
    this.worker = undefined;
    clearTimeout(this.limit);
    void worker.terminate();
    const lost = new Map<number, LostReason>([...this.owners].map((owner) => [owner, 'ended']));
    for (const [index, { owner }] of this.posted.splice(0).entries())
      lost.set(owner, index === 0 ? reason : (lost.get(owner) ?? 'ended'));
    for (const owner of lost.keys()) this.release(owner);
    this.options.onLost(lost);
    this.fill();
  }
}
