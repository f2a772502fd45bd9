import type { ReadDocument, NewChunk } from './document-reader.js';
import type { Owner } from './resource-parser.js';

/** Main thread to reader thread. `session` tells the documents being read at the same time apart. */
export type ToReader =
  | { type: 'open'; session: number; owner: Owner; known: string[]; structural: boolean }
  | { type: 'bytes'; session: number; bytes: Uint8Array }
  | { type: 'end'; session: number }
  | { type: 'abort'; session: number };

export type ReadFailure = 'not-json' | 'not-a-state' | 'frame-too-large' | 'layout' | 'unexpected';

/** Reader thread to main thread. `taken` acknowledges one `bytes`. */
export type FromReader =
  | { type: 'taken'; session: number }
  | { type: 'chunk'; session: number; chunk: NewChunk }
  | { type: 'done'; session: number; document: ReadDocument }
  | { type: 'failed'; session: number; failure: ReadFailure; message: string };
