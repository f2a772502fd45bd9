import type { DataSource } from 'typeorm';
import type { LogChunkView } from '../../src/modules/orchestration/dto/runner.dto.js';
import { type LogChunk, RunLog } from '../../src/modules/orchestration/runs/run-log.store.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, aRun } from '../support/run-records.js';

const AT = '2026-01-31T10:00:00.070Z';
const MAX_PAGE_BYTES = 256 * 1024;

describe('The live log of a run', () => {
  let database: TestDatabase;
  let source: DataSource;
  let log: RunLog;
  let run: string;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    log = new RunLog(new UnitOfWork(source), { now: () => new Date(AT) });
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    run = await aRun(database.pool, await aRepository(database.pool, null));
  });

  const page = async (seq: number): Promise<{ chunks: LogChunkView[]; hasMore: boolean }> => {
    const { chunks, hasMore } = await log.after(run, seq);
    return { chunks: chunks.map((chunk) => JSON.parse(chunk.toString()) as LogChunkView), hasMore };
  };

  /** Page by page, to the end. */
  async function pages(): Promise<LogChunkView[][]> {
    const all: LogChunkView[][] = [];
    for (let seq = -1; ;) {
      const { chunks, hasMore } = await page(seq);
      all.push(chunks);
      if (!hasMore) return all;
      seq = chunks.at(-1)?.seq ?? seq;
    }
  }

  it('shows chunks as they were printed, whatever their characters are', async () => {
    const text = `"quoted" \\ / \u0001\u001b[31m\t\r\n\u2028 é \u{1f600} ${'x'.repeat(300_000)}`;
    await log.append(run, [
      { seq: 0, text },
      { seq: 1, dir: 'a "b"/\u{1f600}', workspace: 'wörk\\space', text: '' },
      { seq: 2, dir: 'a', text: 'a\0b\ud83d' },
    ]);
    expect((await pages()).flat()).toEqual([
      { seq: 0, at: AT, text },
      { seq: 1, at: AT, dir: 'a "b"/\u{1f600}', workspace: 'wörk\\space', text: '' },
      { seq: 2, at: AT, dir: 'a', text: 'a\ufffdb\ufffd' },
    ]);
  });

  it('comes in order and complete, in pages of bounded size', async () => {
    const chunks: LogChunk[] = Array.from({ length: 600 }, (_, seq) => ({
      seq,
      text: `${seq} ${'é'.repeat(seq < 450 ? 10 : 40_000)}`,
    }));
    for (const each of [chunks.slice(300), chunks.slice(0, 300), chunks.slice(200, 400)])
      await log.append(run, each);
    const read = await pages();
    expect(read.flat()).toEqual(chunks.map((chunk) => ({ ...chunk, at: AT })));
    for (const each of read) {
      expect(each.length).toBeLessThanOrEqual(200);
      expect(each.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)).toBeLessThanOrEqual(
        MAX_PAGE_BYTES,
      );
    }
  });

  it('keeps the first of two chunks with one number', async () => {
    await log.append(run, [{ seq: 3, text: 'first' }]);
    await log.append(run, [
      { seq: 3, text: 'second' },
      { seq: 4, text: 'next' },
    ]);
    expect(await page(2)).toMatchObject({ chunks: [{ text: 'first' }, { text: 'next' }], hasMore: false });
    expect(await page(4)).toEqual({ chunks: [], hasMore: false });
  });
});
