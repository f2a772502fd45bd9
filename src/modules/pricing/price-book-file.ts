import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createGunzip, gzipSync } from 'node:zlib';
import { Decimal } from './decimal.js';
import { Price, PriceBook, type PriceBookPart, type PriceSource, type PriceTable } from './price-book.js';

/** The format's name and version; a later version is refused. */
export const PRICE_BOOK_FORMAT = 'infrastate-price-book';
export const PRICE_BOOK_VERSION = 1;
const NAME = /\.ndjson(\.gz)?$/;
/** Bytes that one line may have. */
const MAX_LINE_BYTES = 100_000;
const AMOUNT = /^\d{1,30}(\.\d{1,40})?$/;

/** The book that ships with the service. */
export const SHIPPED_PRICE_BOOK = join(__dirname, 'shipped-prices.ndjson.gz');

/** One line of a price book file: provider, region, key, unit, currency, price or tiers, date, source, mark. */
export type PriceLine = [
  provider: string,
  region: string,
  key: string,
  unit: string,
  currency: string,
  amount: string | [string, string][],
  date: string,
  source: string,
  mark?: string,
];

export interface PriceBookHeader {
  format: string;
  version: number;
  generated_at: string;
  sources: Record<string, PriceSource>;
}

/** A price book file that must not be used: truncated, of a later version, doubled or negative prices. */
export class BrokenPriceBook extends Error {
  override readonly name = 'BrokenPriceBook';
}

/** The shipped book with the files and folders of `paths` laid over it, later ones winning. */
export async function loadPriceBook(paths: readonly string[]): Promise<PriceBook> {
  const parts: PriceBookPart[] = [];
  for (const path of [SHIPPED_PRICE_BOOK, ...priceBookFiles(paths)])
    parts.push(await readPriceBookFile(path));
  return PriceBook.of(parts);
}

/** The files that `paths` name: a folder stands for its price book files by name. */
export function priceBookFiles(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path)
      .filter((name) => NAME.test(name))
      .sort()
      .map((name) => join(path, name));
  });
}

export async function readPriceBookFile(path: string): Promise<PriceBookPart> {
  try {
    return await readPart(path);
  } catch (error) {
    if (error instanceof BrokenPriceBook) throw new BrokenPriceBook(`${path}: ${error.message}`);
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new BrokenPriceBook(`${path}: file cannot be read (${code})`, { cause: error });
  }
}

async function readPart(path: string): Promise<PriceBookPart> {
  const reader = new PartReader();
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  const bytes = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  // A pipe does not forward an error of its source.
  file.on('error', (error) => bytes.destroy(error));
  for await (const chunk of bytes as AsyncIterable<Buffer>) reader.add(chunk);
  return reader.end();
}

class PartReader {
  private readonly hash = createHash('sha256');
  private readonly prices: PriceTable = new Map();
  private readonly texts = new Map<string, string>();
  private header?: PriceBookHeader;
  private rest: Buffer = Buffer.alloc(0);
  private lineNumber = 0;

  add(chunk: Buffer): void {
    this.hash.update(chunk);
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    const end = bytes.lastIndexOf(10);
    this.rest = Buffer.from(bytes.subarray(end + 1));
    if (this.rest.length > MAX_LINE_BYTES)
      throw new BrokenPriceBook(`line ${this.lineNumber + 1} exceeds ${MAX_LINE_BYTES} bytes`);
    if (end >= 0) for (const line of bytes.toString('utf8', 0, end).split('\n')) this.read(line);
  }

  end(): PriceBookPart {
    if (this.rest.length > 0) throw new BrokenPriceBook('file is truncated: the last line has no end');
    if (this.header === undefined) throw new BrokenPriceBook('file is empty');
    return {
      version: this.hash.digest('hex').slice(0, 16),
      generatedAt: this.header.generated_at,
      sources: this.header.sources,
      prices: this.prices,
    };
  }

  private read(text: string): void {
    this.lineNumber++;
    const line = this.parse(text);
    if (this.header === undefined) {
      this.header = headerOf(line);
      return;
    }
    const problem = problemOf(line);
    if (problem !== undefined) throw new BrokenPriceBook(`line ${this.lineNumber}: ${problem}`);
    const [provider, region, key, unit, currency, amount, date, source, mark] = line as PriceLine;
    const keys = this.keysOf(provider, region);
    const size = keys.size;
    keys.set(
      key,
      new Price(this.one(unit), this.one(currency), amount, this.one(date), this.one(source), mark),
    );
    if (keys.size === size)
      throw new BrokenPriceBook(`line ${this.lineNumber}: price ${provider} ${region} ${key} is doubled`);
  }

  private parse(text: string): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new BrokenPriceBook(`line ${this.lineNumber} must be JSON`);
    }
  }

  private keysOf(provider: string, region: string): Map<string, Price> {
    let regions = this.prices.get(provider);
    if (regions === undefined) this.prices.set(provider, (regions = new Map<string, Map<string, Price>>()));
    let keys = regions.get(region);
    if (keys === undefined) regions.set(region, (keys = new Map<string, Price>()));
    return keys;
  }

  /** One copy of texts that a million lines share. */
  private one(text: string): string {
    const known = this.texts.get(text);
    if (known !== undefined) return known;
    this.texts.set(text, text);
    return text;
  }
}

function headerOf(line: unknown): PriceBookHeader {
  const header = line as Partial<PriceBookHeader> | null;
  if (typeof header !== 'object' || header === null || header.format !== PRICE_BOOK_FORMAT)
    throw new BrokenPriceBook(`line 1 must be the header of format ${PRICE_BOOK_FORMAT}`);
  if (header.version !== PRICE_BOOK_VERSION)
    throw new BrokenPriceBook(
      `version ${String(header.version)} is not supported; this service reads version ${PRICE_BOOK_VERSION}`,
    );
  return {
    format: header.format,
    version: header.version,
    generated_at: typeof header.generated_at === 'string' ? header.generated_at : '',
    sources: header.sources ?? {},
  };
}

/** What is wrong with a line's shape or amount; undefined when nothing is. */
export function problemOf(line: unknown): string | undefined {
  if (!Array.isArray(line) || line.length < 8 || line.length > 9) return 'a price must have 8 or 9 fields';
  const fields = line as unknown[];
  const texts = fields.filter((_, index) => index !== 5);
  if (!texts.every((field) => typeof field === 'string')) return 'fields other than the price must be text';
  if (!/^[A-Z]{3}$/.test(String(fields[4]))) return 'currency must be an ISO code';
  return amountProblem(fields[5]);
}

function amountProblem(amount: unknown): string | undefined {
  if (typeof amount === 'string')
    return AMOUNT.test(amount) ? undefined : 'price must be a decimal that is not negative';
  if (!Array.isArray(amount) || amount.length === 0) return 'price must be a decimal or a list of tiers';
  let last = Decimal.of(-1);
  for (const tier of amount as unknown[]) {
    const [from, price] = Array.isArray(tier) ? (tier as unknown[]) : [];
    if (typeof from !== 'string' || typeof price !== 'string' || !AMOUNT.test(from) || !AMOUNT.test(price))
      return 'a tier must be two decimals that are not negative';
    const bound = Decimal.of(from);
    if (last.isNegative() ? !bound.isZero() : !bound.isMore(last)) return 'tiers must begin at 0 and ascend';
    last = bound;
  }
  return undefined;
}
/** The bytes of a price book file; equal input gives equal bytes. */
export function writePriceBook(
  header: Omit<PriceBookHeader, 'format' | 'version'>,
  lines: readonly PriceLine[],
): Buffer {
  const first = { format: PRICE_BOOK_FORMAT, version: PRICE_BOOK_VERSION, ...header };
  return gzipSync([first, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''), { level: 9 });
}
