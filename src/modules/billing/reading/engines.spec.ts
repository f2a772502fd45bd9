import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { DuckDbEngine } from './duckdb-engine.js';
import { PlainEngine } from './plain-engine.js';
import type { ReaderEngine } from './reader-messages.js';

const WINDOW = { provider: 'aws', from: '2026-01-01', until: '2028-01-01' };
const NEEDED = 'BilledCost,BillingCurrency,ChargePeriodStart,ResourceId';

describe.each([
  [
    'DuckDB',
    async (folder: string): Promise<ReaderEngine> => DuckDbEngine.start({ folder, memoryBytes: 2 ** 29 }),
  ],
  ['plain', async (): Promise<ReaderEngine> => new PlainEngine()],
])('The %s reader', (_, start) => {
  let folder: string;
  let number = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'reader-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Keys and exact sums, and the number of lines taken. */
  async function sums(files: readonly { name?: string; content?: string | Buffer; path?: string }[]) {
    const engine = await start(folder);
    let lines = 0;
    for (const { name = 'a.csv', content, path } of files) {
      const file = path ?? join(folder, `${(number += 1)}-${name}`);
      if (content !== undefined) writeFileSync(file, content);
      lines += await engine.read({
        do: 'read',
        file,
        kind: file.endsWith('.parquet') ? 'parquet' : 'csv',
        ...WINDOW,
      });
    }
    const out = join(folder, `${(number += 1)}-out.csv`);
    const { months } = await engine.write(out);
    return { lines, months, rows: rowsOf(readFileSync(out, 'utf8')) };
  }
  const csv = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;
  const one = (cost: string, start = '2026-01-05T00:00:00Z', resource = 'i-1'): string =>
    csv(NEEDED, `${cost},USD,${start},${resource}`);

  it.each([
    ['12', '12'],
    ['-0.50', '-0.5'],
    ['+3.1', '3.1'],
    ['.5', '0.5'],
    ['-.5', '-0.5'],
    ['6.1E-7', '0.00000061'],
    ['1e3', '1000'],
    ['0.000000000000000000000000000001', '0.000000000000000000000000000001'],
    [
      '123456789012345678901234567890.123456789012345678901234567890',
      '123456789012345678901234567890.12345678901234567890123456789',
    ],
  ])('reads %s as %s', async (text, value) => {
    expect((await sums([{ content: one(text) }])).rows.map((row) => row.billed)).toEqual([value]);
  });

  it('sums up by day and everything else that is kept, over several files', async () => {
    const { rows, lines, months } = await sums([
      {
        content: csv(
          NEEDED,
          '0.1,USD,2026-01-05T00:00:00Z,i-1',
          '0.2,USD,2026-01-05T23:59:59Z,i-1',
          '1,EUR,2026-01-05,i-1',
        ),
      },
      {
        content: csv(
          NEEDED,
          '0.3,usd,2026-01-05 12:00:00,i-1',
          '9,USD,2026-02-01,',
          '7,USD,2025-12-31T23:59:59Z,i-1',
        ),
      },
    ]);
    expect(lines).toBe(5);
    expect(months).toEqual(['2026-01-01', '2026-02-01']);
    expect(
      rows
        .map(({ day, currency, resource, billed, count }) => [day, currency, resource, billed, count])
        .sort(),
    ).toEqual([
      ['2026-01-05', 'EUR', 'i-1', '1', 1],
      ['2026-01-05', 'USD', 'i-1', '0.6', 3],
      ['2026-02-01', 'USD', '', '9', 1],
    ]);
  });

  it.each([
    ['2026-01-05', '2026-01-05'],
    ['2026-01-05 00:00:00', '2026-01-05'],
    ['2026-01-05T23:30:00-02:00', '2026-01-06'],
    ['2026-01-05T00:30:00+01:00', '2026-01-04'],
    ['2026-01-05 10:00:00 UTC', '2026-01-05'],
    ['2026-01-05T10:00:00.123456Z', '2026-01-05'],
  ])('takes %s for the day %s', async (text, day) => {
    expect((await sums([{ content: one('1', text) }])).rows.map((row) => row.day)).toEqual([day]);
  });

  it('takes columns by name, whatever their order, case, quotes, line ends and byte order mark', async () => {
    const content =
      '\ufeff"resourceid",X,"BILLEDCOST",chargeperiodstart,billingcurrency,Tags,ProviderName\r\n"a,""b""",,2.5,2026-01-05,USD,"{""team"":""core"",""n"":1}",Microsoft\r\nNULL,,1,2026-01-05,USD,NULL,Oracle Cloud\r\n';
    const { rows } = await sums([{ content }]);
    expect(
      rows
        .map(({ resource, provider, tags, billed }) => ({ resource, provider, tags, billed }))
        .sort((a, b) => (a.billed < b.billed ? -1 : 1)),
    ).toEqual([
      { resource: '', provider: 'oracle cloud', tags: {}, billed: '1' },
      { resource: 'a,"b"', provider: 'azure', tags: { team: 'core', n: '1' }, billed: '2.5' },
    ]);
  });

  it.each([
    [
      'lineItem/UnblendedCost,lineItem/CurrencyCode,lineItem/UsageStartDate,lineItem/ResourceId,lineItem/LineItemType,savingsPlan/SavingsPlanEffectiveCost,resourceTags/user:team,resourceTags/aws:createdBy',
      { team: 'core' },
    ],
    [
      'line_item_unblended_cost,line_item_currency_code,line_item_usage_start_date,line_item_resource_id,line_item_line_item_type,savings_plan_savings_plan_effective_cost,resource_tags,x',
      { team: 'core' },
    ],
  ])('reads cost and usage reports (%s)', async (header, tags) => {
    const tag = header.includes('resource_tags') ? '"{""team"":""core""}"' : 'core';
    const { rows } = await sums([
      {
        content: csv(
          header,
          `0.40,USD,2026-01-05T00:00:00Z,i-1,SavingsPlanCoveredUsage,0.25,${tag},`,
          `3,USD,2026-01-05T00:00:00Z,,RIFee,,,`,
        ),
      },
    ]);
    expect(
      rows
        .map(({ resource, category, billed, effective, tags: read }) => ({
          resource,
          category,
          billed,
          effective,
          tags: read,
        }))
        .sort((a, b) => (a.billed < b.billed ? -1 : 1)),
    ).toEqual([
      { resource: 'i-1', category: 'Usage', billed: '0.4', effective: '0.25', tags },
      { resource: '', category: 'Purchase', billed: '3', effective: '3', tags: {} },
    ]);
  });

  it.each(['snappy', 'zstd', 'gzip', 'uncompressed'])(
    'reads Parquet with doubles, decimals, maps and timestamps (%s)',
    async (codec) => {
      const path = join(folder, `${(number += 1)}.parquet`);
      const connection = await (await DuckDBInstance.create(':memory:')).connect();
      await connection.run(
        `COPY (SELECT * FROM (VALUES (0.1::DOUBLE, 12.345678901234567890::DECIMAL(30,18), 'USD', TIMESTAMP '2026-01-05 01:00:00', 'i-1', map {'team': 'core'}),
         (6.1e-7, 0.0119, 'USD', TIMESTAMP '2026-01-05 02:00:00', NULL, NULL)) AS t (BilledCost, EffectiveCost, BillingCurrency, ChargePeriodStart, ResourceId, Tags))
       TO '${path}' (FORMAT parquet, COMPRESSION ${codec})`,
      );
      const { rows } = await sums([{ path }]);
      expect(
        rows
          .map(({ resource, billed, effective, tags }) => ({ resource, billed, effective, tags }))
          .sort((a, b) => (a.resource < b.resource ? -1 : 1)),
      ).toEqual([
        { resource: '', billed: '0.00000061', effective: '0.0119', tags: {} },
        { resource: 'i-1', billed: '0.1', effective: '12.34567890123456789', tags: { team: 'core' } },
      ]);
    },
  );

  it.each([
    ['an empty file', '', 'the file is empty'],
    [
      'a missing column',
      'BilledCost,BillingCurrency,ResourceId\n',
      'the file has no column ChargePeriodStart',
    ],
    ['no billing file', 'a,b\n1,2\n', 'the file has no column BilledCost'],
    ['a short line', csv(NEEDED, '1,USD,2026-01-01,i-1', '1,USD'), /^line 3: /],
    ['an open quote', csv(NEEDED, '1,USD,2026-01-01,"i-1'), /^line \d: |could not be read/],
    [
      'an amount in words',
      csv(NEEDED, '1,USD,2026-01-01,i-1', 'twelve,USD,2026-01-01,i-1'),
      'line 3: the cost must be a decimal number of at most 30 digits before and after the point',
    ],
    [
      'an amount with digits set apart',
      csv(NEEDED, '1,USD,2026-01-01,i-1', '0.1_2,USD,2026-01-01,i-1'),
      'line 3: the cost must be a decimal number of at most 30 digits before and after the point',
    ],
    ['not a number', csv(NEEDED, 'NaN,USD,2026-01-01,i-1'), /^line 2: the cost/],
    ['an infinite amount', csv(NEEDED, 'Infinity,USD,2026-01-01,i-1'), /^line 2: the cost/],
    ['an impossible day', csv(NEEDED, '1,USD,2026-02-30,i-1'), /^line 2: the beginning/],
    ['a day after the end of the world', csv(NEEDED, '1,USD,9999-01-01,i-1'), /^line 2: the charge period/],
    ['columns without number', `${'x,'.repeat(3_000)}y\n`, 'the file has more than 2000 columns'],
    ['a header without end', 'x'.repeat(2 ** 20 + 1), 'the header is not a line of CSV'],
  ])('refuses %s', async (_what, content, problem) => {
    await expect(sums([{ content }])).rejects.toThrow(problem);
  });

  it.each([
    ['the wrong magic', Buffer.from('PAR1 is what this begins with')],
    [
      'a footer that lies',
      Buffer.concat([Buffer.from('PAR1'), Buffer.from([0xff, 0xff, 0xff, 0x7f]), Buffer.from('PAR1')]),
    ],
    [
      'a footer of noise',
      Buffer.concat([
        Buffer.from('PAR1'),
        Buffer.alloc(64, 7),
        Buffer.from([64, 0, 0, 0]),
        Buffer.from('PAR1'),
      ]),
    ],
  ])('refuses Parquet with %s', async (_what, content) => {
    await expect(sums([{ name: 'a.parquet', content }])).rejects.toThrow(
      /Parquet|could not be read|too much memory/,
    );
  });

  it('keeps out of tags what PostgreSQL cannot store', async () => {
    const tags = ['{"a":"\\u0000"}', '[1]', '{"a":', '{"a":{"b":1}}', '"x"'];
    const content = csv(
      `${NEEDED},Tags`,
      ...tags.map((text, at) => `${at + 1},USD,2026-01-05,i-${at},"${text.replaceAll('"', '""')}"`),
    );
    const { rows } = await sums([{ content }]);
    expect(rows.sort((a, b) => (a.resource < b.resource ? -1 : 1)).map((row) => row.tags)).toEqual([
      {},
      {},
      {},
      { a: '{"b":1}' },
      {},
    ]);
  });
});

/** The engine's output: every value quoted or not, no line breaks within. */
function rowsOf(text: string) {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      );
      const [day, provider, , , resource, , , , category, currency, tags, bw, bf, ew, ef, count] = cells;
      return {
        day,
        provider,
        resource: resource ?? '',
        category,
        currency,
        tags: JSON.parse(tags ?? '') as Record<string, string>,
        billed: sumOf(bw, bf),
        effective: sumOf(ew, ef),
        count: Number(count),
      };
    });
}

function sumOf(whole = '', fraction = ''): string {
  const scaled = BigInt(whole) * 10n ** 30n + scaledOf(fraction);
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(31, '0');
  const text = `${digits.slice(0, -30)}.${digits.slice(-30)}`.replace(/\.?0+$/, '');
  return scaled < 0n ? `-${text}` : text;
}

function scaledOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(30, '0'));
  return text.startsWith('-') ? -size : size;
}
