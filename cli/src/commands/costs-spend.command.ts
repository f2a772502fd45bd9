import {
  billingSourcesCreate,
  billingSourcesList,
  billingSourcesRemove,
  billingSourcesUpdate,
  type BillingSourceView,
  billingSyncsSync,
  stateSpendActuals,
  tenantSpendAttribution,
  tenantSpendUnmanaged,
} from '@infrastate/sdk';
import type { Context } from '../context/context.js';
import { NO_AMOUNT } from '../costs/cost-tables.js';
import { estimatedSpend } from '../costs/estimated-spend.js';
import { UsageFailure } from '../failure.js';
import { table } from '../output/table.rules.js';
import { answer } from '../service/api-client.js';
import { collect, rowsOf } from '../service/pages.js';
import { findState } from '../states/state-lookup.js';
import type { RegisterCommand } from './command.js';

interface Money {
  currency?: string;
}
interface SourceOptions {
  region?: string;
  months?: string;
  byHand?: boolean;
  daily?: boolean;
}

const PROVIDERS = ['aws', 'gcp', 'azure'] as const;
const CURRENCY = [
  '--currency <code>',
  'currency of the answer (default: the one with the most lines)',
] as const;

/** What was billed, and where bills are read from. */
export const registerSpend: RegisterCommand = (costs, run) => {
  costs
    .command('actuals')
    .argument('<state>', 'name or id')
    .description('show what was billed for the instances of a state, beside the estimate for the same days')
    .option(...CURRENCY)
    .action(run<Money>(actuals));
  costs
    .command('attribution')
    .description('show which part of the bill belongs to instances of states')
    .option(...CURRENCY)
    .action(run<Money>(attribution));
  costs
    .command('unmanaged')
    .description('list billed resources that no state manages, most expensive first')
    .option('--limit <n>', 'maximum number of resources')
    .option(...CURRENCY)
    .action(run<Money & { limit?: string }>(unmanaged));
  const sources = costs.command('sources').description('where bills are read from');
  sources.command('list').description('list the billing sources').action(run(listSources));
  sources
    .command('add')
    .argument('<provider>', 'aws, gcp or azure')
    .argument('<address>', 's3://…, gs://…, abfss://… or file:///…')
    .description('add a billing source')
    .option('--region <region>', 'region of an S3 bucket')
    .option('--months <n>', 'number of months that every sync loads again (default 2)')
    .option('--by-hand', 'turn off scheduled syncs')
    .action(run<SourceOptions>(addSource));
  sources
    .command('change')
    .argument('<id>')
    .description('change a billing source; options that you leave out keep their value')
    .option('--region <region>', 'region of an S3 bucket')
    .option('--months <n>', 'number of months that every sync loads again')
    .option('--by-hand', 'turn off scheduled syncs')
    .option('--daily', 'turn on scheduled syncs')
    .action(run<SourceOptions>(changeSource));
  sources
    .command('sync')
    .argument('<id>')
    .description('load the files of a billing source')
    .option('--from <date>', 'first day whose rows are replaced')
    .action(run<{ from?: string }>(syncSource));
  sources
    .command('delete')
    .argument('<id>')
    .description('delete a billing source and its loaded rows')
    .action(run(removeSource));
};

async function actuals(context: Context, [name = '']: readonly string[], { currency }: Money): Promise<void> {
  const { id: stateId } = await findState(context, name);
  const client = context.api();
  const spend = await answer(
    stateSpendActuals({ client, path: { stateId }, query: currency ? { currency } : {} }),
  );
  const estimates = context.output.json
    ? new Map<string, string>()
    : await estimatedSpend(client, stateId, spend);
  await context.output.result(spend, () =>
    [
      table(
        ['ADDRESS', 'ESTIMATED', 'BILLED', 'LINES'],
        spend.resources.map((row) => [
          row.address,
          estimates.get(row.address) ?? NO_AMOUNT,
          row.billed_cost,
          String(row.line_count),
        ]),
        context.output.width,
      ),
      '',
      `${money(spend.billed_cost, spend.currency)} in ${spend.line_count} lines${period(spend)}`,
      ...others(spend.other_currencies),
    ].join('\n'),
  );
}

async function attribution(context: Context, _args: readonly string[], { currency }: Money): Promise<void> {
  const tenantId = await context.tenantId();
  const spend = await answer(
    tenantSpendAttribution({
      client: context.api(),
      path: { tenantId },
      query: currency ? { currency } : {},
    }),
  );
  const row = (name: string, parts: typeof spend | (typeof spend.by_provider)[number]): string[] => [
    name,
    parts.total_cost,
    parts.attributed_cost,
    parts.unmanaged_cost,
    parts.unallocated_cost,
    `${parts.coverage_percent} %`,
  ];
  await context.output.result(spend, () =>
    [
      table(
        ['PROVIDER', 'TOTAL', 'ATTRIBUTED', 'UNMANAGED', 'UNALLOCATED', 'EXPLAINED'],
        [...spend.by_provider.map((parts) => row(parts.provider, parts)), row('all', spend)],
        context.output.width,
      ),
      '',
      `${money(spend.total_cost, spend.currency)} in ${spend.line_count} lines${period(spend)}`,
      ...others(spend.other_currencies),
    ].join('\n'),
  );
}

async function unmanaged(
  context: Context,
  _args: readonly string[],
  { currency, limit }: Money & { limit?: string },
): Promise<void> {
  const tenantId = await context.tenantId();
  const client = context.api();
  const most = limit === undefined ? Infinity : wholeNumber('--limit', limit);
  const rows = rowsOf((page) =>
    answer(
      tenantSpendUnmanaged({
        client,
        path: { tenantId },
        query: { ...(currency ? { currency } : {}), ...(page === undefined ? {} : { page }) },
      }),
    ),
  );
  const results = await collect(rows, most);
  await context.output.result({ results }, () =>
    table(
      ['RESOURCE', 'BILLED', 'PROVIDER', 'SERVICE', 'REGION'],
      results.map((row) => [
        row.resource_id,
        money(row.billed_cost, row.currency),
        row.provider,
        row.service_name ?? '',
        row.region_id ?? '',
      ]),
      context.output.width,
    ),
  );
}

async function listSources(context: Context): Promise<void> {
  const path = { tenantId: await context.tenantId() };
  const list = await answer(billingSourcesList({ client: context.api(), path }));
  await context.output.result(list, () =>
    table(
      ['ADDRESS', 'PROVIDER', 'STATUS', 'LINES', 'SYNCED', 'ID'],
      list.results.map((source) => [
        source.source_uri,
        source.provider,
        statusOf(source),
        source.last_row_count === undefined ? '' : String(source.last_row_count),
        source.last_synced_at ?? 'never',
        source.id,
      ]),
      context.output.width,
    ),
  );
}

async function addSource(
  context: Context,
  [named = '', address = '']: readonly string[],
  options: SourceOptions,
): Promise<void> {
  const provider = PROVIDERS.find((known) => known === named);
  if (!provider) throw new UsageFailure('the provider must be aws, gcp or azure');
  const source = await answer(
    billingSourcesCreate({
      client: context.api(),
      path: { tenantId: await context.tenantId() },
      body: { provider, source_uri: address, ...settingsOf(options) },
    }),
  );
  await context.output.result(source, () => `added billing source ${source.id}`);
}

async function changeSource(
  context: Context,
  [billingSourceId = '']: readonly string[],
  options: SourceOptions,
): Promise<void> {
  if (options.byHand && options.daily) throw new UsageFailure('--by-hand and --daily exclude each other');
  const source = await answer(
    billingSourcesUpdate({
      client: context.api(),
      path: { tenantId: await context.tenantId(), billingSourceId },
      body: settingsOf(options),
    }),
  );
  await context.output.result(source, () => `changed billing source ${source.id}`);
}

async function syncSource(
  context: Context,
  [billingSourceId = '']: readonly string[],
  { from }: { from?: string },
): Promise<void> {
  const started = await answer(
    billingSyncsSync({
      client: context.api(),
      path: { tenantId: await context.tenantId(), billingSourceId },
      body: from === undefined ? {} : { window_start: from },
    }),
  );
  await context.output.result(started, () => `task ${started.task.id} is ${started.task.state}`);
}

async function removeSource(context: Context, [billingSourceId = '']: readonly string[]): Promise<void> {
  const path = { tenantId: await context.tenantId(), billingSourceId };
  await answer(billingSourcesRemove({ client: context.api(), path }));
  await context.output.result({ id: billingSourceId, deleted: true }, () => 'deleted');
}

function settingsOf({ region, months, byHand, daily }: SourceOptions) {
  return {
    ...(region === undefined ? {} : { region }),
    ...(months === undefined ? {} : { window_months: wholeNumber('--months', months) }),
    ...(byHand ? { enabled: false } : daily ? { enabled: true } : {}),
  };
}

function statusOf({ last_status: status, last_error: error }: BillingSourceView): string {
  if (status === undefined) return 'not synced';
  return status === 'error' && error !== undefined ? `error: ${error}` : status;
}

function money(cost: string, currency: string | undefined): string {
  return currency === undefined ? cost : `${cost} ${currency}`;
}

function period({
  window_start: start,
  window_end: end,
}: {
  window_start?: string;
  window_end?: string;
}): string {
  return start === undefined || end === undefined ? '' : ` from ${start} to ${end}`;
}

function others(currencies: readonly string[] = []): string[] {
  return currencies.length === 0 ? [] : [`further lines in ${currencies.join(', ')}: see --currency`];
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageFailure(`${name} must be a whole number`);
  return Number(text);
}
