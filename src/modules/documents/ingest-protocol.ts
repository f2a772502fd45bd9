import type { FailureDescription } from '../../platform/errors/failure-report.js';
import type { Piece } from './document-cutter.js';
import type { Chunk, DecomposedPiece, ReadDocument } from './document-reader.js';
import type { Owner } from './instance-tuple.js';

/** Main thread to reader thread. `session` tells the documents being read at the same time apart. */
export type ToReader =
  | { type: 'open'; session: number; known: string[]; structural: boolean }
  | { type: 'bytes'; session: number; bytes: Uint8Array }
  | { type: 'end'; session: number }
  | { type: 'abort'; session: number }
  | {
      type: 'decompose';
      session: number;
      piece: Piece;
      chunk: Chunk;
      owner: Owner;
      /** of deflate; undefined: the quick one */
      level: number | undefined;
    };

export type ReadFailure = 'not-json' | 'not-a-state' | 'frame-too-large' | 'unexpected';

/**
 * Reader thread to main thread. `taken` acknowledges one `bytes`; each `piece` goes back to some thread as `decompose`
 * and is answered with `chunk`.
 */
export type FromReader =
  | { type: 'taken'; session: number }
  | { type: 'piece'; session: number; piece: Piece; chunk: Chunk }
  | { type: 'chunk'; session: number; result: DecomposedPiece }
  | { type: 'done'; session: number; document: ReadDocument }
  | {
      type: 'failed';
      session: number;
      failure: ReadFailure;
      message: string;
      /** of an unexpected failure */
      cause?: FailureDescription;
    };
