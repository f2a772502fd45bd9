import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import {
  constants,
  crc32,
  deflateRawSync,
  deflateSync,
  inflateRaw,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';
import { DocumentCutter, Piece } from './document-cutter.js';
import { DocumentFrame, parseFrame } from './document-frame.js';
import { crc32Combine } from './gzip-member.js';
import type { InstanceNode, ParsedResources } from './instance-node.js';
import { Undecomposable } from './json-scanner.js';
import { ownCopy } from './own-memory.js';
import type { Owner } from './instance-tuple.js';
import { ResourceParser } from './resource-parser.js';

const inflateInPool = promisify<Buffer, object, Buffer>(inflateRaw);

/** One stored run of a document. */
export interface Chunk {
  /** SHA-256 of kind, context and bytes, in hex */
  hash: string;
  kind: number;
  size: number;
  crc32: number;
}

/** A chunk as it is stored. */
export interface StorableChunk extends Chunk {
  context: Buffer | undefined;
  /** raw deflate, ends on a byte boundary */
  data: Buffer;
  /** deflated JSON of its `InstanceNode[]`; undefined when it is no run of decomposable resources */
  nodeIndex: Buffer | undefined;
}

/** A chunk the state does not have yet, and the COPY tuples of its instances. */
export interface NewChunk extends StorableChunk {
  tuples: Buffer;
  tupleEnds: Uint32Array;
}

/** A new chunk together with the instances that its index lists. */
export interface ParsedChunk extends NewChunk {
  nodes: InstanceNode[];
}

export interface ReadDocument {
  chunks: Chunk[];
  crc32: number;
  size: number;
  frame: DocumentFrame;
}

/** `openResources` ends inside of an `instances` array. */
export const CHUNK_KINDS = { frame: 0, resources: 1, openResources: 2 } as const;

/** A new chunk, or why its instances cannot be told. */
export interface DecomposedPiece {
  chunk: NewChunk;
  graphError: string | undefined;
}

/**
 * Reads one document as it arrives: cuts it and hashes each piece. Pieces that are not `known` are handed on, to be
 * decomposed wherever there is a thread for it. Pure and synchronous.
 */
export class DocumentReader {
  private readonly cutter: DocumentCutter;
  private readonly chunks: Chunk[] = [];
  private readonly frames: Buffer[] = [];
  private readonly seen = new Set<string>();
  private crc = 0;
  private size = 0;

  /**
   * @param known hashes (hex) of the chunks that need not be read again
   * @param structural find resources by nesting instead of by the client's layout
   */
  constructor(
    private readonly known: ReadonlySet<string>,
    structural: boolean,
    private readonly onNewPiece: (piece: Piece, chunk: Chunk) => void,
  ) {
    this.cutter = new DocumentCutter((piece) => this.take(piece), structural);
  }

  feed(bytes: Buffer): void {
    this.size += bytes.length;
    this.cutter.feed(bytes);
  }

  finish(): ReadDocument {
    this.cutter.finish();
    const frame = parseFrame(utf8(Buffer.concat(this.frames)));
    return { chunks: this.chunks, crc32: this.crc, size: this.size, frame };
  }

  private take(piece: Piece): void {
    if (piece.kind === 'frame') this.frames.push(piece.bytes);
    const chunk = identify(piece);
    const isNew = !this.known.has(chunk.hash) && !this.seen.has(chunk.hash);
    this.seen.add(chunk.hash);
    this.chunks.push(chunk);
    this.crc = crc32Combine(this.crc, chunk.crc32, chunk.size);
    if (isNew) this.onNewPiece({ ...piece, bytes: ownCopy(piece.bytes) }, chunk);
  }
}

/** Four times as fast as the level that deflates a quarter better. */
const QUICK_LEVEL = 1;

/** Parses, projects and compresses one new piece of a document that is being read. `level` is that of deflate. */
export function decomposePiece(
  piece: Piece,
  chunk: Chunk,
  owner: Owner,
  level = QUICK_LEVEL,
): DecomposedPiece {
  const stored = storedForm(piece, chunk, level);
  try {
    return { chunk: { ...stored, ...decompose(piece, owner) }, graphError: undefined };
  } catch (error) {
    if (error instanceof Undecomposable)
      return { chunk: { ...stored, ...NOT_DECOMPOSED }, graphError: error.message };
    throw error;
  }
}

/** A piece as a new chunk; throws NotJson or Undecomposable. */
export function chunkOf(piece: Piece, owner: Owner): ParsedChunk {
  const stored = storedForm(piece, identify(piece));
  if (piece.kind === 'frame') return { ...stored, ...NOT_DECOMPOSED, nodes: [] };
  const parsed = parsePiece(piece, owner);
  return { ...stored, ...decomposed(parsed), nodes: parsed.nodes };
}

/** The instances of a run of resources, with their tuples. */
export function parseChunk(
  bytes: Buffer,
  context: Buffer | undefined,
  kind: number,
  owner: Owner,
): ParsedResources {
  return new ResourceParser(utf8(bytes), owner, context, kind === CHUNK_KINDS.openResources).parse();
}

export function inflateIndex(nodeIndex: Buffer): InstanceNode[] {
  return JSON.parse(inflateSync(nodeIndex).toString()) as InstanceNode[];
}

/**
 * The same in a thread of the system's pool, in one piece: each of zlib's usual pieces of 16 KiB waits for a turn of the
 * event loop, and a chunk of 20 MB would wait for 1,300 of them.
 * @param size bytes of the inflated chunk
 */
export function inflateChunkAside(data: Buffer, size: number): Promise<Buffer> {
  return inflateInPool(data, {
    finishFlush: constants.Z_SYNC_FLUSH,
    chunkSize: Math.max(size + 1, constants.Z_MIN_CHUNK),
  });
}

export function inflateChunk(data: Buffer): Buffer {
  return inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH });
}

type Decomposed = Pick<NewChunk, 'nodeIndex' | 'tuples' | 'tupleEnds'>;
const NOT_DECOMPOSED: Decomposed = {
  nodeIndex: undefined,
  tuples: Buffer.alloc(0),
  tupleEnds: new Uint32Array(0),
};

function identify(piece: Piece): Chunk {
  const kind =
    piece.kind === 'frame'
      ? CHUNK_KINDS.frame
      : piece.open
        ? CHUNK_KINDS.openResources
        : CHUNK_KINDS.resources;
  const context = piece.context ?? Buffer.alloc(0);
  const prefix = Buffer.from([
    kind,
    context.length & 255,
    (context.length >> 8) & 255,
    (context.length >> 16) & 255,
  ]);
  const hash = createHash('sha256').update(prefix).update(context).update(piece.bytes).digest('hex');
  return { hash, kind, size: piece.bytes.length, crc32: crc32(piece.bytes) };
}

function storedForm(
  piece: Piece,
  chunk: Chunk,
  level = QUICK_LEVEL,
): Chunk & Pick<NewChunk, 'context' | 'data'> {
  const data = deflateRawSync(piece.bytes, { level, finishFlush: constants.Z_SYNC_FLUSH });
  return { ...chunk, context: piece.context, data };
}

function decompose(piece: Piece, owner: Owner): Decomposed {
  return piece.kind === 'frame' ? NOT_DECOMPOSED : decomposed(parsePiece(piece, owner));
}

function parsePiece({ bytes, context, open }: Piece, owner: Owner): ParsedResources {
  return new ResourceParser(utf8(bytes), owner, context, open).parse();
}

function decomposed({ nodes, tuples, tupleEnds }: ParsedResources): Decomposed {
  return { nodeIndex: deflateSync(JSON.stringify(nodes), { level: QUICK_LEVEL }), tuples, tupleEnds };
}

/** Bytes that are no UTF-8 are read with replacement characters; what is stored stays as it came. */
function utf8(bytes: Buffer): Buffer {
  return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'));
}
