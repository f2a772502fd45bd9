import type { StateView } from '@infrastate/sdk';
import type { Configuration } from '../configuration/configuration.js';
import { Failure, ServiceFailure } from '../failure.js';
import { actuatorCalls } from './actuator-calls.js';
import type { Bundle } from './bundle.js';
import { writeBundle } from './bundle-directory.js';
import { type Calls, insistently } from './calls.js';
import { fetchBundle } from './fetch-bundle.js';
import { linkHome } from './link-home.js';
import { OriginalTexts } from './original-text.js';
import { RevisionCache } from './revision-cache.js';
import type { RunContext } from './run-context.js';
import { objectText, sendResults } from './results.js';
import { fetchStoredNodes } from './stored-nodes.js';
import { completed, type Task } from './task-polling.js';
import { planText, Terraform } from './terraform.js';
import { begin, type TransactionOptions, upload } from './transaction.js';

/** A planned transaction, and what applying it takes. */
export interface PlannedRun {
  txId: string;
  state: StateView;
  hasChanges: boolean;
  operations: PlanOperation[];
  bundle: Bundle;
  hasPrivateValues: boolean;
  /** undefined when there is nothing to apply */
  terraform: Terraform | undefined;
  root: string | undefined;
}

export interface PlanOperation {
  address: string;
  operation: 'create' | 'update' | 'replace' | 'destroy';
}

const NOTHING = '{"format_version":"1.2","resource_changes":[],"output_changes":{}}';

/** Plans what changed, in a transaction of its own; the transaction is aborted when that does not come to an end. */
export async function planRun(
  run: RunContext,
  state: StateView,
  configuration: Configuration,
  options: TransactionOptions & { stored: string | undefined; schemaVersion: number },
): Promise<PlannedRun> {
  const { calls, context } = run;
  const { full, stored: storedHash } = options;
  const revisions = run.hasCaches ? new RevisionCache(context.streams.env, state.id) : undefined;
  const [txId, known] = await Promise.all([
    begin(context, calls, options),
    whileAsked(async () =>
      full || storedHash === undefined
        ? undefined
        : (revisions?.read(storedHash) ?? (await fetchStoredNodes(calls, state, storedHash))),
    ),
  ]);
  try {
    await upload(calls, txId, state, { configuration, full, known });
    run.interruption.throwIfInterrupted();
    const { task, token } = await calls.step<{ task: Task; token: string }>(txId, 'preview');
    const actuator = actuatorCalls(context, token);
    const { bundle, params } = await bundleOf(run, actuator);
    const remember = (): void => revisions?.write(configuration.hash, configuration.nodes);
    const planned = await planBundle({ run, bundle, params, configuration, actuator }, remember);
    const stored = await sendResults(actuator, planned.request);
    await completed(calls, stored, 'the preview', run.interruption.signal);
    if (stored.id !== task.id) await completed(calls, task, 'the preview', run.interruption.signal);
    const { hasChanges, terraform, root } = planned;
    const operations = await operationsOf(calls, txId);
    const hasPrivateValues = configuration.privateValues.size > 0;
    return { txId, state, hasChanges, operations, bundle, hasPrivateValues, terraform, root };
  } catch (error) {
    await abortQuietly(run, txId);
    throw error;
  }
}

export async function abortQuietly({ calls, context }: RunContext, txId: string): Promise<void> {
  try {
    await insistently(() => calls.post(`/api/v1/tx/${txId}/abort`));
  } catch (error) {
    // It ended by itself: nothing is left to abort.
    if (error instanceof ServiceFailure && error.status === 409) return;
    context.output.printNote(`transaction ${txId} could not be aborted: infrastate tx abort ${txId}`);
  }
}

/** Does it once what was asked before has been sent. */
async function whileAsked<T>(work: () => Promise<T>): Promise<T> {
  await new Promise((sent) => setImmediate(sent));
  return work();
}

interface RunnerParams {
  skip_refresh?: boolean;
}

async function bundleOf(
  run: RunContext,
  actuator: Calls,
): Promise<{ bundle: Bundle; params: Promise<RunnerParams> }> {
  const generation = await actuator.post<Task>('/api/v1/actuator/bundle/generate', {});
  await completed(run.calls, generation, 'the bundle', run.interruption.signal);
  const params = actuator.get<RunnerParams>('/api/v1/actuator/params');
  // Only where there is something to plan are they needed.
  params.catch(() => undefined);
  return { bundle: await fetchBundle(actuator), params };
}

interface BundleToPlan {
  run: RunContext;
  bundle: Bundle;
  params: Promise<RunnerParams>;
  configuration: Configuration;
  actuator: Calls;
}

interface PlannedBundle {
  hasChanges: boolean;
  terraform: Terraform | undefined;
  root: string | undefined;
  /** what the service is told */
  request: string;
}

/** `meanwhile` is done while terraform plans. */
async function planBundle(
  { run, bundle, params, configuration, actuator }: BundleToPlan,
  meanwhile: () => void,
): Promise<PlannedBundle> {
  if (bundle.isEmpty) {
    meanwhile();
    return {
      hasChanges: false,
      terraform: undefined,
      root: undefined,
      request: previewRequest({ hasChanges: false, plan: 'No changes.', planJson: NOTHING }),
    };
  }
  const { skip_refresh: skipRefresh } = await params;
  await run.installed;
  const { root: home, nodes, privateValues } = configuration;
  const originals = new OriginalTexts(home, nodes);
  const { terraform, root } = prepare(run, bundle, { home, privateValues, originals });
  const planning = terraform.plan(skipRefresh ? ['-refresh=false'] : []);
  meanwhile();
  const outcome = await planning;
  run.interruption.throwIfInterrupted();
  if (outcome.code !== 0 && outcome.code !== 2) {
    const message = run.mask(outcome.stderr.trim()).slice(-4000);
    await sendResults(
      actuator,
      JSON.stringify({ kind: 'failure', reason: { code: 'exec_failed', message } }),
    );
    throw new Failure('PLAN_FAILED', 'terraform could not plan');
  }
  const hasChanges = outcome.code === 2;
  return {
    hasChanges,
    terraform,
    root,
    request: previewRequest({
      hasChanges,
      plan: run.mask(planText(outcome.stdout)),
      planJson: await terraform.showPlan(),
    }),
  };
}

interface Preparation {
  /** the user's directory */
  home: string;
  privateValues: ReadonlyMap<string, unknown>;
  /** undefined: what is planned came from elsewhere */
  originals?: OriginalTexts;
}

/** Writes the run's directory, the user's files linked into it. */
export function prepare(
  run: RunContext,
  bundle: Bundle,
  { home, privateValues, originals }: Preparation,
): { terraform: Terraform; root: string } {
  const root = writeBundle(bundle, run.directory.path, { home, originals });
  linkHome(home, root);
  const { show, interruption, killAfterMs, context } = run;
  const { env: environment } = context.streams;
  const options = { root, home, environment, privateValues, show, interruption, killAfterMs };
  return { root, terraform: new Terraform(options, run.directory.path) };
}

function previewRequest({
  hasChanges,
  plan,
  planJson,
}: {
  hasChanges: boolean;
  plan: string;
  planJson: string;
}): string {
  return objectText({
    kind: '"preview"',
    has_changes: String(hasChanges),
    plan: JSON.stringify(plan),
    plan_json: planJson,
  });
}

async function operationsOf(calls: Calls, txId: string): Promise<PlanOperation[]> {
  const found: PlanOperation[] = [];
  for (let page: string | undefined = ''; page !== undefined;) {
    const query = page === '' ? '' : `&page=${encodeURIComponent(page)}`;
    const answer: { results: PlanOperation[]; next_page?: string } = await calls.get(
      `/api/v1/tx/${txId}/plan-operations?limit=1000${query}`,
    );
    found.push(...answer.results);
    page = answer.next_page;
  }
  return found;
}
