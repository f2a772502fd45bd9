import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  BrokenPriceBook,
  buildPriceBook,
  checkPriceBook,
  LIST_KINDS,
  type ListKind,
  type ListSource,
  loadPriceBook,
  priceBookFiles,
} from './modules/pricing/index.js';

/** `node dist/price-book.js build|check|show`: price books from official lists, and what stands in them (docs/price-book.md). */

const USAGE = `usage:
  price-book build --out FILE.ndjson.gz KIND=FILE|ADDRESS ...   KIND is aws, azure or google
  price-book check FILE ...
  price-book show KEY [--book FILE|FOLDER ...]`;

class UsageError extends Error {}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { out: { type: 'string' }, book: { type: 'string', multiple: true } },
  });
  const [command, ...rest] = positionals;
  if (rest.length === 0) throw new UsageError(USAGE);
  if (command === 'build') return build(rest.map(sourceOf), values.out);
  if (command === 'check') return check(rest);
  if (command === 'show') return show(rest[0] ?? '', values.book ?? booksOfEnvironment());
  throw new UsageError(USAGE);
}

function sourceOf(argument: string): ListSource {
  const at = argument.indexOf('=');
  const kind = argument.slice(0, at);
  if (!isKind(kind) || at === argument.length - 1)
    throw new UsageError(`a source must look like aws=FILE, not ${argument}`);
  return { kind, source: argument.slice(at + 1) };
}

function isKind(text: string): text is ListKind {
  return (LIST_KINDS as readonly string[]).includes(text);
}

function booksOfEnvironment(): string[] {
  return (process.env['SERVICE_COST_PRICE_BOOK'] ?? '')
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '');
}

async function build(sources: readonly ListSource[], out: string | undefined): Promise<number> {
  if (out === undefined) throw new UsageError('build needs --out FILE.ndjson.gz');
  const { bytes, prices, generatedAt } = await buildPriceBook(sources);
  writeFileSync(out, bytes);
  say(`${out}: ${prices} prices, the newest of ${generatedAt || 'no date'}`);
  return 0;
}

/** 1 when a file must not be used; what is missing alone is no error. */
async function check(paths: readonly string[]): Promise<number> {
  const standard = await loadPriceBook([]);
  let status = 0;
  for (const path of priceBookFiles(paths)) {
    const { problems, prices } = await checkPriceBook(path, standard);
    say(`${path}: ${prices} prices, ${problems.length} problems`);
    for (const { kind, text } of problems) say(`  ${kind}: ${text}`);
    if (problems.some(({ kind }) => kind !== 'missing')) status = 1;
  }
  return status;
}

async function show(key: string, books: readonly string[]): Promise<number> {
  const book = await loadPriceBook(books);
  let found = 0;
  for (const { provider, region, price } of book.list(key)) {
    found++;
    const amount =
      typeof price.amount === 'string'
        ? price.amount
        : price.amount.map(([from, each]) => `from ${from}: ${each}`).join(', ');
    const source = book.sources[price.source]?.title ?? price.source;
    say(
      `${provider} ${region}  ${amount} ${price.currency} per ${price.unit}  ${price.date}${price.mark === undefined ? '' : `  ${price.mark}`}  ${source}`,
    );
  }
  if (found === 0) say(`no price for ${key}`);
  return found === 0 ? 1 : 0;
}

main(process.argv.slice(2)).then(
  (status) => process.exit(status),
  (error: unknown) => {
    const expected = error instanceof UsageError || error instanceof BrokenPriceBook;
    process.stderr.write(
      `${error instanceof Error ? (expected ? error.message : `price book failed: ${error.message}`) : 'price book failed'}\n`,
    );
    process.exit(expected ? 2 : 1);
  },
);
