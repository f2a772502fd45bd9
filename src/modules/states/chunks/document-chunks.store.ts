import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  Chunk,
  CHUNK_KINDS,
  ChunkSpool,
  CopyTupleWriter,
  inflateIndex,
  InstanceNode,
  ParsedChunk,
  StorableChunk,
  withOwnMemory,
} from '../../documents/index.js';
import { unpackHashes } from './chunk-list.js';
import { ChunkSignature, Fingerprints, type WantedInstances } from './chunk-signature.rules.js';
import {
  recentBytes,
  recentDescriptions,
  recentIndexes,
  recentSignatures,
  type StoredChunk,
} from './recent-chunks.js';

const ROWS_AN_INSERT = 32;
const COLUMNS = 8;
/** Chunks whose lists are looked through at once. */
const LISTS_AT_ONCE = 500;

const COPY =
  'COPY state_chunks (state_id, hash, kind, size, crc32, context, data, node_index) FROM STDIN (FORMAT binary)';

/** A document that has a graph, or was merged, was decomposed to the last chunk; of others it is asked chunk by chunk. */
const KNOWN = `WITH current AS (SELECT v.* FROM states s JOIN state_versions v ON v.state_id = s.id AND v.version = s.version WHERE s.id = $1),
    latest AS (SELECT document_version, document_submission FROM state_bases WHERE state_id = $1 AND connection = $2 ORDER BY at DESC LIMIT 1)
  SELECT chunks FROM current WHERE graph_error IS NULL
  UNION ALL SELECT v.chunks FROM latest l JOIN state_versions v ON v.state_id = $1 AND v.version = l.document_version
    WHERE v.graph_error IS NULL AND v.version NOT IN (SELECT version FROM current)
  UNION ALL SELECT u.chunks FROM latest l JOIN state_submissions u ON u.id = l.document_submission WHERE u.status = 'merged'
  UNION ALL SELECT c.hash FROM current CROSS JOIN generate_series(0, length(current.chunks) / 32 - 1) i JOIN state_chunks c ON c.state_id = $1
      AND c.hash = substr(current.chunks, i * 32 + 1, 32) AND (c.kind = 0 OR c.node_index IS NOT NULL)
    WHERE current.graph_error IS NOT NULL`;

/** Runs a task at once, or after others that wait for the same. */
export type InTurn = <T>(task: () => Promise<T>) => Promise<T>;

/** The chunks of the documents of a state: content-addressed, written once, never changed. */
@Injectable()
export class DocumentChunks {
  private readonly indexCache = recentIndexes();
  private readonly signatures = recentSignatures();
  private readonly descriptions = recentDescriptions();
  private readonly bytes = recentBytes();

  constructor(private readonly work: UnitOfWork) {}

  /**
   * Chunks that a new document probably has too and that need no second look: those of the current one, and of what the
   * writer's connection got or had accepted last. However long the history is, so much is looked at. Chunks that older
   * documents have are read once more and found to be there when they are stored.
   */
  async known(stateId: string, connection?: string): Promise<string[]> {
    const rows = await this.work.query<{ chunks: Buffer | null }>(KNOWN, [stateId, connection ?? null]);
    return [...new Set(rows.flatMap(({ chunks }) => (chunks ? unpackHashes(chunks) : [])))];
  }

  /** The chunks of an upload, with the state's row locked; those of a first document go in by COPY. */
  async insert(stateId: string, spool: ChunkSpool): Promise<void> {
    const hashes = spool.hashes();
    const isFirst =
      (await this.work.query('SELECT 1 FROM state_chunks WHERE state_id = $1 LIMIT 1', [stateId])).length ===
      0;
    if (isFirst && hashes.length > 1) return this.work.copyTuples(COPY, tuplesOf(stateId, spool, hashes));
    for (let at = 0; at < hashes.length; at += ROWS_AN_INSERT) {
      const chunks: StorableChunk[] = [];
      for (const hash of hashes.slice(at, at + ROWS_AN_INSERT)) {
        const chunk = await spool.stored(hash);
        if (chunk) chunks.push(chunk);
      }
      await this.insertRows(stateId, chunks);
    }
  }

  async insertRows(stateId: string, chunks: readonly (StorableChunk | ParsedChunk)[]): Promise<void> {
    if (chunks.length === 0) return;
    const tuple = (_: unknown, row: number) =>
      `(${Array.from({ length: COLUMNS }, (__, column) => `$${row * COLUMNS + column + 1}`).join(',')})`;
    const values = chunks.flatMap((chunk) => [
      stateId,
      Buffer.from(chunk.hash, 'hex'),
      chunk.kind,
      chunk.size,
      chunk.crc32,
      chunk.context ?? null,
      chunk.data,
      chunk.nodeIndex ?? null,
    ]);
    // A chunk that could not be decomposed when it came first may be by a later release.
    await this.work.query(
      `INSERT INTO state_chunks (state_id, hash, kind, size, crc32, context, data, node_index) VALUES ${chunks.map(tuple).join(',')}
       ON CONFLICT (state_id, hash) DO UPDATE SET node_index = EXCLUDED.node_index WHERE state_chunks.node_index IS NULL AND EXCLUDED.node_index IS NOT NULL`,
      values,
    );
    for (const chunk of chunks) this.remember(stateId, chunk);
  }

  /** What is written now is read by the next change. */
  private remember(stateId: string, chunk: StorableChunk | ParsedChunk): void {
    const { hash, kind, size, crc32 } = chunk;
    this.keepBytes(stateId, chunk);
    this.descriptions.store(stateId, hash, { hash, kind, size, crc32 });
    if ('nodes' in chunk) this.keepIndex(stateId, hash, chunk.nodes);
  }

  private keepBytes(stateId: string, { hash, kind, size, crc32, context, data }: StoredChunk): void {
    const own = { context: context && withOwnMemory(context), data: withOwnMemory(data) };
    this.bytes.store(stateId, hash, { hash, kind, size, crc32, ...own });
  }

  private keepIndex(stateId: string, hash: string, nodes: InstanceNode[]): ChunkSignature {
    const signature = new ChunkSignature(nodes);
    this.indexCache.store(stateId, hash, nodes);
    this.signatures.store(stateId, hash, signature);
    return signature;
  }

  /** Kind, size and CRC of chunks, without their bytes; chunks that are not stored are missing. */
  async describe(stateId: string, hashes: readonly string[]): Promise<Chunk[]> {
    const known = new Map<string, Chunk>();
    const missing: string[] = [];
    for (const hash of new Set(hashes)) {
      const chunk = this.descriptions.find(stateId, hash);
      if (chunk) known.set(hash, chunk);
      else missing.push(hash);
    }
    if (missing.length > 0) {
      const rows = await this.work.query<{ hash: string; kind: number; size: number; crc32: string }>(
        `SELECT encode(hash, 'hex') AS hash, kind, size, crc32 FROM state_chunks WHERE state_id = $1 AND hash = ANY($2::bytea[])`,
        [stateId, missing.map((hash) => Buffer.from(hash, 'hex'))],
      );
      for (const row of rows) {
        const chunk = { ...row, crc32: Number(row.crc32) };
        this.descriptions.store(stateId, chunk.hash, chunk);
        known.set(chunk.hash, chunk);
      }
    }
    return [...known.values()];
  }

  /** How many of the hashes are stored. */
  async count(stateId: string, hashes: readonly string[]): Promise<number> {
    const unique = [...new Set(hashes)].map((hash) => Buffer.from(hash, 'hex'));
    const rows = await this.work.query<{ count: string }>(
      `SELECT count(*) AS count FROM state_chunks WHERE state_id = $1 AND hash = ANY($2::bytea[])`,
      [stateId, unique],
    );
    return Number(rows[0]?.count ?? 0);
  }

  /** The instances each chunk lists; a chunk that was not decomposed is missing from the map, frames list none. */
  async indexes(stateId: string, hashes: readonly string[]): Promise<Map<string, InstanceNode[]>> {
    const found = new Map<string, InstanceNode[]>();
    for (const hash of hashes) {
      const nodes = this.indexCache.find(stateId, hash);
      if (nodes) found.set(hash, nodes);
    }
    const missing = hashes.filter((hash) => !found.has(hash));
    if (missing.length === 0) return found;
    const rows = await this.work.query<{ hash: Buffer; kind: number; node_index: Buffer | null }>(
      `SELECT hash, kind, node_index FROM state_chunks WHERE state_id = $1 AND hash = ANY($2::bytea[])`,
      [stateId, missing.map((hash) => Buffer.from(hash, 'hex'))],
    );
    for (const row of rows) {
      if (!row.node_index && row.kind !== CHUNK_KINDS.frame) continue;
      const nodes = row.node_index ? inflateIndex(row.node_index) : [];
      const hash = row.hash.toString('hex');
      this.indexCache.store(stateId, hash, nodes);
      found.set(hash, nodes);
    }
    return found;
  }

  /** The same of the chunks that may hold what is wanted; which ones do not is known without reading them again. */
  async indexesHolding(
    stateId: string,
    hashes: readonly string[],
    wanted: WantedInstances,
  ): Promise<Map<string, InstanceNode[]>> {
    const fingerprints = new Fingerprints(wanted);
    if (fingerprints.isEmpty) return new Map();
    const candidates: string[] = [];
    const unknown: string[] = [];
    for (const hash of hashes) {
      const signature = this.signatures.find(stateId, hash);
      if (!signature) unknown.push(hash);
      else if (signature.mayHold(fingerprints)) candidates.push(hash);
    }
    for (let at = 0; at < unknown.length; at += LISTS_AT_ONCE) {
      for (const [hash, nodes] of await this.indexes(stateId, unknown.slice(at, at + LISTS_AT_ONCE))) {
        const signature = this.keepIndex(stateId, hash, nodes);
        if (signature.mayHold(fingerprints)) candidates.push(hash);
      }
    }
    return this.indexes(stateId, candidates);
  }

  /**
   * Chunks in the order of the list, in binary; the next batch is on its way while one is used.
   * @param inTurn runs the loading of each batch when its turn comes
   */
  async *read(
    stateId: string,
    hashes: readonly string[],
    { batch = 32, inTurn = (task) => task() }: { batch?: number; inTurn?: InTurn } = {},
  ): AsyncGenerator<StoredChunk> {
    const load = (at: number): Promise<Map<string, StoredChunk>> => {
      const rows = inTurn(() => this.batch(stateId, hashes.slice(at, at + batch)));
      // Awaited when its turn comes; whoever stops reading before never hears of it.
      rows.catch(() => undefined);
      return rows;
    };
    let coming = hashes.length > 0 ? load(0) : undefined;
    for (let at = 0; coming; at += batch) {
      const rows = await coming;
      coming = at + batch < hashes.length ? load(at + batch) : undefined;
      for (const hash of hashes.slice(at, at + batch)) {
        const chunk = rows.get(hash);
        if (!chunk) throw new Error('a chunk of a stored document is missing');
        yield chunk;
      }
    }
  }

  private async batch(stateId: string, hashes: readonly string[]): Promise<Map<string, StoredChunk>> {
    const found = new Map<string, StoredChunk>();
    const missing: string[] = [];
    for (const hash of hashes) {
      const chunk = this.bytes.find(stateId, hash);
      if (chunk) found.set(hash, chunk);
      else missing.push(hash);
    }
    if (missing.length === 0) return found;
    for (const chunk of await this.binaryRows(stateId, missing)) {
      found.set(chunk.hash, chunk);
      this.keepBytes(stateId, chunk);
    }
    return found;
  }

  private async binaryRows(stateId: string, hashes: readonly string[]): Promise<StoredChunk[]> {
    const wanted = hashes.map((hash) => `'\\x${hexOnly(hash)}'::bytea`).join(',');
    const rows = await this.work.copyRows(
      `COPY (SELECT hash, kind::int4, size, crc32, context, data FROM state_chunks
         WHERE state_id = '${hexOnly(stateId.replaceAll('-', ''))}' AND hash IN (${wanted})) TO STDOUT (FORMAT binary)`,
    );
    return rows.map((row) => chunkOfRow(row));
  }

  /** Removes chunks no document names any more; the caller holds the state's row. */
  async collect(stateId: string): Promise<void> {
    await this.work.query(
      `DELETE FROM state_chunks c WHERE c.state_id = $1 AND NOT EXISTS (
         SELECT FROM (SELECT chunks FROM state_versions WHERE state_id = $1 UNION ALL SELECT chunks FROM state_submissions WHERE state_id = $1) d,
           generate_series(0, length(d.chunks) / 32 - 1) i WHERE substr(d.chunks, i * 32 + 1, 32) = c.hash)`,
      [stateId],
    );
  }
}

async function* tuplesOf(
  stateId: string,
  spool: ChunkSpool,
  hashes: readonly string[],
): AsyncGenerator<Buffer> {
  const tuples = new CopyTupleWriter();
  for (const hash of hashes) {
    const chunk = await spool.stored(hash);
    if (!chunk) continue;
    tuples.begin(COLUMNS);
    tuples.uuid(stateId);
    tuples.bytes(Buffer.from(hash, 'hex'));
    tuples.int2(chunk.kind);
    tuples.int4(chunk.size);
    tuples.bigint(chunk.crc32);
    tuples.bytes(chunk.context);
    tuples.bytes(chunk.data);
    tuples.bytes(chunk.nodeIndex);
    yield tuples.take();
  }
}

/** Nothing but hexadecimal digits gets into a statement. */
function hexOnly(text: string): string {
  if (!/^[0-9a-f]+$/.test(text)) throw new Error('not a hash');
  return text;
}

function chunkOfRow([hash, kind, size, crc32, context, data]: (Buffer | null)[]): StoredChunk {
  if (!hash || !kind || !size || !crc32 || !data) throw new Error('a stored chunk lacks a column');
  return {
    hash: hash.toString('hex'),
    kind: kind.readInt32BE(0),
    size: size.readInt32BE(0),
    crc32: Number(crc32.readBigInt64BE(0)),
    context: context ?? undefined,
    data,
  };
}
