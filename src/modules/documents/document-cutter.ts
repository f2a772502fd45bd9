import {
  Boundary,
  BoundaryFinder,
  ClientLayoutFinder,
  LayoutMismatch,
  StructuralFinder,
} from './boundaries.js';
import { JsonScanner, NotJson } from './json-scanner.js';

const KIB = 1024;
const SMALLEST_CUT = 32 * KIB;
const EAGER_CUT = 256 * KIB;
const LARGEST = 512 * KIB;
const BIG_RESOURCE = 192 * KIB;
const LOOKAHEAD = 1 * KIB;
const STEP = 64 * KIB;
const LONGEST_RESOURCE_START = 64 * KIB * KIB;
const LARGEST_FRAME = 128 * KIB * KIB;
/** Each piece of a resource that is cut carries its header. */
const LARGEST_HEADER = 64 * KIB;

export type PieceKind = 'frame' | 'resources';

/** A run of the document's bytes; the pieces in order are the document. */
export interface Piece {
  kind: PieceKind;
  /** those of resources only until `emit` returns: the memory is used again */
  bytes: Buffer;
  /** header of the resource the piece begins inside of */
  context?: Buffer;
  /** the piece ends inside of an `instances` array */
  open: boolean;
}

/** What stands around the resources (outputs, check results) is larger than the service reads in one piece. */
export class FrameTooLarge extends Error {}

/**
 * Cuts a document at resource boundaries while it arrives. Where to cut depends on the identity of the resource that
 * follows and on the size so far, so that a change moves only the cuts around it. A resource of very many instances
 * is cut between them.
 */
export class DocumentCutter {
  private buffer: Buffer = Buffer.alloc(0);
  private length = 0;
  private finder: BoundaryFinder | undefined;
  private queue: Boundary[] = [];
  private region: 'head' | 'list' | 'tail' = 'head';
  private start = 0;
  private resourceAt = 0;
  private isFirstRun = true;
  /** the resource begins in a way that no piece of it could be read by itself */
  private isWhole = false;
  private context: Buffer | undefined;
  private frameBytes = 0;

  constructor(
    private readonly emit: (piece: Piece) => void,
    private readonly structural: boolean,
  ) {}

  feed(bytes: Buffer): void {
    // In steps, so that cuts do not depend on how the network split the document.
    for (let at = 0; at < bytes.length; at += STEP) {
      this.append(bytes.subarray(at, at + STEP));
      this.advance(false);
    }
  }

  finish(): void {
    this.advance(true);
    if (this.region === 'list')
      throw this.finder instanceof ClientLayoutFinder ? new LayoutMismatch() : new NotJson(this.length);
    this.frame(this.start, this.length);
    this.drop(this.length);
  }

  private append(bytes: Buffer): void {
    const needed = this.length + bytes.length;
    if (needed > this.buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed * 2, 256 * KIB));
      this.buffer.copy(grown, 0, 0, this.length);
      this.buffer = grown;
    }
    bytes.copy(this.buffer, this.length);
    this.length = needed;
  }

  private advance(last: boolean): void {
    if (!this.finder) {
      if (this.length < 16 && !last) return;
      const client = !this.structural && ClientLayoutFinder.recognises(this.view());
      this.finder = client ? new ClientLayoutFinder() : new StructuralFinder();
    }
    this.search();
    const stuck =
      this.region === 'head' && this.queue.length === 0 && this.finder instanceof ClientLayoutFinder;
    if (stuck && (last || this.length > KIB * KIB)) this.restart();
    this.visitQueue(last);
    if (this.finder instanceof ClientLayoutFinder && this.region === 'list' && !this.finder.wantInstances) {
      this.finder.wantInstances = this.length - this.resourceAt > BIG_RESOURCE - 2 * STEP;
    }
    const unfound = this.region === 'list' && this.length - this.start > LONGEST_RESOURCE_START;
    if (unfound && this.finder instanceof ClientLayoutFinder) throw new LayoutMismatch();
    if (this.region !== 'list' && this.length - this.start + this.frameBytes > LARGEST_FRAME)
      throw new FrameTooLarge();
    this.drop(this.start);
  }

  /** Boundaries are taken off the queue together: to shift a long one moves all that follow. */
  private visitQueue(last: boolean): void {
    let visited = 0;
    for (const boundary of this.queue) {
      if (!last && boundary.kind !== 'end' && this.length < boundary.at + LOOKAHEAD) break;
      visited++;
      this.visit(boundary);
    }
    this.queue = this.queue.slice(visited);
  }

  private search(): void {
    try {
      this.finder?.find(this.view(), (boundary) => this.queue.push(boundary));
    } catch (error) {
      if (!(error instanceof LayoutMismatch) || this.region !== 'head') throw error;
      this.restart();
    }
  }

  /** Nothing has been emitted yet, so the whole document so far is at hand for the other finder. */
  private restart(): void {
    this.queue.length = 0;
    this.finder = new StructuralFinder();
    this.finder.find(this.view(), (boundary) => this.queue.push(boundary));
  }

  private visit(boundary: Boundary): void {
    const { at } = boundary;
    if (boundary.kind === 'list') {
      this.frame(this.start, at);
      this.region = 'list';
      this.start = at;
      this.resourceAt = at;
    } else if (boundary.kind === 'end') {
      this.endList(at);
    } else if (boundary.kind === 'resource') {
      if (this.isCut(at - this.start, this.identityOfResource(at))) this.cut(at, undefined);
      this.resourceAt = at;
      this.isWhole = false;
      if (this.finder instanceof ClientLayoutFinder) this.finder.wantInstances = false;
    } else {
      const inResource = at - Math.max(this.resourceAt, this.start);
      if (inResource < BIG_RESOURCE || this.isWhole) return;
      if (this.isCut(at - this.start, this.identityOfInstance(at))) this.cutInside(at);
    }
  }

  private endList(at: number): void {
    if (lastByte(this.buffer, this.start, at) === 0x2c) throw new NotJson(at);
    if (at > this.start) this.cut(at, undefined);
    // The last cut was made after a comma, so that something has to follow.
    else if (!this.isFirstRun) throw new NotJson(at);
    this.region = 'tail';
    this.start = at;
  }

  private isCut(size: number, identity: number): boolean {
    if (size >= LARGEST) return true;
    if (identity === 0 || size < SMALLEST_CUT) return false;
    return identity % (size < EAGER_CUT ? 8 : 4) === 0;
  }

  /** Emits what lies before `at`; `next` is the context of what follows. */
  private cut(at: number, next: Buffer | undefined): void {
    const bytes = this.buffer.subarray(this.start, at);
    const context = this.context;
    this.emit({ kind: 'resources', bytes, open: next !== undefined, ...(context ? { context } : {}) });
    this.start = at;
    this.context = next;
    this.isFirstRun = false;
  }

  private cutInside(at: number): void {
    const header = this.headerOfResource();
    this.isWhole = header === undefined;
    if (header) this.cut(at, header);
  }

  private frame(from: number, to: number): void {
    this.frameBytes += to - from;
    const outputs = this.region === 'head' ? this.buffer.subarray(from, to).indexOf('\n  "outputs":') : -1;
    // Serial and lineage change with every write, the outputs seldom.
    const cuts = outputs > 0 ? [from + outputs] : [];
    for (let at = (cuts[0] ?? from) + LARGEST; at < to; at += LARGEST) cuts.push(at);
    let start = from;
    for (const end of [...cuts, to]) {
      if (end > start)
        this.emit({ kind: 'frame', bytes: Buffer.from(this.buffer.subarray(start, end)), open: false });
      start = end;
    }
  }

  /** The resource up to the `[` of its instances; undefined when it does not say there what it is. */
  private headerOfResource(): Buffer | undefined {
    if (this.resourceAt < this.start && this.context) return this.context;
    const end = Math.min(this.length, this.resourceAt + LARGEST_HEADER);
    const beginning = this.buffer.subarray(this.resourceAt, end);
    const length = lengthOfHeader(beginning);
    return length === undefined ? undefined : Buffer.from(beginning.subarray(0, length));
  }

  /** A number made of module, mode, type and name; 0 when they do not come first. */
  private identityOfResource(at: number): number {
    const window = this.buffer.subarray(at, Math.min(this.length, at + LOOKAHEAD));
    const header = window.indexOf('"instances"');
    return header < 16 ? 0 : fingerprint(window, header);
  }

  private identityOfInstance(at: number): number {
    const window = this.buffer.subarray(at, Math.min(this.length, at + 256));
    const key = window.indexOf('"index_key"');
    const end = key === -1 ? -1 : window.indexOf(',', key);
    return end === -1 ? 0 : fingerprint(window, end);
  }

  private drop(count: number): void {
    // Moving the rest down costs a copy of it: only when it is the smaller part.
    if (count === 0 || (count < this.length && count < this.buffer.length / 2)) return;
    this.buffer.copy(this.buffer, 0, count, this.length);
    this.length -= count;
    this.start -= count;
    this.resourceAt -= count;
    for (const boundary of this.queue) boundary.at -= count;
    this.finder?.shift(count);
  }

  private view(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}

/** FNV-1a, 32 bits, never 0. */
function fingerprint(bytes: Buffer, length: number): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < length; i++) value = Math.imul(value ^ (bytes[i] as number), 0x01000193);
  value ^= value >>> 15;
  return value >>> 0 || 1;
}

function lastByte(buffer: Buffer, from: number, to: number): number {
  let at = to - 1;
  while (at >= from && (buffer[at] as number) <= 0x20) at--;
  return at < from ? -1 : (buffer[at] as number);
}

/** What a piece has to know of the resource it begins inside of. */
const HEADER = ['mode', 'type', 'name', 'provider'];

/** Members may hold any text, `"instances"` among it, so they are read one by one. */
function lengthOfHeader(resource: Buffer): number | undefined {
  const scanner = new JsonScanner(resource);
  const names = new Set<string>();
  try {
    scanner.take(0x7b);
    for (let name = scanner.key(); name !== 'instances'; name = scanner.key()) {
      names.add(name);
      scanner.value();
      scanner.take(0x2c);
    }
    scanner.take(0x5b);
    return HEADER.every((name) => names.has(name)) ? scanner.pos : undefined;
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}
