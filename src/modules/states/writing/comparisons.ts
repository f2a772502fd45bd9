import { difference } from '../publishing/change-set.js';
import type { ChunkSource } from '../publishing/chunk-source.js';
import {
  chunkDifference,
  DuplicateInstance,
  type NodeChange,
} from '../publishing/document-difference.rules.js';
import { type ComparableDocument } from '../chunks/document-ref.js';
import type { StoredDocuments } from '../chunks/stored-documents.store.js';
import { type DocumentRef, nameOf } from '../chunks/document-ref.js';

/** Chunks whose lists of instances are read ahead: what all of them hold fits into what is kept in memory. */
const MOST_AHEAD = 500;

/** The stored documents that one decision compares a document with: each is read once, several by one statement. */
export class Comparisons {
  private readonly known = new Map<string, ComparableDocument | undefined>();
  private readonly compared = new Map<string, Promise<NodeChange[] | undefined>>();

  constructor(
    private readonly documents: StoredDocuments,
    private readonly stateId: string,
    private readonly next: ComparableDocument,
    private readonly source: ChunkSource,
  ) {}

  /** It was read already. */
  add(ref: DocumentRef, document: ComparableDocument): void {
    this.known.set(nameOf(ref), document);
  }

  /** Of documents that are all about to be compared. */
  async readAhead(refs: readonly DocumentRef[]): Promise<void> {
    await this.load(refs);
    const chunks = new Set<string>();
    for (const ref of refs) {
      const document = this.known.get(nameOf(ref));
      if (!document) continue;
      const { gone, come } = chunkDifference(document.hashes, this.next.hashes);
      for (const hash of [...gone, ...come]) chunks.add(hash);
    }
    if (chunks.size <= MOST_AHEAD) await this.source.indexes([...chunks]);
  }

  /** Undefined when it was pruned. */
  async document(ref: DocumentRef): Promise<ComparableDocument | undefined> {
    await this.load([ref]);
    return this.known.get(nameOf(ref));
  }

  /** What the document that came changes of the stored one; undefined when one of them cannot be taken apart. */
  async changesSince(ref: DocumentRef): Promise<NodeChange[] | undefined> {
    const name = nameOf(ref);
    const before = this.compared.get(name) ?? this.compare(ref);
    this.compared.set(name, before);
    return before;
  }

  private async compare(ref: DocumentRef): Promise<NodeChange[] | undefined> {
    const document = await this.document(ref);
    if (!document) return undefined;
    try {
      return await difference(document, this.next, this.source);
    } catch (error) {
      if (error instanceof DuplicateInstance) return undefined;
      throw error;
    }
  }

  private async load(refs: readonly DocumentRef[]): Promise<void> {
    const missing = refs.filter((ref) => !this.known.has(nameOf(ref)));
    if (missing.length === 0) return;
    const found = await this.documents.comparables(this.stateId, missing);
    for (const ref of missing) this.known.set(nameOf(ref), found.get(nameOf(ref)));
  }
}
