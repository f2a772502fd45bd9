import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ImpactSummaryView } from '@infrastate/sdk';
import { BlockCache } from '../configuration/block-cache.js';
import { sha256 } from '../configuration/canonical-json.js';
import { type Configuration, readConfiguration } from '../configuration/configuration.js';
import type { Context } from '../context/context.js';
import { UsageFailure } from '../failure.js';
import { clientVersion } from '../client-version.js';
import { cacheFile } from '../run/cache-directory.js';
import { Calls } from '../run/calls.js';
import { Interruption } from '../run/interruption.js';
import { reportLostRuns } from '../run/lost-runs.js';
import { readPlan } from '../run/plan-file.js';
import { type PlannedRun, planRun, prepare } from '../run/plan-run.js';
import { PrivateDirectory } from '../run/private-directory.js';
import type { RunContext } from '../run/run-context.js';
import { targetState } from '../run/target-state.js';
import { usesTofu } from '../run/terraform.js';
import { whenComputed } from '../security/impact-wait.js';
import { schemaVersion, storedRevision } from '../run/transaction.js';
import type { PlanOptions } from './plan-options.js';

/** The service is connected to, where it is near, while the configuration is read. */
const CONNECTING_MS = 5;
const SECURITY_WAIT_SECONDS = 3;

/** Opens what a run needs and closes it, however the work ends. */
export async function withRun<T>(context: Context, work: (run: RunContext) => Promise<T>): Promise<T> {
  const interruption = new Interruption();
  const directory = new PrivateDirectory();
  const { output } = context;
  const show = (text: string): void => (output.json ? output.progress(text) : void output.write(text));
  try {
    const calls = new Calls(context.api());
    const run = { context, calls, interruption, directory, show, home: process.cwd(), mask: unmasked };
    await reportLostRuns(run);
    return await work(run);
  } finally {
    directory.remove();
    interruption.end();
  }
}

/** A person's own client shows what it shows. */
function unmasked(text: string): string {
  return text;
}

/** The configuration of the run's directory. */
function configurationOf(
  { context, home: root }: RunContext,
  { variables = [] }: Pick<PlanOptions, 'variables'>,
): Configuration {
  const { env } = context.streams;
  const cache = new BlockCache(cacheFile(env, 'block-lists', sha256(root)), clientVersion());
  const dataDirectory = env['TF_DATA_DIR'];
  const found = readConfiguration(root, {
    environment: env,
    variables,
    cache,
    asTofu: usesTofu(env),
    ...(dataDirectory ? { dataDirectory } : {}),
  });
  cache.save();
  return found;
}

/** Puts back what `savePlan` kept; values that are never stored are read again. */
export function plannedFrom(
  run: RunContext,
  file: string,
  options: Pick<PlanOptions, 'variables'>,
): PlannedRun {
  const saved = readPlan(file, run.context.address);
  const { tx, state, has_changes, operations, bundle, plan, has_private_values } = saved;
  const planned = {
    txId: tx,
    state,
    hasChanges: has_changes,
    operations,
    bundle,
    hasPrivateValues: has_private_values,
  };
  if (plan === null) return { ...planned, terraform: undefined, root: undefined };
  const values = has_private_values
    ? configurationOf(run, options).privateValues
    : new Map<string, unknown>();
  const { terraform, root } = prepare(run, bundle, run.home, values);
  writeFileSync(join(root, 'tfplan'), Buffer.from(plan, 'base64'), { mode: 0o600 });
  return { ...planned, terraform, root };
}

/** Plans the run's directory; undefined when the service already knows exactly this configuration. */
export async function planHere(run: RunContext, options: PlanOptions): Promise<PlannedRun | undefined> {
  const early = new AbortController();
  const version = schemaVersion(run.context, early.signal);
  // Whatever is wrong with the configuration is told first.
  const answered = version.catch(() => undefined);
  try {
    await Promise.race([answered, delay(CONNECTING_MS)]);
    return await planWith(run, options, version);
  } finally {
    // Nobody waits for what turned out not to be needed.
    early.abort();
  }
}

async function planWith(
  run: RunContext,
  options: PlanOptions,
  version: Promise<number>,
): Promise<PlannedRun | undefined> {
  const { context, calls } = run;
  const configuration = configurationOf(run, options);
  const target = { state: options.state, create: options.create === true };
  const state = await targetState(context, configuration.httpBackend, target);
  const full = options.full === true;
  const stored = await storedRevision(calls, state);
  if (!full && stored === configuration.hash) return undefined;
  const skipRefresh = skipsRefresh(options);
  return planRun(run, state, configuration, { full, stored, skipRefresh, schemaVersion: await version });
}

function skipsRefresh({ skipRefresh, refresh }: PlanOptions): boolean {
  if (refresh !== undefined && refresh !== 'true' && refresh !== 'false')
    throw new UsageFailure('-refresh must be true or false');
  return skipRefresh === true || refresh === 'false';
}

/** Counted as Terraform counts: replacing is adding and destroying. */
export function summaryOf({ operations }: Pick<PlannedRun, 'operations'>): {
  add: number;
  change: number;
  destroy: number;
} {
  const count = (...kinds: string[]): number =>
    operations.filter(({ operation }) => kinds.includes(operation)).length;
  return { add: count('create', 'replace'), change: count('update'), destroy: count('destroy', 'replace') };
}

/** What the plan adds and resolves, if the service knows in time. A plan never fails for it. */
export async function securityOf(
  { context, calls }: RunContext,
  txId: string,
): Promise<ImpactSummaryView | undefined> {
  const seconds = Number(context.streams.env['INFRASTATE_SECURITY_WAIT_SECONDS'] ?? SECURITY_WAIT_SECONDS);
  if (!(seconds > 0)) return undefined;
  const path = `/api/v1/tx/${txId}/security/impact/summary`;
  return whenComputed<ImpactSummaryView>(async () => calls.get(path), seconds).catch(() => undefined);
}
