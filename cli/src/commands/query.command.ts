import { text } from 'node:stream/consumers';
import type { Context } from '../context/context.js';
import { UsageFailure } from '../failure.js';
import { table } from '../output/table.rules.js';
import { pagesOfQuery, type QueryPage } from '../query/query-pages.js';
import { csv, rowsOfQuery } from '../query/rows.rules.js';
import type { RegisterCommand } from './command.js';

interface QueryOptions {
  csv?: boolean;
  all?: boolean;
  tz?: string;
}

const MORE = {
  'default-limit': 'there are more rows; --all gets them, LIMIT up to 1000 of them at once',
  unordered: 'there are more rows; ORDER BY makes it possible to get them with --all',
};

export const registerQuery: RegisterCommand = (program, run) => {
  program
    .command('query')
    .argument('<sql>', 'one SELECT; - reads it from stdin')
    .description('query all states with SQL')
    .option('--csv', 'print CSV')
    .option('--all', 'get all rows; the query must have ORDER BY')
    .option('--tz <zone>', 'time zone of timestamps, such as Europe/Berlin')
    .action(run<QueryOptions>(query));
};

async function query(context: Context, [sql = '']: readonly string[], options: QueryOptions): Promise<void> {
  const { output, streams } = context;
  if (options.csv && output.json) throw new UsageFailure('--json and --csv exclude each other');
  const print = output.json ? printJson : options.csv ? printCsv : printTable;
  const more = await print(
    context,
    pagesOfQuery(context, {
      sql: sql === '-' ? await text(streams.stdin) : sql,
      tz: options.tz,
      all: options.all === true,
    }),
  );
  if (more) output.printNote(MORE[more]);
}

type Print = (context: Context, pages: AsyncIterable<QueryPage>) => Promise<QueryPage['more']>;

/** The pages as one array, none of them held longer than it takes to write it. */
const printJson: Print = async ({ output }, pages) => {
  let [written, more]: [number, QueryPage['more']] = [0, undefined];
  for await (const page of pages) {
    for (const row of page.rows) await output.write(`${written++ === 0 ? '[\n' : ',\n'}  ${row}`);
    more = page.more;
  }
  await output.write(written === 0 ? '[]\n' : '\n]\n');
  return more;
};

const printCsv: Print = async ({ output }, pages) => {
  let [first, more]: [boolean, QueryPage['more']] = [true, undefined];
  for await (const page of pages) {
    const text = csv(rowsOfQuery(page.rows));
    await output.write(first ? text : text.slice(text.indexOf('\n') + 1));
    [first, more] = [false, page.more];
  }
  return more;
};

const printTable: Print = async ({ output }, pages) => {
  const rows: string[] = [];
  let more: QueryPage['more'];
  for await (const page of pages) {
    rows.push(...page.rows);
    more = page.more;
  }
  const { columns, cells } = rowsOfQuery(rows);
  if (columns.length > 0) {
    const lines = cells.map((line) => line.map((value) => value ?? ''));
    await output.write(`${table(columns, lines, output.width)}\n`);
  }
  output.printNote(`${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`);
  return more;
};
