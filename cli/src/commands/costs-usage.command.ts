import {
  stateCostsDeleteUsage,
  stateCostsFindUsage,
  stateCostsSaveUsage,
  tenantCostsDeleteUsage,
  tenantCostsFindUsage,
  tenantCostsSaveUsage,
} from '@infrastate/sdk';
import type { Context } from '../context/context.js';
import { readUsage } from '../costs/usage-file.js';
import { answer } from '../service/api-client.js';
import { findState } from '../states/state-lookup.js';
import type { RegisterCommand } from './command.js';

interface Owner {
  state?: string;
}

const STATE = ['--state <state>', 'name or id of a state (default: the whole tenant)'] as const;

/** Quantities of what is paid by use. */
export const registerUsage: RegisterCommand = (costs, run) => {
  const usage = costs
    .command('usage')
    .description('usage quantities (such as requests per month) for prices that depend on usage');
  usage
    .command('show')
    .description('print the usage quantities as JSON')
    .option(...STATE)
    .action(run<Owner>(show));
  usage
    .command('set')
    .argument('<file>', 'JSON file with usage quantities; - reads stdin')
    .description(
      'replace all usage quantities of a state or of the tenant, and price the affected instances again',
    )
    .option(...STATE)
    .action(run<Owner>(set));
  usage
    .command('delete')
    .description('delete all usage quantities of a state or of the tenant')
    .option(...STATE)
    .action(run<Owner>(remove));
};

async function show(context: Context, _args: readonly string[], { state }: Owner): Promise<void> {
  const client = context.api();
  const document =
    state === undefined
      ? await answer(tenantCostsFindUsage({ client, path: { tenantId: await context.tenantId() } }))
      : await answer(
          stateCostsFindUsage({ client, path: { stateId: (await findState(context, state)).id } }),
        );
  await context.output.result(document, () => JSON.stringify(document, null, 2));
}

async function set(context: Context, [file = '']: readonly string[], { state }: Owner): Promise<void> {
  const body = await readUsage(context, file);
  const client = context.api();
  const saved =
    state === undefined
      ? await answer(tenantCostsSaveUsage({ client, path: { tenantId: await context.tenantId() }, body }))
      : await answer(
          stateCostsSaveUsage({ client, path: { stateId: (await findState(context, state)).id }, body }),
        );
  await context.output.result(saved, () => 'saved; the service now prices the affected instances again');
}

async function remove(context: Context, _args: readonly string[], { state }: Owner): Promise<void> {
  const client = context.api();
  if (state === undefined)
    await answer(tenantCostsDeleteUsage({ client, path: { tenantId: await context.tenantId() } }));
  else
    await answer(stateCostsDeleteUsage({ client, path: { stateId: (await findState(context, state)).id } }));
  await context.output.result(
    { deleted: true },
    () => 'deleted; the service now prices the affected instances again',
  );
}
