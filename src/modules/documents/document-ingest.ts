import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { ChunkSpool } from './chunk-spool.js';
import type { ReadDocument } from './document-reader.js';
import type { FromReader, ReadFailure, ToReader } from './ingest-protocol.js';
import type { Owner } from './resource-parser.js';

/** A document that was read to its end, with its new chunks. */
export interface IngestedDocument extends ReadDocument {
  md5: Buffer;
  spool: ChunkSpool;
}

/** The document could not be read; `failure` says in which way. */
export class UnreadableDocument extends Error {
  constructor(
    readonly failure: ReadFailure,
    message: string,
  ) {
    super(message);
  }
}

const BATCH = 256 * 1024;
const UNACKNOWLEDGED = 16;

/** Reads state documents in threads of their own, so that a large one does not hold up the event loop. */
@Injectable()
export class DocumentIngest implements OnApplicationShutdown {
  private readonly logger = new Logger('DocumentIngest');
  private readonly threads: (Worker | undefined)[] = [];
  private readonly sessions = new Map<number, ReadSession>();
  private nextSession = 1;

  constructor(private readonly config: Config) {}

  /**
   * @param known hashes of chunks that are stored already
   * @param structural do not trust the layout (after a `layout` failure)
   */
  open(owner: Owner, known: string[], structural = false): ReadSession {
    const id = this.nextSession++;
    const slot = id % this.config.get('SERVICE_INGEST_THREADS');
    const thread = (this.threads[slot] ??= this.start(slot));
    const session = new ReadSession((message, transfer) => thread.postMessage({ ...message, session: id } as ToReader, transfer ?? []), () => this.sessions.delete(id), slot);
    this.sessions.set(id, session);
    thread.postMessage({ type: 'open', session: id, owner, known, structural } satisfies ToReader);
    return session;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread?.terminate()));
  }

  private start(slot: number): Worker {
    const thread = new Worker(join(__dirname, 'ingest-thread.js'));
    thread.unref();
    thread.on('message', (message: FromReader) => this.sessions.get(message.session)?.receive(message));
    const end = (reason: string) => {
      this.threads[slot] = undefined;
      for (const session of this.sessions.values()) if (session.slot === slot) session.fail('unexpected', reason);
    };
    thread.on('error', (error) => {
      this.logger.error({ msg: 'reader thread failed', kind: error instanceof Error ? error.name : typeof error });
      end('the reader thread failed');
    });
    thread.on('exit', () => end('the reader thread ended'));
    return thread;
  }
}

type WithoutSession<T> = T extends { session: number } ? Omit<T, 'session'> : never;

/** One document on its way through a reader thread. */
export class ReadSession {
  private readonly md5 = createHash('md5');
  private readonly spool = new ChunkSpool();
  private readonly pending: Buffer[] = [];
  private pendingBytes = 0;
  private unacknowledged = 0;
  private failure: UnreadableDocument | undefined;
  private document: ReadDocument | undefined;
  private wake: (() => void) | undefined;

  constructor(
    private readonly post: (message: WithoutSession<ToReader>, transfer?: ArrayBuffer[]) => void,
    private readonly forget: () => void,
    readonly slot: number,
  ) {}

  /** Resolves when more may be written. */
  async write(bytes: Buffer): Promise<void> {
    this.md5.update(bytes);
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    if (this.pendingBytes >= BATCH) this.flush();
    while (this.unacknowledged >= UNACKNOWLEDGED && !this.failure) await this.news();
    if (this.failure) throw this.failure;
  }

  async end(): Promise<IngestedDocument> {
    this.flush();
    this.post({ type: 'end' });
    while (!this.document && !this.failure) await this.news();
    this.forget();
    if (!this.document) throw this.failure ?? new UnreadableDocument('unexpected', 'the document was not read');
    await this.spool.settle();
    return { ...this.document, md5: this.md5.digest(), spool: this.spool };
  }

  /** Gives up; to be called whenever `end` did not succeed. */
  async abort(): Promise<void> {
    this.post({ type: 'abort' });
    this.forget();
    await this.spool.dispose();
  }

  receive(message: FromReader): void {
    if (message.type === 'taken') this.unacknowledged--;
    else if (message.type === 'chunk') this.spool.add(message.chunk);
    else if (message.type === 'done') this.document = message.document;
    else this.failure = new UnreadableDocument(message.failure, message.message);
    this.wake?.();
  }

  fail(failure: ReadFailure, message: string): void {
    this.failure = new UnreadableDocument(failure, message);
    this.wake?.();
  }

  private flush(): void {
    if (this.pendingBytes === 0) return;
    const bytes = Buffer.allocUnsafeSlow(this.pendingBytes);
    let at = 0;
    for (const part of this.pending) at += part.copy(bytes, at);
    this.pending.length = 0;
    this.pendingBytes = 0;
    this.unacknowledged++;
    this.post({ type: 'bytes', bytes }, [bytes.buffer as ArrayBuffer]);
  }

  private async news(): Promise<void> {
    await new Promise<void>((resolve) => (this.wake = resolve));
    this.wake = undefined;
  }
}
