import { resolve } from 'node:path';
import { planCost } from '../costs/cost-wait.js';
import type { Context } from '../context/context.js';
import { Failure, UsageFailure } from '../failure.js';
import { applyRun } from '../run/apply-run.js';
import { abortQuietly } from '../run/plan-run.js';
import type { RunContext } from '../run/run-context.js';
import { Prompt } from '../terminal/prompt.js';
import type { RegisterCommand } from './command.js';
import { type PlanOptions, withPlanOptions } from './plan-options.js';
import { plannedFrom, planHere, summaryOf, withRun } from './planning.js';

interface Options extends PlanOptions {
  autoApprove?: boolean;
}

export const registerApply: RegisterCommand = (program, run) => {
  withPlanOptions(
    program
      .command('apply')
      .argument('[planfile]', 'plan file written by infrastate plan -out; default: plan the changes now')
      .description('apply the changes of the configuration in this directory')
      .option('--auto-approve', 'do not ask for confirmation'),
  ).action(run<Options>(apply));
};

async function apply(context: Context, [file]: readonly string[], options: Options): Promise<void> {
  await withRun(context, async (run) => {
    const planned =
      file === undefined ? await planHere(run, options) : plannedFrom(run, resolve(file), options);
    const { output } = context;
    if (!planned) {
      await output.result(
        { has_changes: false, applied: false },
        () => 'No changes. The configuration is the one that was applied.',
      );
      return;
    }
    const { txId, state, hasChanges, operations } = planned;
    if (hasChanges && file === undefined && options.autoApprove !== true) await approved(run, txId);
    await applyRun(run, planned, run.home, parallelism(options));
    const result = {
      has_changes: hasChanges,
      applied: true,
      transaction: txId,
      state: { id: state.id, name: state.name },
      summary: summaryOf(planned),
      operations,
    };
    await output.result(
      result,
      () => `${planned.terraform ? '' : 'No changes. '}Transaction ${txId} is committed`,
    );
  });
}

async function approved(run: RunContext, txId: string): Promise<void> {
  const { output, streams } = run.context;
  const cost = await planCost(run, txId);
  if (cost !== undefined) output.printNote(`Costs a month: ${cost}`);
  const prompt = new Prompt(streams);
  const refused = new Promise<never>((_resolve, reject) => {
    run.interruption.signal.addEventListener('abort', () =>
      reject(new Failure('INTERRUPTED', 'the run was interrupted')),
    );
  });
  try {
    const answer = await Promise.race([prompt.ask('Apply these changes? Only "yes" is taken: '), refused]);
    if (answer.trim() !== 'yes') throw new Failure('CANCELLED', 'nothing was applied');
  } catch (error) {
    await abortQuietly(run, txId);
    throw error;
  } finally {
    prompt.close();
  }
}

function parallelism({ parallelism: count }: PlanOptions): string[] {
  if (count === undefined) return [];
  if (!/^[1-9]\d{0,4}$/.test(count)) throw new UsageFailure('-parallelism is a number from 1');
  return [`-parallelism=${count}`];
}
