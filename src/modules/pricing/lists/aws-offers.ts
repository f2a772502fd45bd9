import { Decimal } from '../decimal.js';
import { placeAwsProduct } from './aws-products.js';
import { csvRows } from './csv-rows.js';
import { jsonRecords } from './json-records.js';
import type { ListedPrice, Placed } from './listed-price.js';
import { isRecord } from '../../../platform/json/is-record.js';

/** An AWS offer file: https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/reading-service-price-list-file-for-services.html */

interface Product {
  region: string;
  placed: Placed;
}

/** JSON: products come before terms. */
export async function* awsOffersJson(chunks: AsyncIterable<Buffer>): AsyncGenerator<ListedPrice> {
  const products = new Map<string, Product>();
  const wanted = (path: readonly string[]) =>
    (path.length === 2 && path[0] === 'products') ||
    (path.length === 3 && path[0] === 'terms' && path[1] === 'OnDemand');
  for await (const { path, value } of jsonRecords(chunks, wanted)) {
    if (path[0] === 'products') {
      const product = productOf(value);
      if (product) products.set(path[1] ?? '', product);
      continue;
    }
    const product = products.get(path[2] ?? '');
    if (product) yield* termPrices(product, value);
  }
}

function productOf(value: unknown): Product | undefined {
  if (!isRecord(value) || !isRecord(value['attributes'])) return undefined;
  const attributes = textsOf(value['attributes']);
  const placed = placeAwsProduct(textOf(value['productFamily']), attributes);
  const region = attributes['regionCode'] ?? '';
  return placed && region !== '' ? { placed, region } : undefined;
}

function* termPrices({ placed, region }: Product, terms: unknown): Generator<ListedPrice> {
  for (const term of isRecord(terms) ? Object.values(terms) : []) {
    const dimensions = isRecord(term) ? term['priceDimensions'] : undefined;
    const date = isRecord(term) ? textOf(term['effectiveDate']).slice(0, 10) : '';
    for (const dimension of isRecord(dimensions) ? Object.values(dimensions) : []) {
      if (!isRecord(dimension) || !isRecord(dimension['pricePerUnit'])) continue;
      for (const [currency, text] of Object.entries(dimension['pricePerUnit'])) {
        const listed = listedPrice({
          placed,
          region,
          currency,
          date,
          price: String(text),
          from: textOf(dimension['beginRange']) || '0',
        });
        if (listed) yield listed;
      }
    }
  }
}

/** CSV: five lines about the file, the names of the columns, one line a price. */
export async function* awsOffersCsv(chunks: AsyncIterable<Buffer>): AsyncGenerator<ListedPrice> {
  let columns: string[] | undefined;
  for await (const row of csvRows(chunks)) {
    if (columns === undefined) {
      if (row[0] === 'SKU') columns = row.map(attributeName);
      continue;
    }
    const names = columns;
    const listed = csvPrice(Object.fromEntries(row.map((field, index) => [names[index] ?? '', field])));
    if (listed) yield listed;
  }
  if (columns === undefined) throw new Error('CSV file is not an AWS offer: no line begins with SKU');
}

function csvPrice(record: Record<string, string>): ListedPrice | undefined {
  if (record['termType'] !== 'OnDemand') return undefined;
  const placed = placeAwsProduct(record['productFamily'] ?? '', record);
  const region = record['regionCode'] ?? '';
  if (placed === undefined || region === '') return undefined;
  return listedPrice({
    placed,
    region,
    currency: record['currency'] ?? '',
    date: record['effectiveDate'] ?? '',
    price: record['pricePerUnit'] ?? '',
    from: record['startingRange'] || '0',
  });
}

/** `Product Family` is `productFamily` in JSON, `usageType` is `usagetype`. */
const SAME_NAMES: Record<string, string> = {
  usageType: 'usagetype',
  capacityStatus: 'capacitystatus',
  'pre Installed S/W': 'preInstalledSw',
};

function attributeName(column: string): string {
  const words = column.split(' ');
  const name = words
    .map((word, index) => (index === 0 ? word.charAt(0).toLowerCase() + word.slice(1) : word))
    .join('');
  if (column === 'Pre Installed S/W') return 'preInstalledSw';
  return SAME_NAMES[name] ?? name;
}

interface Raw {
  placed: Placed;
  region: string;
  currency: string;
  date: string;
  price: string;
  from: string;
}

function listedPrice({ placed, region, currency, date, price, from }: Raw): ListedPrice | undefined {
  const amount = Decimal.parse(price);
  const begin = Decimal.parse(from);
  if (amount === undefined || begin === undefined || !/^[A-Z]{3}$/.test(currency)) return undefined;
  const times = Decimal.of(placed.times ?? '1');
  return {
    provider: 'aws',
    region,
    key: placed.key,
    unit: placed.unit,
    currency,
    price: amount.times(times),
    from: begin.isZero() ? Decimal.ZERO : begin.dividedBy(times),
    date,
  };
}

function textsOf(attributes: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
