import type { FrameIndex } from '../../documents/index.js';

/** A version, or a submission that did not become one as it came. */
export type DocumentRef = { version: number } | { submission: string };

export function isSameDocument(a: DocumentRef, b: DocumentRef): boolean {
  return nameOf(a) === nameOf(b);
}

/** One for each document of a state. */
export function nameOf(ref: DocumentRef): string {
  return 'version' in ref ? String(ref.version) : ref.submission;
}

/** A document as far as comparing needs it. */
export interface ComparableDocument {
  hashes: readonly string[];
  frame: FrameIndex;
}
