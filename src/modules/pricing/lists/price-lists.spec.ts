import { createServer, type Server } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PriceBook } from '../price-book.js';
import { BrokenPriceBook, loadPriceBook, PRICE_BOOK_FORMAT, readPriceBookFile } from '../price-book-file.js';
import { buildPriceBook, type ListSource } from './build-price-book.js';
import { checkPriceBook } from './check-price-book.js';

// Small samples in the shape of the official lists; the addresses of their descriptions stand in the readers.

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'price-lists-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function bookOf(...sources: ListSource[]): Promise<PriceBook> {
  const { bytes } = await buildPriceBook(sources);
  return PriceBook.of([await readPriceBookFile(file('built.ndjson.gz', bytes))]);
}

const term = (sku: string, ...dimensions: object[]) => ({
  [`${sku}.JRTCKXETXF`]: {
    sku,
    effectiveDate: '2026-07-01T00:00:00Z',
    priceDimensions: Object.fromEntries(dimensions.map((dimension, index) => [`${sku}.${index}`, dimension])),
  },
});
const usd = (price: string, beginRange = '0', endRange = 'Inf') => ({
  unit: 'Hrs',
  beginRange,
  endRange,
  pricePerUnit: { USD: price },
});
const m5 = {
  servicecode: 'AmazonEC2',
  regionCode: 'eu-west-3',
  instanceType: 'm5.large',
  operatingSystem: 'Linux',
  tenancy: 'Shared',
  capacitystatus: 'Used',
  preInstalledSw: 'NA',
  licenseModel: 'No License required',
  usagetype: 'EUW3-BoxUsage:m5.large',
};
const OFFER = {
  formatVersion: 'v1.0',
  disclaimer: 'a "quoted" text with { and [ in it',
  products: {
    A: { sku: 'A', productFamily: 'Compute Instance', attributes: m5 },
    B: { sku: 'B', productFamily: 'Compute Instance', attributes: { ...m5, preInstalledSw: 'SQL Std' } },
    C: {
      sku: 'C',
      productFamily: 'Serverless',
      attributes: { servicecode: 'AWSLambda', regionCode: 'eu-west-3', usagetype: 'EUW3-Lambda-GB-Second' },
    },
    D: {
      sku: 'D',
      productFamily: 'Storage',
      attributes: {
        servicecode: 'AmazonEC2',
        regionCode: 'eu-west-3',
        volumeApiName: 'gp3',
        usagetype: 'EUW3-EBS:VolumeUsage.gp3',
      },
    },
    E: { sku: 'E', productFamily: 'Nothing', attributes: [] },
  },
  terms: {
    OnDemand: {
      A: term('A', usd('0.1120000000')),
      B: term('B', usd('9')),
      C: term('C', usd('0.0000166667', '0', '6000000000'), usd('0.0000150000', '6000000000')),
      D: term('D', usd('0.0928')),
    },
    Reserved: { A: term('A', usd('0.01')) },
  },
};

describe('price lists', () => {
  it('reads an AWS offer in JSON, also packed and in small pieces', async () => {
    const text = JSON.stringify(OFFER, null, 2);
    for (const path of [file('offer.json', text), file('offer.json.gz', gzipSync(text))]) {
      const book = await bookOf({ kind: 'aws', source: path });
      expect(book.find('aws', 'eu-west-3', 'ec2/instance/linux/shared/on_demand/m5.large')).toMatchObject({
        amount: '0.112',
        unit: 'hours',
        currency: 'USD',
        date: '2026-07-01',
      });
      expect(book.find('aws', 'eu-west-3', 'ebs/gp3/storage')?.amount).toBe('0.0928');
      expect(book.find('aws', 'eu-west-3', 'lambda_function/duration')?.amount).toEqual([
        ['0', '0.0000166667'],
        ['6000000000', '0.000015'],
      ]);
      expect(book.size).toBe(3);
    }
  });

  it('reads an AWS offer in CSV', async () => {
    const columns =
      'SKU,OfferTermCode,RateCode,TermType,PriceDescription,EffectiveDate,StartingRange,EndingRange,Unit,PricePerUnit,Currency,Product Family,serviceCode,Region Code,Instance Type,Tenancy,Operating System,License Model,CapacityStatus,Pre Installed S/W,usageType';
    const rest =
      '"AmazonEC2","cn-north-1","m5.large","Shared","Linux","No License required","Used","NA","CNN1-BoxUsage:m5.large"';
    const rows = [
      `"A","JRTC","A.1","OnDemand","CNY 0.8 per ""Linux"" hour, m5","2026-07-01","0","Inf","Hrs","0.8000000000","CNY","Compute Instance",${rest}`,
      `"A","JRTC","A.2","Reserved","x","2026-07-01","","","Hrs","0.1","CNY","Compute Instance",${rest}`,
    ];
    const text = ['"FormatVersion","v1.0"', '"Disclaimer","x, y"', columns, ...rows].join('\r\n');
    const book = await bookOf({ kind: 'aws', source: file('offer.csv', text) });
    expect(book.find('aws', 'cn-north-1', 'ec2/instance/linux/shared/on_demand/m5.large')).toMatchObject({
      amount: '0.8',
      currency: 'CNY',
    });
    expect(book.size).toBe(1);
  });

  it('reads Azure retail pages from an address and follows them on the same host only', async () => {
    const vm = {
      type: 'Consumption',
      currencyCode: 'USD',
      retailPrice: 0.096,
      tierMinimumUnits: 0,
      armRegionName: 'uksouth',
      armSkuName: 'Standard_D2s_v5',
      serviceName: 'Virtual Machines',
      productName: 'Virtual Machines Dsv5 Series',
      skuName: 'D2s v5',
      meterName: 'D2s v5',
      effectiveStartDate: '2026-05-01T00:00:00Z',
    };
    const spot = { ...vm, skuName: 'D2s v5 Spot', retailPrice: 0.01 };
    const windows = { ...vm, productName: 'Virtual Machines Dsv5 Series Windows', retailPrice: 0.188 };
    const disk = {
      ...vm,
      serviceName: 'Storage',
      productName: 'Premium SSD Managed Disks',
      meterName: 'P10 LRS Disk',
      retailPrice: 19.71,
    };
    let base = '';
    const server = createServer((request, response) => {
      const second = request.url?.includes('page=2') === true;
      response.end(
        JSON.stringify(
          second
            ? { Items: [disk], NextPageLink: 'http://elsewhere.invalid/' }
            : { Items: [vm, spot, windows], NextPageLink: `${base}/?page=2` },
        ),
      );
    });
    base = await listen(server);
    try {
      const book = await bookOf({ kind: 'azure', source: `${base}/` });
      expect(book.find('azure', 'uksouth', 'vm/linux/pay_as_you_go/standard_d2s_v5')?.amount).toBe('0.096');
      expect(book.find('azure', 'uksouth', 'vm/windows/pay_as_you_go/standard_d2s_v5')?.amount).toBe('0.188');
      expect(book.find('azure', 'uksouth', 'managed_disk/storage/p10-lrs')?.amount).toBe('19.71');
    } finally {
      server.close();
    }
  });

  it('reads Google SKUs and puts machine types together of cores and memory', async () => {
    const sku = (description: string, nanos: number, usageType = 'OnDemand') => ({
      description,
      category: { resourceFamily: 'Compute', usageType },
      serviceRegions: ['europe-west1'],
      pricingInfo: [
        {
          effectiveTime: '2026-06-01T00:00:00Z',
          pricingExpression: {
            usageUnit: 'h',
            tieredRates: [{ startUsageAmount: 0, unitPrice: { currencyCode: 'USD', units: '0', nanos } }],
          },
        },
      ],
    });
    const page = {
      skus: [
        sku('N2 Instance Core running in Belgium', 34_806_000),
        sku('N2 Instance Ram running in Belgium', 4_664_000),
        sku('Storage PD Capacity in Belgium', 40_000_000),
        sku('Something else', 1),
      ],
    };
    const book = await bookOf({ kind: 'google', source: file('skus.json', JSON.stringify(page)) });
    expect(book.find('gcp', 'europe-west1', 'compute/instance/on_demand/n2-standard-2')?.amount).toBe(
      '0.106924',
    );
    expect(book.find('gcp', 'europe-west1', 'compute/disk/pd-standard')?.amount).toBe('0.04');
  });

  it.each([
    [
      'half a list',
      { kind: 'aws' as const, content: JSON.stringify(OFFER).slice(0, 900), name: 'half.json' },
    ],
    ['a list of another shape', { kind: 'azure' as const, content: '{}', name: 'other.json' }],
    [
      'a list without a price',
      { kind: 'aws' as const, content: '{"products":{},"terms":{}}', name: 'none.json' },
    ],
    ['an open quote', { kind: 'aws' as const, content: 'SKU,x\n"A', name: 'open.csv' }],
  ])('refuses %s', async (_, { kind, content, name }) => {
    await expect(buildPriceBook([{ kind, source: file(name, content) }])).rejects.toThrow();
  });
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a price book file', () => {
  const header = JSON.stringify({
    format: PRICE_BOOK_FORMAT,
    version: 1,
    generated_at: '2026-01-01',
    sources: {},
  });
  const line = (fields: Record<number, unknown> = {}) =>
    JSON.stringify(
      Object.assign(
        ['aws', 'eu-west-3', 'nat_gateway/nat-gateway', 'hours', 'USD', '0.05', '2026-01-01', 'own'],
        fields,
      ),
    );
  const book = (...lines: string[]) =>
    file('own.ndjson', [header, ...lines].map((each) => `${each}\n`).join(''));

  it('ships prices that its facts write with an exponent', async () => {
    const shipped = await loadPriceBook([]);
    for (const [region, key, price] of [
      ['us-east-1', 'lambda_function/ephemeral-storage', '0.0000000309'],
      ['us-east-2', 'dynamodb_table/replicated-write-request-unit', '0.000000626027'],
      ['us-east-1', 'kinesis_stream/provisioned/put-request-unit', '0.000000014'],
    ] as const)
      expect([key, shipped.find('aws', region, key)?.text]).toEqual([key, price]);
  });

  it('lies over the shipped one, price by price, and has a version of its own', async () => {
    const shipped = await loadPriceBook([]);
    const own = await loadPriceBook([book(line(), line({ 1: 'us-east-1', 5: '0.01' }))]);
    expect(own.find('aws', 'eu-west-3', 'nat_gateway/nat-gateway')?.text).toBe('0.05');
    expect(own.find('aws', 'us-east-1', 'nat_gateway/nat-gateway')?.text).toBe('0.01');
    expect(own.find('aws', 'us-east-1', 'nat_gateway/data-processed')?.text).toBe('0.045');
    expect(own.version).not.toBe(shipped.version);
    expect((await loadPriceBook([])).version).toBe(shipped.version);
  });

  it.each([
    ['truncated', () => file('cut.ndjson.gz', gzipSync(`${header}\n${line()}\n`).subarray(0, 40))],
    ['without the end of its last line', () => file('cut.ndjson', `${header}\n${line()}`)],
    ['empty', () => file('empty.ndjson', '')],
    ['of a later version', () => file('later.ndjson', `${header.replace('"version":1', '"version":2')}\n`)],
    ['of another format', () => file('other.ndjson', '{"format":"x"}\n')],
    ['with a negative price', () => book(line({ 5: '-1' }))],
    ['with a price that is a number', () => book(line({ 5: 1 }))],
    ['with a doubled price', () => book(line(), line())],
    [
      'with tiers that descend',
      () =>
        book(
          line({
            5: [
              ['0', '1'],
              ['5', '1'],
              ['5', '2'],
            ],
          }),
        ),
    ],
    ['with tiers that begin late', () => book(line({ 5: [['1', '1']] }))],
    ['without currency', () => book(line({ 4: '' }))],
    ['with a line that is no JSON', () => book('{')],
    ['that is not there', () => join(folder, 'nowhere.ndjson')],
  ])('is refused %s', async (_, path) => {
    await expect(readPriceBookFile(path())).rejects.toThrow(BrokenPriceBook);
  });

  it('is checked for what is implausible, missing or broken', async () => {
    const standard = await loadPriceBook([]);
    const { problems } = await checkPriceBook(book(line({ 5: '45' }), line({ 1: 'eu-west-1' })), standard);
    expect(problems.map(({ kind }) => kind)).toEqual(['implausible', 'missing', 'missing']);
    expect(problems[0]?.text).toContain('eu-west-3 nat_gateway/nat-gateway: 45');
    expect((await checkPriceBook(book(line(), line()), standard)).problems).toEqual([
      { kind: 'broken', text: expect.stringContaining('doubled') as string },
    ]);
  });
});
