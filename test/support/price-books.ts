import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Key of the hour of an m5.large, and of a GB of the volume type that root volumes have by default. */
export const M5_LARGE = 'ec2/instance/linux/shared/on_demand/m5.large';
export const GP2 = 'ebs/gp2/storage';

export interface BookPrice {
  region: string;
  key: string;
  amount: string;
  currency?: string;
}

/** A price book file for AWS, one price a line. */
export function priceBookText(prices: readonly BookPrice[], header: object = {}): string {
  const head = {
    format: 'infrastate-price-book',
    version: 1,
    generated_at: '2026-02-01',
    sources: { own: { title: 'own contract', licence: 'none' } },
    ...header,
  };
  const lines = prices.map(({ region, key, amount, currency = 'USD' }) => [
    'aws',
    region,
    key,
    'hours',
    currency,
    amount,
    '2026-02-01',
    'own',
  ]);
  return [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Prices in euros for a region: 0.10 an hour and 1.00 a GB, so that a default server costs 81.00. */
export function euroPrices(region: string): BookPrice[] {
  return [
    { region, key: M5_LARGE, amount: '0.10', currency: 'EUR' },
    { region, key: GP2, amount: '1', currency: 'EUR' },
  ];
}

export function writePriceBook(folder: string, name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
