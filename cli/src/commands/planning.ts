import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ImpactSummaryView, StateView } from '@infrastate/sdk';
import type { JsonObject } from '../configuration/block-data.rules.js';
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
import { isUuid } from '../service/uuid.js';
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
    const run = {
      context,
      calls,
      interruption,
      directory,
      show,
      home: process.cwd(),
      mask: unmasked,
      hasCaches: true,
    };
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
  { context, home: root, hasCaches }: RunContext,
  { variables = [] }: Pick<PlanOptions, 'variables'>,
  dataDirectory = context.streams.env['TF_DATA_DIR'],
): Configuration {
  const { env } = context.streams;
  const cache = hasCaches
    ? new BlockCache(cacheFile(env, 'block-lists', sha256(root)), clientVersion())
    : undefined;
  const found = readConfiguration(root, {
    environment: env,
    variables,
    cache,
    asTofu: usesTofu(env),
    ...(dataDirectory ? { dataDirectory } : {}),
  });
  cache?.save();
  return found;
}

/** Most configurations call no modules that have to be installed, and are read while providers are. */
async function configurationWhenInstalled(run: RunContext, options: PlanOptions): Promise<Configuration> {
  if (run.installed === undefined) return configurationOf(run, options);
  try {
    // What is half installed must not be read.
    return configurationOf(run, options, join(run.directory.path, 'nothing-installed'));
  } catch {
    await run.installed;
    return configurationOf(run, options);
  }
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
  const { terraform, root } = prepare(run, bundle, { home: run.home, privateValues: values });
  writeFileSync(join(root, 'tfplan'), Buffer.from(plan, 'base64'), { mode: 0o600 });
  return { ...planned, terraform, root };
}

/** Plans the run's directory; undefined when the service already knows exactly this configuration. */
export async function planHere(run: RunContext, options: PlanOptions): Promise<PlannedRun | undefined> {
  const early = new AbortController();
  const asked = {
    version: schemaVersion(run.context, early.signal),
    place: isUuid(options.state ?? '') ? placeOf(run, options, undefined) : undefined,
  };
  // Whatever is wrong with the configuration is told first.
  const answered = Promise.allSettled([asked.version, asked.place]);
  try {
    await Promise.race([answered, delay(CONNECTING_MS)]);
    return await planWith(run, options, asked);
  } finally {
    // Nobody waits for what turned out not to be needed.
    early.abort();
  }
}

interface Place {
  state: StateView;
  /** hash of the applied configuration; undefined when none was applied */
  stored: string | undefined;
}

interface Asked {
  version: Promise<number>;
  /** undefined when only the configuration tells which state it is */
  place: Promise<Place> | undefined;
}

async function planWith(
  run: RunContext,
  options: PlanOptions,
  { version, place }: Asked,
): Promise<PlannedRun | undefined> {
  const configuration = await configurationWhenInstalled(run, options);
  const { state, stored } = await (place ?? placeOf(run, options, configuration.httpBackend));
  const full = options.full === true;
  if (!full && stored === configuration.hash) return undefined;
  const skipRefresh = skipsRefresh(options);
  return planRun(run, state, configuration, { full, stored, skipRefresh, schemaVersion: await version });
}

async function placeOf(
  { context, calls }: RunContext,
  { state: named, create }: PlanOptions,
  backend: JsonObject | undefined,
): Promise<Place> {
  if (named !== undefined && isUuid(named)) {
    const [state, stored] = await Promise.all([
      targetState(context, backend, { state: named, create: false }),
      storedRevision(calls, named.toLowerCase()),
    ]);
    return { state, stored };
  }
  const state = await targetState(context, backend, { state: named, create: create === true });
  return { state, stored: await storedRevision(calls, state.id) };
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
