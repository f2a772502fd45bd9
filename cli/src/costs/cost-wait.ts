import { setTimeout as delay } from 'node:timers/promises';
import { type CostComputingView, transactionCostsFind, type TransactionCostsView } from '@infrastate/sdk';
import type { RunContext } from '../run/run-context.js';
import { answer } from '../service/api-client.js';

const DEFAULT_WAIT_SECONDS = 3;
const POLL_INTERVAL_MS = 150;

/**
 * What a plan costs a month more or less, where the service estimates costs. Waits a short time for it, and never keeps a
 * run from going on: undefined when there is no figure by then.
 */
export async function planCost(run: RunContext, txId: string): Promise<string | undefined> {
  const deadline = Date.now() + waitSeconds(run.context.streams.env) * 1000;
  try {
    for (;;) {
      const client = run.context.api();
      const costs: TransactionCostsView | CostComputingView = await answer(
        transactionCostsFind({ client, path: { txId } }),
      );
      if (!('status' in costs)) return lineOf(costs);
      if (Date.now() >= deadline) return undefined;
      await delay(POLL_INTERVAL_MS, undefined, { signal: run.interruption.signal });
    }
  } catch {
    // Costs are switched off, the service does not answer, or somebody interrupted: the run itself says the latter two.
    return undefined;
  }
}

function lineOf(costs: TransactionCostsView): string | undefined {
  const { delta_monthly_cost: delta, currency = '', planned_monthly_cost: planned } = costs;
  if (delta === undefined) return undefined;
  const coverage = costs.planned_coverage_percent;
  const total = planned === undefined ? '' : `, to ${planned}`;
  const rest = coverage < 100 ? ` (${coverage} % of the resources are priced)` : '';
  return `${delta} ${currency}${total}${rest}`;
}

/** `INFRASTATE_COSTS_WAIT_SECONDS`; what is no number counts as not set. */
function waitSeconds(env: Readonly<Record<string, string | undefined>>): number {
  const seconds = Number(env['INFRASTATE_COSTS_WAIT_SECONDS'] || DEFAULT_WAIT_SECONDS);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 600) : DEFAULT_WAIT_SECONDS;
}
