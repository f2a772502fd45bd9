import { planCost } from '../costs/cost-wait.js';
import type { Context } from '../context/context.js';
import { savePlan } from '../run/plan-file.js';
import { abortQuietly, type PlannedRun } from '../run/plan-run.js';
import type { RunContext } from '../run/run-context.js';
import { impactLine } from '../security/severity.rules.js';
import type { RegisterCommand } from './command.js';
import { type PlanOptions, withPlanOptions } from './plan-options.js';
import { planHere, securityOf, summaryOf, withRun } from './planning.js';

interface Options extends PlanOptions {
  out?: string;
}

/** Exit codes of `terraform plan -detailed-exitcode`. */
const NO_CHANGES = 0;
const CHANGES = 2;

export const registerPlan: RegisterCommand = (program, run) => {
  withPlanOptions(
    program
      .command('plan')
      .description(
        'plan what changed in the configuration of this directory (exit code 2: there are changes)',
      )
      .option('--out <file>', 'write the plan to a file that only you can read'),
  ).action(run<Options>(plan));
};

async function plan(context: Context, _args: readonly string[], options: Options): Promise<number> {
  return withRun(context, async (run) => {
    const planned = await planHere(run, options);
    const { output } = context;
    if (!planned) {
      await output.result(
        { has_changes: false },
        () => 'No changes. The configuration is the one that was applied.',
      );
      return NO_CHANGES;
    }
    const { txId, state, hasChanges, operations } = planned;
    if (options.out !== undefined) await writePlanFile(run, options.out, planned);
    const [cost, security] = await Promise.all([planCost(run, txId), securityOf(run, txId)]);
    const result = {
      has_changes: hasChanges,
      transaction: txId,
      state: { id: state.id, name: state.name },
      summary: summaryOf(planned),
      operations,
      ...(cost === undefined ? {} : { delta_monthly_cost: cost }),
      ...(security === undefined ? {} : { security }),
      ...(options.out === undefined ? {} : { plan_file: options.out }),
    };
    await output.result(result, () =>
      [
        ...(hasChanges || planned.terraform ? [] : ['No changes.']),
        ...(cost === undefined ? [] : [`Costs a month: ${cost}`]),
        ...(security === undefined
          ? []
          : [impactLine(security.added_by_severity, security.resolved_by_severity)]),
        `Transaction ${txId}`,
        ...(options.out === undefined ? [] : [`To apply exactly this: infrastate apply ${options.out}`]),
      ].join('\n'),
    );
    return hasChanges ? CHANGES : NO_CHANGES;
  });
}

async function writePlanFile(run: RunContext, file: string, planned: PlannedRun): Promise<void> {
  try {
    savePlan(file, run.context.address, planned);
  } catch (error) {
    await abortQuietly(run, planned.txId);
    throw error;
  }
}
