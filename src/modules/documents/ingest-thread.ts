import { parentPort } from 'node:worker_threads';
import { describeFailure } from '../../platform/errors/failure-report.js';
import { LayoutMismatch } from './boundaries.js';
import { FrameTooLarge } from './document-cutter.js';
import { NotAState } from './document-frame.js';
import { decomposePiece, DocumentReader } from './document-reader.js';
import type { FromReader, ReadFailure, ToReader } from './ingest-protocol.js';
import { NotJson } from './json-scanner.js';
import { memoryToMove, withOwnMemory } from './own-memory.js';

/** Entry of the reader thread: one DocumentReader for each open session. */
const readers = new Map<number, DocumentReader>();

function send(message: FromReader, moved: Buffer[] = []): void {
  parentPort?.postMessage(message, memoryToMove(moved));
}

parentPort?.on('message', (message: ToReader) => {
  work(message);
  parentPort?.postMessage('next');
});

function work(message: ToReader): void {
  const { session } = message;
  try {
    if (message.type === 'open') readers.set(session, open(message));
    else if (message.type === 'bytes') feed(session, message.bytes);
    else if (message.type === 'end') finish(session);
    else if (message.type === 'decompose') decompose(message);
    else readers.delete(session);
  } catch (error) {
    readers.delete(session);
    const failure = failureOf(error);
    send({
      type: 'failed',
      session,
      failure,
      message: error instanceof Error ? error.message : '',
      ...(failure === 'unexpected' ? { cause: describeFailure(error) } : {}),
    });
  }
}

function open(message: Extract<ToReader, { type: 'open' }>): DocumentReader {
  return new DocumentReader(new Set(message.known), message.structural, (piece, chunk) => {
    // The reader keeps the bytes of frames; those of resources move on.
    send(
      { type: 'piece', session: message.session, piece, chunk },
      piece.kind === 'resources' ? [piece.bytes] : [],
    );
  });
}

function decompose({ session, piece, chunk, owner, level }: Extract<ToReader, { type: 'decompose' }>): void {
  const bytes = asBuffer(piece.bytes);
  const context = piece.context && asBuffer(piece.context);
  const result = decomposePiece(
    { kind: piece.kind, open: piece.open, bytes, ...(context ? { context } : {}) },
    chunk,
    owner,
    level,
  );
  const [data, tuples] = [withOwnMemory(result.chunk.data), withOwnMemory(result.chunk.tuples)];
  const nodeIndex = result.chunk.nodeIndex && withOwnMemory(result.chunk.nodeIndex);
  const moved = nodeIndex ? [data, tuples, nodeIndex] : [data, tuples];
  send(
    { type: 'chunk', session, result: { ...result, chunk: { ...result.chunk, data, tuples, nodeIndex } } },
    moved,
  );
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function feed(session: number, bytes: Uint8Array): void {
  // A session that failed stays silent until the main thread has noticed.
  readers.get(session)?.feed(asBuffer(bytes));
  send({ type: 'taken', session });
}

function finish(session: number): void {
  const reader = readers.get(session);
  readers.delete(session);
  if (reader) send({ type: 'done', session, document: reader.finish() });
}

function failureOf(error: unknown): ReadFailure {
  if (error instanceof NotJson || error instanceof LayoutMismatch) return 'not-json';
  if (error instanceof NotAState) return 'not-a-state';
  return error instanceof FrameTooLarge ? 'frame-too-large' : 'unexpected';
}
