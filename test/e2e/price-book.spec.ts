import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** The price book's commands as an operator runs them. */
describe('the price book commands', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'price-book-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(args: readonly string[], env: Record<string, string> = {}) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'dist', 'price-book.js'), ...args],
      {
        encoding: 'utf8',
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', ...env },
      },
    );
    return { status, stdout, stderr };
  }

  it('builds a book, checks it, and shows its prices over the shipped ones', () => {
    const item = {
      type: 'Consumption',
      currencyCode: 'USD',
      retailPrice: 0.05,
      armRegionName: 'uksouth',
      serviceName: 'NAT Gateway',
      productName: 'NAT Gateway',
      meterName: 'Standard Gateway',
      effectiveStartDate: '2026-02-01T00:00:00Z',
    };
    writeFileSync(join(folder, 'page.json'), JSON.stringify({ Items: [item] }));
    expect(run(['build', '--out', 'own.ndjson.gz', 'azure=page.json'])).toMatchObject({
      status: 0,
      stdout: 'own.ndjson.gz: 1 prices, the newest of 2026-02-01\n',
    });
    const check = run(['check', 'own.ndjson.gz']);
    expect(check.status).toBe(0);
    expect(check.stdout).toContain('missing: azure uksouth: no price for');
    const show = run(['show', 'nat_gateway/nat-gateway'], { SERVICE_COST_PRICE_BOOK: 'own.ndjson.gz' });
    expect(show.stdout).toContain('azure uksouth  0.05 USD per hours  2026-02-01  Azure retail prices');
    expect(show.stdout).toContain('aws us-east-1  0.045 USD per hours');
  });

  it('says what is wrong and exits with a status that scripts can test', () => {
    writeFileSync(join(folder, 'broken.ndjson'), '{"format":"x"}\n');
    expect(run(['check', 'broken.ndjson'])).toMatchObject({ status: 1 });
    expect(run(['show', 'never/heard-of'])).toMatchObject({
      status: 1,
      stdout: 'no price for never/heard-of\n',
    });
    expect(run(['show', 'x', '--book', 'broken.ndjson'])).toMatchObject({ status: 2 });
    expect(run(['build', 'azure=page.json']).stderr).toContain('--out');
    expect(run(['build', '--out', 'x.gz', 'oracle=page.json'])).toMatchObject({ status: 2 });
    expect(run([]).stderr).toContain('usage:');
  });

  it('has a shipped book that its facts give', () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(ROOT, 'tools', 'price-book.mjs'), '--check'],
      { encoding: 'utf8' },
    );
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('prices') as string,
    });
  });

  it('documents the commands as they are', () => {
    const document = readFileSync(join(ROOT, 'docs', 'price-book.md'), 'utf8');
    for (const command of [
      'price-book.js build',
      'price-book.js check',
      'price-book.js show',
      'SERVICE_COST_PRICE_BOOK',
    ])
      expect(document).toContain(command);
  });
});
