import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, ServiceFailure } from '../failure.js';
import type { Calls } from './calls.js';
import { actuatorCalls } from './actuator-calls.js';
import { bringHome, plainFiles } from './created-files.js';
import { noteRun } from './lost-runs.js';
import { abortQuietly, type PlannedRun } from './plan-run.js';
import { objectText, sendResults } from './results.js';
import type { RunContext } from './run-context.js';
import { completed, type Task } from './task-polling.js';
import { keepUndelivered } from './undelivered.js';

/** Commits a planned transaction: nothing is applied before the service has said that nobody changed the same things. */
export async function applyRun(
  run: RunContext,
  planned: PlannedRun,
  home: string,
  args: readonly string[] = [],
): Promise<void> {
  const { context } = run;
  const { txId, bundle } = planned;
  run.interruption.throwIfInterrupted();
  const { task, token } = await commit(run, txId);
  const actuator = actuatorCalls(context, token);
  if (!planned.terraform || !planned.root) {
    await deliver(run, actuator, {
      task,
      txId,
      reached: { output: '', state: bundle.state, failure: undefined },
      home,
    });
    return;
  }
  const { root } = planned;
  const before = plainFiles(root);
  const note = { service: context.address, tx: txId, token, home, root };
  const outcome = await planned.terraform.apply(args, (pid) =>
    noteRun(run.directory.path, { ...note, terraform: pid }),
  );
  const state = stateIn(root) ?? bundle.state;
  bringHome(root, home, before);
  const failure =
    outcome.code === 0 ? undefined : run.mask(outcome.stderr.trim()).slice(-4000) || 'terraform apply failed';
  await deliver(run, actuator, {
    task,
    txId,
    reached: { output: run.mask(outcome.stdout), state, failure },
    home,
  });
  if (failure !== undefined) {
    run.interruption.throwIfInterrupted();
    throw new Failure(
      'APPLY_FAILED',
      'terraform could not apply everything',
      'what it did is stored; the next plan shows the rest',
    );
  }
}

async function commit(run: RunContext, txId: string): Promise<{ task: Task; token: string }> {
  try {
    return await run.calls.step<{ task: Task; token: string }>(txId, 'commit');
  } catch (error) {
    if (!(error instanceof ServiceFailure) || error.id !== 'TX_CONFLICT') throw error;
    const others = await Promise.all(error.message.split(',').map((id) => described(run.calls, id.trim())));
    await abortQuietly(run, txId);
    throw new TransactionConflict(
      'TX_CONFLICT',
      `somebody else changed the same things: ${others.join('; ')}`,
      'plan again',
      error.message.split(',').map((id) => id.trim()),
    );
  }
}

/** Others were first. */
export class TransactionConflict extends Failure {
  constructor(
    id: string,
    message: string,
    hint: string,
    /** ids of the transactions that were first */
    readonly others: readonly string[],
  ) {
    super(id, message, hint);
  }
}

async function described(calls: Calls, txId: string): Promise<string> {
  try {
    const { tx } = await calls.get<{
      tx: { state: string; created_by_name?: string; completed_at?: string };
    }>(`/api/v1/tx/${txId}`);
    const by = tx.created_by_name ? ` by ${tx.created_by_name}` : '';
    return `transaction ${txId}${by}, ${tx.state}${tx.completed_at ? ` at ${tx.completed_at}` : ''}`;
  } catch {
    return `transaction ${txId}`;
  }
}

interface Reached {
  output: string;
  /** the document as terraform left it */
  state: string;
  failure: string | undefined;
}

/** The infrastructure has changed: what it came to is delivered, or kept where it cannot get lost. */
async function deliver(
  run: RunContext,
  actuator: Calls,
  { task, txId, reached, home }: { task: Task; txId: string; reached: Reached; home: string },
): Promise<void> {
  const { output, state, failure } = reached;
  const request = objectText(
    failure === undefined
      ? { kind: '"commit"', output: JSON.stringify(output), state }
      : {
          kind: '"commit_failed"',
          failure: JSON.stringify({ reason: { code: 'exec_failed', message: failure } }),
          state,
        },
  );
  try {
    await run.interruption.dealtWithBy(
      () => run.context.output.printNote('storing the applied changes; do not interrupt this'),
      async () => {
        const stored = await sendResults(actuator, request);
        await completed(run.calls, stored, 'storing what was applied');
        if (failure === undefined && stored.id !== task.id)
          await completed(run.calls, task, 'storing what was applied');
      },
    );
  } catch (error) {
    keepUndelivered(run, txId, state, home);
    throw error;
  }
}

function stateIn(root: string): string | undefined {
  const file = join(root, 'terraform.tfstate');
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
