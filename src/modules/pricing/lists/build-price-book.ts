import { writePriceBook } from '../price-book-file.js';
import { awsOffersCsv, awsOffersJson } from './aws-offers.js';
import { azureRetail } from './azure-retail.js';
import { googleSkus } from './google-skus.js';
import { openList, withoutQuery } from './list-source.js';
import { type ListedPrice, PriceLines } from './listed-price.js';

/** Which official list a source is. */
export const LIST_KINDS = ['aws', 'azure', 'google'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

export interface ListSource {
  kind: ListKind;
  /** a file or an `http(s)` address */
  source: string;
}

export interface BuiltBook {
  bytes: Buffer;
  prices: number;
  /** newest date of a price */
  generatedAt: string;
}

const TITLES: Record<ListKind, string> = {
  aws: 'AWS price list, offer files',
  azure: 'Azure retail prices',
  google: 'Google Cloud Billing catalogue',
};

/** Reads official lists while they stream past and keeps what rules can ask for. */
export async function buildPriceBook(sources: readonly ListSource[]): Promise<BuiltBook> {
  const lines = new Map<ListKind, PriceLines>();
  let generatedAt = '';
  for (const { kind, source } of sources) {
    const prices = lines.get(kind) ?? new PriceLines();
    lines.set(kind, prices);
    const before = prices.size;
    for await (const price of readList(kind, source)) {
      prices.add(price);
      if (price.date > generatedAt) generatedAt = price.date;
    }
    if (prices.size === before) throw new Error(`${withoutQuery(source)} has no price that rules ask for`);
  }
  const all = [...lines].flatMap(([kind, prices]) => prices.lines(kind));
  const header = {
    generated_at: generatedAt,
    sources: Object.fromEntries(
      [...lines.keys()].map((kind) => [kind, { title: TITLES[kind], licence: 'terms of the provider' }]),
    ),
  };
  return { bytes: writePriceBook(header, all), prices: all.length, generatedAt };
}

async function* readList(kind: ListKind, source: string): AsyncGenerator<ListedPrice> {
  if (kind === 'azure') yield* azureRetail(source);
  else if (kind === 'google') yield* googleSkus(source);
  else if (/\.csv(\.gz)?$/.test(withoutQuery(source))) yield* awsOffersCsv(await openList(source));
  else yield* awsOffersJson(await openList(source));
}
