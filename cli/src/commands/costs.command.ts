import {
  stateCostsCalculate,
  stateCostsFind,
  stateCostsUnsupported,
  tenantCostsFind,
  tenantCostsFindHistory,
  tenantCostsTagKeys,
  transactionCostsFind,
} from '@infrastate/sdk';
import type { Context } from '../context/context.js';
import { amount, breakdownTable, deltaTable, instanceTable } from '../costs/cost-tables.js';
import { table } from '../output/table.rules.js';
import { answer } from '../service/api-client.js';
import { findState } from '../states/state-lookup.js';
import type { RegisterCommand } from './command.js';
import { registerSpend } from './costs-spend.command.js';
import { registerUsage } from './costs-usage.command.js';

interface Money {
  currency?: string;
}

const CURRENCY = ['--currency <code>', 'currency to answer in, such as EUR'] as const;

export const registerCosts: RegisterCommand = (program, run) => {
  const costs = program.command('costs').description('estimated costs of states and plans');
  costs
    .command('state')
    .argument('<state>', 'name or id')
    .description('show what a state costs, instance by instance')
    .option('--calculate', 'start a new cost estimate; it is ready when the task has ended')
    .action(run<{ calculate?: boolean }>(ofState));
  costs
    .command('unsupported')
    .argument('<state>', 'name or id')
    .description('list the instances that are not priced, and why')
    .action(run(unsupported));
  costs
    .command('tenant')
    .description('show what all states of a tenant cost')
    .option('--tag-key <key>', 'group by the values of this tag too')
    .option(...CURRENCY)
    .action(run<Money & { tagKey?: string }>(ofTenant));
  costs
    .command('history')
    .description('show what all states of a tenant cost at the end of each day')
    .option('--from <timestamp>', 'start, such as 2026-01-01T00:00:00Z (default: 30 days ago)')
    .option('--to <timestamp>', 'end (default: now)')
    .option('--group-by <what>', 'provider, type or tag')
    .option('--tag-key <key>', 'the tag to group by')
    .option(...CURRENCY)
    .action(run<HistoryOptions>(history));
  costs.command('tag-keys').description('list the tags that costs can be grouped by').action(run(tagKeys));
  costs
    .command('tx')
    .argument('<id>')
    .description('show the estimated costs before and after the plan of a transaction')
    .option(...CURRENCY)
    .action(run<Money>(ofTransaction));
  registerUsage(costs, run);
  registerSpend(costs, run);
};

async function ofState(
  context: Context,
  [name = '']: readonly string[],
  { calculate }: { calculate?: boolean },
): Promise<void> {
  const { id: stateId } = await findState(context, name);
  const client = context.api();
  if (calculate) {
    const task = await answer(stateCostsCalculate({ client, path: { stateId } }));
    await context.output.result(task, () => `task ${task.id} is ${task.state}`);
    return;
  }
  const costs = await answer(stateCostsFind({ client, path: { stateId } }));
  await context.output.result(costs, () =>
    [
      instanceTable(costs.instance_costs, context.output.width),
      '',
      `${amount(costs.monthly_cost, costs.currency)} a month; ${coverage(costs.coverage_percent)}`,
      ...(costs.other_currencies ?? []).map((other) => `and ${amount(other.monthly_cost, other.currency)}`),
    ].join('\n'),
  );
}

async function unsupported(context: Context, [name = '']: readonly string[]): Promise<void> {
  const { id: stateId } = await findState(context, name);
  const list = await answer(stateCostsUnsupported({ client: context.api(), path: { stateId } }));
  await context.output.result(list, () =>
    table(
      ['ADDRESS', 'WHY'],
      list.resources.map((row) => [row.address, row.reason]),
      context.output.width,
    ),
  );
}

async function ofTenant(
  context: Context,
  _args: readonly string[],
  { tagKey, currency }: Money & { tagKey?: string },
): Promise<void> {
  const tenantId = await context.tenantId();
  const costs = await answer(
    tenantCostsFind({
      client: context.api(),
      path: { tenantId },
      query: { ...(tagKey === undefined ? {} : { tag_key: tagKey }), ...(currency ? { currency } : {}) },
    }),
  );
  const { width } = context.output;
  await context.output.result(costs, () =>
    [
      table(
        ['STATE', 'WORKSPACE', 'INSTANCES', 'A MONTH', 'PRICED'],
        costs.states.map((state) => [
          state.state_name,
          state.workspace,
          String(state.resource_count),
          amount(state.monthly_cost, undefined),
          `${state.coverage_percent} %`,
        ]),
        width,
      ),
      breakdownTable('PROVIDER', costs.by_provider, width),
      breakdownTable('TYPE', costs.by_type, width),
      ...(tagKey === undefined ? [] : [breakdownTable(tagKey, costs.by_tag, width)]),
      `${amount(costs.monthly_cost, costs.currency)} a month; ${coverage(costs.coverage_percent)}`,
    ].join('\n\n'),
  );
}

interface HistoryOptions extends Money {
  from?: string;
  to?: string;
  groupBy?: string;
  tagKey?: string;
}

async function history(
  context: Context,
  _args: readonly string[],
  { from, to, groupBy, tagKey, currency }: HistoryOptions,
): Promise<void> {
  const tenantId = await context.tenantId();
  const found = await answer(
    tenantCostsFindHistory({
      client: context.api(),
      path: { tenantId },
      query: {
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        ...(groupBy === undefined ? {} : { group_by: groupBy as 'provider' }),
        ...(tagKey === undefined ? {} : { tag_key: tagKey }),
        ...(currency === undefined ? {} : { currency }),
      },
    }),
  );
  const names = [...new Set(found.points.flatMap(({ groups }) => groups.map(({ name }) => name)))].sort();
  await context.output.result(found, () =>
    table(
      ['DAY', 'A MONTH', ...names],
      found.points.map(({ date, monthly_cost: cost, groups }) => [
        date,
        amount(cost, found.currency),
        ...names.map((name) => amount(groups.find((group) => group.name === name)?.monthly_cost, undefined)),
      ]),
      context.output.width,
    ),
  );
}

async function tagKeys(context: Context): Promise<void> {
  const tenantId = await context.tenantId();
  const found = await answer(tenantCostsTagKeys({ client: context.api(), path: { tenantId } }));
  await context.output.result(found, () => found.tag_keys.join('\n'));
}

async function ofTransaction(
  context: Context,
  [txId = '']: readonly string[],
  { currency }: Money,
): Promise<void> {
  const costs = await answer(
    transactionCostsFind({
      client: context.api(),
      path: { txId },
      query: currency === undefined ? {} : { currency },
    }),
  );
  const { width } = context.output;
  await context.output.result(costs, () => {
    if ('status' in costs) return 'not computed yet';
    const resources = costs.states.flatMap((state) => state.resources);
    return [
      table(
        ['ADDRESS', 'CHANGE', 'NOW', 'PLANNED', 'DIFFERENCE'],
        resources.map((row) => [
          row.address,
          row.change_kind,
          amount(row.current_monthly_cost, undefined),
          amount(row.planned_monthly_cost, undefined),
          amount(row.delta_monthly_cost, undefined),
        ]),
        width,
      ),
      deltaTable('TYPE', costs.by_type, width),
      [
        `${amount(costs.delta_monthly_cost, costs.currency)} a month, from ${amount(costs.current_monthly_cost, undefined)}`,
        `to ${amount(costs.planned_monthly_cost, undefined)}; ${coverage(costs.planned_coverage_percent)}`,
      ].join(' '),
    ].join('\n\n');
  });
}

function coverage(percent: number): string {
  return percent === 100
    ? 'all billable instances have a price'
    : `${percent} % of the billable instances have a price`;
}
