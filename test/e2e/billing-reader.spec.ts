import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BillingReader as Reader } from '../../src/modules/billing/reading/billing-reader.js';
import { aLine, focusCsv } from '../support/billing.js';

// As built: the process is a file of its own there.
const { BillingReader } = createRequire(__filename)(
  '../../dist/modules/billing/reading/billing-reader.js',
) as {
  BillingReader: typeof Reader;
};

const LIMITS = { memoryBytes: 512 * 2 ** 20, timeMs: 60_000 };
const WINDOW = { kind: 'csv', provider: 'aws', from: '2000-01-01', until: '2100-01-01' } as const;

describe('The process that reads bills', () => {
  let folder: string;
  let reader: Reader;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'reader-'));
    writeFileSync(join(folder, 'a.csv'), focusCsv([aLine()]));
  });
  afterEach(async () => {
    await reader.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const begin = (limits = LIMITS, signal = new AbortController().signal): void => {
    reader = BillingReader.start(folder, limits, signal);
  };
  const read = (file: string): Promise<number> => reader.read({ file, ...WINDOW });
  const child = (): { pid: number } => (reader as unknown as { child: { pid: number } }).child;

  it('reads files of its folder, one after the other', async () => {
    begin();
    expect(await read(join(folder, 'a.csv'))).toBe(1);
    expect(await read(join(folder, 'a.csv'))).toBe(1);
    expect((await reader.write(join(folder, 'out.csv'))).months).toHaveLength(1);
    expect(existsSync(join(folder, 'out.csv'))).toBe(true);
  });

  it('knows nothing of the environment of the worker', async () => {
    process.env['AWS_SECRET_ACCESS_KEY'] = 'a secret of the operator';
    begin();
    await read(join(folder, 'a.csv'));
    const environment = readFileSync(`/proc/${child().pid}/environ`, 'utf8');
    delete process.env['AWS_SECRET_ACCESS_KEY'];
    expect(environment.split('\0').filter((entry) => entry !== '')).toEqual([`TMPDIR=${folder}`]);
  });

  it('the billing reader writes to no folder except its own', async () => {
    begin();
    await read(join(folder, 'a.csv'));
    const outside = `${folder}-outside.csv`;
    await expect(reader.write(outside)).rejects.toThrow('the file could not be read');
    expect(existsSync(outside)).toBe(false);
  });

  it('ends when it needs more memory than it may', async () => {
    begin({ ...LIMITS, memoryBytes: 2 ** 20 });
    await expect(read(join(folder, 'a.csv'))).rejects.toThrow('the file needs too much memory');
    await expect(read(join(folder, 'a.csv'))).rejects.toThrow('the file needs too much memory');
  });

  it('ends when it takes too long, and when the sync is stopped', async () => {
    begin({ ...LIMITS, timeMs: 1 });
    await expect(read(join(folder, 'a.csv'))).rejects.toThrow('the files took too long to read');
    await reader.close();
    const stop = new AbortController();
    begin(LIMITS, stop.signal);
    stop.abort();
    await expect(read(join(folder, 'a.csv'))).rejects.toThrow('the sync was stopped');
  });

  it('takes only itself down when it is killed', async () => {
    begin();
    await read(join(folder, 'a.csv'));
    process.kill(child().pid, 'SIGSEGV');
    await expect(read(join(folder, 'a.csv'))).rejects.toThrow('the file ended the reading process');
  });
});
