import {
  tenantSecurityCreateWaiver,
  tenantSecurityDeleteWaiver,
  tenantSecurityListWaivers,
} from '@infrastate/sdk';
import type { Command } from 'commander';
import type { Context } from '../context/context.js';
import { table } from '../output/table.rules.js';
import { answer } from '../service/api-client.js';
import { findState } from '../states/state-lookup.js';
import type { Run } from './command.js';

interface NewWaiverOptions {
  reason: string;
  address?: string;
  state?: string;
  expires?: string;
}

/** Waivers: accepted risks, with a reason and an end. */
export function registerWaivers(security: Command, run: Run): void {
  const waivers = security.command('waivers').description('accepted risks of the tenant');
  waivers.command('list').description('list the waivers').action(run(list));
  waivers
    .command('create')
    .description('accept a risk: matching findings are suppressed at once')
    .argument('<check>', "id of the check, an alias, or '*' together with --address")
    .requiredOption('--reason <text>', 'why the risk is accepted')
    .option('--address <pattern>', 'address of an instance; * stands for any characters')
    .option('--state <state>', 'only in this state, by name or id')
    .option('--expires <time>', 'when the waiver ends, ISO 8601')
    .action(run<NewWaiverOptions>(create));
  waivers.command('delete').description('withdraw a waiver').argument('<id>').action(run(remove));
}

async function list(context: Context): Promise<void> {
  const tenantId = await context.tenantId();
  const found = await answer(tenantSecurityListWaivers({ client: context.api(), path: { tenantId } }));
  await context.output.result(found, () =>
    found.waivers.length === 0
      ? 'No waivers.'
      : table(
          ['CHECK', 'ADDRESS', 'MATCHES', 'EXPIRES', 'BY', 'REASON', 'ID'],
          found.waivers.map((one) => [
            one.check_id,
            one.address ?? '',
            String(one.matches),
            one.expires_at ?? '',
            one.created_by_name ?? '',
            one.reason,
            one.id,
          ]),
          context.output.width,
        ),
  );
}

async function create(
  context: Context,
  [check = '']: readonly string[],
  { reason, address, state, expires }: NewWaiverOptions,
): Promise<void> {
  const found = state === undefined ? undefined : await findState(context, state);
  const waiver = await answer(
    tenantSecurityCreateWaiver({
      client: context.api(),
      path: { tenantId: found?.tenant_id ?? (await context.tenantId()) },
      body: {
        check_id: check,
        reason,
        ...(address === undefined ? {} : { address }),
        ...(found === undefined ? {} : { state_id: found.id }),
        ...(expires === undefined ? {} : { expires_at: expires }),
      },
    }),
  );
  await context.output.result(waiver, () => `waiver ${waiver.id} suppresses ${waiver.matches} findings`);
}

async function remove(context: Context, [waiverId = '']: readonly string[]): Promise<void> {
  const tenantId = await context.tenantId();
  await tenantSecurityDeleteWaiver({ client: context.api(), path: { tenantId, waiverId } });
  await context.output.result({ id: waiverId, deleted: true }, () => `deleted waiver ${waiverId}`);
}
