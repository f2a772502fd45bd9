import type { Context } from '../context/context.js';
import type { RegisterCommand } from '../commands/command.js';
import { UsageFailure } from '../failure.js';
import { jobCheckoutOf } from './job-checkout.js';
import { runOnce } from './run-once.js';

export const registerRun: RegisterCommand = (program, run) => {
  program
    .command('run')
    .description('execute the run of this CI job (INFRASTATE_WORK_TOKEN)')
    .action(run((context) => runInCi(context)));
};

function runInCi(context: Context): Promise<number> {
  const { env, stderr } = context.streams;
  const workToken = env['INFRASTATE_WORK_TOKEN'];
  if (!workToken)
    throw new UsageFailure(
      'INFRASTATE_WORK_TOKEN is missing',
      'the CI job sets it from its input work_token',
    );
  const stopping = new AbortController();
  // A CI that cancels a job waits a little before it kills.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  return runOnce({
    workToken,
    apiBase: context.address,
    env,
    log: (text) => stderr.write(text),
    interrupted: stopping.signal,
    checkout: jobCheckoutOf(env),
  });
}
