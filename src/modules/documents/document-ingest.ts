import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { DescribedFailure, type FailureDescription } from '../../platform/errors/index.js';
import { ThreadLane } from '../../platform/threads/index.js';
import { ChunkSpool } from './chunk-spool.js';
import type { Piece } from './document-cutter.js';
import type { Chunk, DecomposedPiece, ReadDocument } from './document-reader.js';
import type { FromReader, ReadFailure, ToReader } from './ingest-protocol.js';
import { memoryToMove } from './own-memory.js';
import type { Owner } from './instance-tuple.js';

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
    cause?: FailureDescription,
  ) {
    super(message, cause && { cause: new DescribedFailure(cause) });
  }
}

const BATCH = 256 * 1024;
const UNACKNOWLEDGED = 16;
/** bytes handed to the threads and not answered yet */
const MOST_DECOMPOSING = 16 * 1024 * 1024;

/** Of a document that was stored before: what a small change writes, to the log and to disk, is mostly its chunks. */
const THOROUGH_CHUNKS = 32;
const THOROUGH_LEVEL = 6;

/** Garbage of a reader is short-lived and made by the gigabyte; a small nursery keeps it in the processor's cache. */
const THREAD_LIMITS = { maxYoungGenerationSizeMb: 12 };

/**
 * Ten to a hundred times what reading takes: a job that needs longer does not come to an end. The base covers a machine
 * that is busy with something else.
 */
const EFFORT = { baseMs: 20_000, msPerMiB: 2000 };
/** A single resource can be as large as a document. It is taken apart where it holds up no other piece. */
const LARGE_PIECE = 4 * 1024 * 1024;

/**
 * Reads state documents in threads of their own, so that a large one does not hold up the event loop. Tenants take turns in
 * each thread.
 */
@Injectable()
export class DocumentIngest implements OnApplicationShutdown {
  private readonly lanes: ThreadLane[];
  private readonly largeLane: ThreadLane;
  private readonly sessions = new Map<number, ReadSession>();
  private nextSession = 1;
  private turn = 0;

  constructor(config: Config) {
    this.lanes = Array.from({ length: config.get('SERVICE_INGEST_THREADS') }, () => this.aLane('reader'));
    this.largeLane = this.aLane('reader of large pieces');
  }

  /**
   * @param known hashes of chunks that are stored already
   * @param structural do not trust the layout that its beginning promises: it may only have left it further on
   */
  open(owner: Owner, known: string[], { structural = false }: { structural?: boolean } = {}): ReadSession {
    const id = this.nextSession++;
    const lane = this.laneOf(id);
    const post: Posting = (message, bytes, transfer = []) =>
      lane.post({ group: owner.tenantId, owner: id, message: { ...message, session: id }, bytes, transfer });
    const session = new ReadSession(
      post,
      (piece, chunk, level) => this.decompose({ type: 'decompose', session: id, piece, chunk, owner, level }),
      known.length > 0 ? THOROUGH_CHUNKS : 0,
      () => this.forget(id),
    );
    this.sessions.set(id, session);
    lane.retain(id);
    post({ type: 'open', known, structural }, 0);
    return session;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.lanes, this.largeLane].map((lane) => lane.close()));
  }

  /** The threads take turns, so that one large document keeps all of them busy. */
  private decompose(message: Extract<ToReader, { type: 'decompose' }>): void {
    const { piece, chunk, owner, session } = message;
    const lane = chunk.size > LARGE_PIECE ? this.largeLane : this.laneOf(this.turn++);
    const transfer = piece.kind === 'resources' ? memoryToMove([piece.bytes]) : [];
    lane.post({ group: owner.tenantId, owner: session, message, bytes: chunk.size, transfer });
  }

  private laneOf(number: number): ThreadLane {
    return this.lanes[number % this.lanes.length] ?? this.largeLane;
  }

  private forget(id: number): void {
    this.sessions.delete(id);
    for (const lane of [...this.lanes, this.largeLane]) lane.release(id);
  }

  private aLane(name: string): ThreadLane {
    return new ThreadLane({
      file: join(__dirname, 'ingest-thread.js'),
      name,
      workerOptions: { resourceLimits: THREAD_LIMITS },
      effort: EFFORT,
      onMessage: (message) => {
        const received = message as FromReader;
        this.sessions.get(received.session)?.receive(received);
      },
      onLost: (owners) => {
        for (const [id, reason] of owners)
          this.sessions
            .get(id)
            ?.fail(
              'unexpected',
              reason === 'effort' ? 'the document took too long to read' : 'the reader thread ended',
            );
      },
    });
  }
}

type Posting = (message: WithoutSession<ToReader>, bytes: number, transfer?: ArrayBuffer[]) => void;
type WithoutSession<T> = T extends { session: number } ? Omit<T, 'session'> : never;

/** One document on its way through a reader thread. */
export class ReadSession {
  private readonly md5 = createHash('md5');
  private digest: Buffer | undefined;
  private size = 0;
  private readonly spool = new ChunkSpool();
  private readonly pending: Buffer[] = [];
  private pendingBytes = 0;
  private unacknowledged = 0;
  private failure: UnreadableDocument | undefined;
  private document: ReadDocument | undefined;
  private graphError: string | undefined;
  private decomposing = 0;
  private wake: (() => void) | undefined;

  constructor(
    private readonly post: Posting,
    private readonly decompose: (piece: Piece, chunk: Chunk, level: number | undefined) => void,
    /** so many new chunks are deflated well, not quickly */
    private thorough: number,
    private readonly forget: () => void,
  ) {}

  /** Resolves when more may be written. */
  async write(bytes: Buffer): Promise<void> {
    this.md5.update(bytes);
    this.size += bytes.length;
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    if (this.pendingBytes >= BATCH) this.flush();
    while ((this.unacknowledged >= UNACKNOWLEDGED || this.decomposing > MOST_DECOMPOSING) && !this.failure)
      await this.news();
    if (this.failure) throw this.failure;
  }

  /** Bytes that nobody reads any more count for the checksum all the same. */
  skip(bytes: Buffer): void {
    this.md5.update(bytes);
  }

  /** Of all bytes; there are no more of them once it was asked for. */
  get checksum(): Buffer {
    return (this.digest ??= this.md5.digest());
  }

  async end(): Promise<IngestedDocument> {
    this.flush();
    this.post({ type: 'end' }, this.size);
    while ((!this.document || this.decomposing > 0) && !this.failure) await this.news();
    this.forget();
    if (!this.document || this.failure)
      throw this.failure ?? new UnreadableDocument('unexpected', 'the document was not read');
    await this.spool.settle();
    const { frame } = this.document;
    const graphError = frame.graphError ?? this.graphError;
    return { ...this.document, frame: { ...frame, graphError }, md5: this.checksum, spool: this.spool };
  }

  /** Gives up; to be called whenever `end` did not succeed. */
  async abort(): Promise<void> {
    // What is queued for the document goes first, and then what the thread keeps of it.
    this.forget();
    this.post({ type: 'abort' }, 0);
    await this.spool.dispose();
  }

  receive(message: FromReader): void {
    if (message.type === 'taken') this.unacknowledged--;
    else if (message.type === 'piece') this.hand(message.piece, message.chunk);
    else if (message.type === 'chunk') this.storePiece(message.result);
    else if (message.type === 'done') this.document = message.document;
    else this.failure = new UnreadableDocument(message.failure, message.message, message.cause);
    this.wake?.();
  }

  fail(failure: ReadFailure, message: string): void {
    this.failure = new UnreadableDocument(failure, message);
    this.wake?.();
  }

  private hand(piece: Piece, chunk: Chunk): void {
    this.decomposing += chunk.size;
    this.decompose(piece, chunk, this.thorough-- > 0 ? THOROUGH_LEVEL : undefined);
  }

  private storePiece({ chunk, graphError }: DecomposedPiece): void {
    this.decomposing -= chunk.size;
    this.graphError ??= graphError;
    this.spool.add(chunk);
  }

  private flush(): void {
    if (this.pendingBytes === 0) return;
    const bytes = Buffer.allocUnsafeSlow(this.pendingBytes);
    let at = 0;
    for (const part of this.pending) at += part.copy(bytes, at);
    this.pending.length = 0;
    this.pendingBytes = 0;
    this.unacknowledged++;
    this.post({ type: 'bytes', bytes }, bytes.length, [bytes.buffer]);
  }

  private async news(): Promise<void> {
    await new Promise<void>((resolve) => (this.wake = resolve));
    this.wake = undefined;
  }
}
