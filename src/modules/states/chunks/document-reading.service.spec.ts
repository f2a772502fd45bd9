import { deflateRawSync, constants } from 'node:zlib';
import { randomBytes, randomUUID } from 'node:crypto';
import type { UnitOfWork } from '../../../platform/database/index.js';
import type { StoredDocument } from '../entities/stored-document.js';
import { DocumentChunks } from './document-chunks.store.js';
import { DocumentReading } from './document-reading.service.js';
import type { StoredDocuments } from './stored-documents.store.js';

const CHUNKS = 200;

/** Answers batches of chunks when it is told to, and knows for which state each was asked. */
class HeldDatabase {
  readonly asked: string[] = [];
  private readonly waiting: (() => void)[] = [];

  async copyRows(statement: string): Promise<(Buffer | null)[][]> {
    this.asked.push(/state_id = '(\w+)'/.exec(statement)?.[1] ?? '');
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    const hashes = [...statement.matchAll(/'\\x([0-9a-f]{64})'/g)].map(([, hash]) => hash ?? '');
    const data = deflateRawSync('x', { finishFlush: constants.Z_SYNC_FLUSH });
    const int4 = Buffer.alloc(4);
    const int8 = Buffer.alloc(8);
    return hashes.map((hash) => [Buffer.from(hash, 'hex'), int4, int4, int8, Buffer.alloc(0), data]);
  }

  answerOne(): boolean {
    const next = this.waiting.shift();
    next?.();
    return next !== undefined;
  }
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe('Documents on their way to clients', () => {
  function aDocument(): StoredDocument {
    return {
      chunks: randomBytes(32 * CHUNKS),
      crc32: 0,
      size: CHUNKS,
      md5: Buffer.alloc(16),
    } as StoredDocument;
  }

  it.each(['plain', 'gzip'] as const)(
    'are read in turns: forty of one tenant hold up none of another (%s)',
    async (form) => {
      const database = new HeldDatabase();
      const chunks = new DocumentChunks(database as unknown as UnitOfWork);
      const reading = new DocumentReading(chunks, {} as StoredDocuments);
      const start = async (tenantId: string): Promise<string> => {
        const stateId = randomUUID();
        const stream = (await reading.stored({ stateId, tenantId }, aDocument()))[form]();
        stream.resume();
        stream.once('close', () => ended.push(tenantId));
        return stateId.replaceAll('-', '');
      };
      const ended: string[] = [];
      for (let download = 0; download < 40; download++) await start('many');
      await until(() => database.asked.length === 3);
      const other = await start('one');
      await until(() => database.asked.length > 3);
      // No more than three batches of one tenant are under way, and the other's first has a slot at once.
      expect(database.asked).toHaveLength(4);
      expect(database.asked[3]).toBe(other);
      while (!ended.includes('one')) {
        const before = database.asked.length;
        database.answerOne();
        // The slot goes to whoever is next.
        await until(() => database.asked.length > before || ended.includes('one'));
      }
      // Four batches are under way and one waits between two of its own: not the 280 that the other tenant queued.
      const batches = Math.ceil(CHUNKS / 32);
      expect(database.asked.length).toBeLessThanOrEqual(10 * (batches + 1));
      expect(ended).toEqual(['one']);
      while (ended.length < 41)
        if (!database.answerOne()) await new Promise((resolve) => setTimeout(resolve, 1));
    },
  );
});
