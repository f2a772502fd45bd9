import {
  tenantTransactionsList,
  transactionsAbort,
  transactionsGet,
  transactionsLogs,
  transactionsPlanOperations,
  type TransactionView,
} from '@infrastate/sdk';
import type { Context } from '../context/context.js';
import { UsageFailure } from '../failure.js';
import { table } from '../output/table.rules.js';
import { printableLine } from '../output/printable.rules.js';
import { elementsOf, membersOf } from '../query/raw-json.rules.js';
import { answer } from '../service/api-client.js';
import { collect, rowsOf } from '../service/pages.js';
import type { RegisterCommand } from './command.js';

interface ListOptions {
  limit?: string;
  all?: boolean;
  from?: string;
  to?: string;
}

const LISTED = 20;
const PAGE = 1000;

export const registerTransactions: RegisterCommand = (program, run) => {
  const tx = program.command('tx').description('transactions of a tenant');
  tx.command('list')
    .description('list transactions, newest first')
    .option('--limit <n>', `maximum number of rows (default ${LISTED})`)
    .option('--all', 'list all transactions')
    .option('--from <time>', 'created at or after this time, ISO 8601')
    .option('--to <time>', 'created at or before this time, ISO 8601')
    .action(run<ListOptions>(list));
  tx.command('show').argument('<id>').description('show a transaction and its plan').action(run(show));
  tx.command('abort').argument('<id>').description('abort a transaction').action(run(abort));
  tx.command('logs').argument('<id>').description('list the log entries of a transaction').action(run(logs));
};

async function list(context: Context, _args: readonly string[], options: ListOptions): Promise<void> {
  const limit = options.all ? Infinity : numberOf(options.limit ?? String(LISTED));
  const tenantId = await context.tenantId();
  const { from, to } = options;
  const results = await collect(
    rowsOf((page) =>
      answer(
        tenantTransactionsList({
          client: context.api(),
          path: { tenantId },
          query: {
            limit: Math.min(limit, PAGE),
            ...(page === undefined ? {} : { page }),
            ...(from === undefined ? {} : { from }),
            ...(to === undefined ? {} : { to }),
          },
        }),
      ),
    ),
    limit,
  );
  await context.output.result({ results }, () =>
    table(
      ['CREATED', 'STATE', 'PLAN', 'BY', 'STATES', 'ID'],
      results.map((tx) => [
        tx.created_at,
        tx.state,
        planOf(tx),
        tx.created_by_name ?? '',
        tx.state_names.join(', '),
        tx.id,
      ]),
      context.output.width,
    ),
  );
}

async function show(context: Context, [txId = '']: readonly string[]): Promise<void> {
  const client = context.api();
  const details = await answer(transactionsGet({ client, path: { txId } }));
  const operations = await collect(
    rowsOf((page) =>
      answer(
        transactionsPlanOperations({
          client,
          path: { txId },
          query: { limit: PAGE, ...(page === undefined ? {} : { page }) },
        }),
      ),
    ),
  );
  await context.output.result({ ...details, plan_operations: operations }, () =>
    [
      ...describe(details.tx),
      ...(details.share_url ? [`shown at   ${details.share_url}`] : []),
      ...operations.map(({ operation, address }) => `  ${operation.padEnd(8)} ${printableLine(address)}`),
    ].join('\n'),
  );
}

async function abort(context: Context, [txId = '']: readonly string[]): Promise<void> {
  // Ending twice ends once.
  const tx = await answer(transactionsAbort({ client: context.api('all'), path: { txId } }));
  await context.output.result(tx, () => `transaction ${tx.id} is ${tx.state}`);
}

/** Entries as they were logged, digit by digit, a page in memory at a time. */
async function logs(context: Context, [txId = '']: readonly string[]): Promise<void> {
  const { output } = context;
  const entries = rowsOf(async (page) => {
    const call = transactionsLogs({
      client: context.api(),
      path: { txId },
      query: { limit: PAGE, ...(page === undefined ? {} : { page }) },
      parseAs: 'text',
    });
    const members = membersOf((await answer(call)) as unknown as string);
    const next = members.get('next_page');
    return {
      results: elementsOf(members.get('results') ?? '[]'),
      ...(next === undefined ? {} : { next_page: JSON.parse(next) as string }),
    };
  });
  let written = 0;
  for await (const entry of entries) {
    if (output.json) await output.write(`${written === 0 ? '{"results": [\n' : ',\n'}  ${entry}`);
    else await output.write(`${lineOf(entry)}\n`);
    written++;
  }
  if (output.json) await output.write(written === 0 ? '{"results": []}\n' : '\n]}\n');
  else output.printNote(`${written} ${written === 1 ? 'entry' : 'entries'}`);
}

function lineOf(entry: string): string {
  const { created_at, action, object_type, data } = JSON.parse(entry) as {
    created_at: string;
    action: string;
    object_type: string;
    data: Record<string, unknown>;
  };
  const name = ['address', 'node_id', 'filepath', 'name', 'config_addr', 'file']
    .map((key) => data[key])
    .find((value) => typeof value === 'string');
  return printableLine(
    [created_at, action.padEnd(15), object_type.padEnd(15), name ?? ''].join(' ').trimEnd(),
  );
}

function describe(tx: TransactionView): string[] {
  const lines: [string, string][] = [
    ['id', tx.id],
    ['state', tx.state],
    ['created', `${tx.created_at}${tx.created_by_name ? ` by ${tx.created_by_name}` : ''}`],
    ['completed', tx.completed_at ?? ''],
    ['states', tx.state_names.join(', ')],
    ['tags', Object.keys(tx.tags).length > 0 ? JSON.stringify(tx.tags) : ''],
    ['plan', planOf(tx)],
  ];
  return lines
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label.padEnd(10)} ${printableLine(value)}`);
}

function planOf({ plan_summary: plan }: TransactionView): string {
  return `+${plan.add} ~${plan.change} -${plan.destroy}`;
}

function numberOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageFailure('--limit is a number from 1');
  return Number(text);
}
