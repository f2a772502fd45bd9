import type { Authorship, PreparedDocument } from '../chunks/stored-documents.store.js';
import type { StateEntity } from '../entities/state.entity.js';
import type { ChunkSource } from '../publishing/chunk-source.js';
import type { FrameRows } from '../publishing/version-publisher.js';
import type { ClientRun } from './client-run.js';

/** A document on its way into a state. The state's row is locked, and the document's chunks are stored. */
export interface WriteAttempt {
  state: StateEntity;
  /** the document */
  next: PreparedDocument & FrameRows;
  /** where the contents of the document's chunks come from */
  source: ChunkSource;
  by: Authorship;
}

/** A document that a client sent. */
export interface ClientAttempt extends WriteAttempt {
  run: ClientRun;
}
