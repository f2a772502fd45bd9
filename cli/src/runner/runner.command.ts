import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { clientVersion } from '../client-version.js';
import type { RegisterCommand } from '../commands/command.js';
import type { Context } from '../context/context.js';
import { failureOf, UsageFailure } from '../failure.js';
import { RunnerCalls } from './protocol.js';
import { runOnce } from './run-once.js';

interface Options {
  once?: boolean;
  parallel?: string;
}

const WAIT_SECONDS = 25;
const PAUSE_MS = 5_000;

export const registerRunner: RegisterCommand = (program, run) => {
  program
    .command('runner')
    .description('wait for runs of a runner pool and execute them (INFRASTATE_POOL_TOKEN)')
    .option('--once', 'exit after one run')
    .option('--parallel <n>', 'maximum number of concurrent runs', '1')
    .action(run<Options>((context, _args, options) => serve(context, options)));
};

async function serve(context: Context, { once = false, parallel = '1' }: Options): Promise<number> {
  const token = context.streams.env['INFRASTATE_POOL_TOKEN'];
  if (!token)
    throw new UsageFailure(
      'INFRASTATE_POOL_TOKEN is missing',
      'an administrator of the tenant makes a pool and its token',
    );
  if (!/^[1-9]\d?$/.test(parallel)) throw new UsageFailure('--parallel must be a number from 1 to 99');
  context.streams.stderr.write(`waiting for work of the pool at ${context.address}\n`);
  // The first signal lets what runs come to its end, the second one stops it.
  const [stopping, interrupting] = [new AbortController(), new AbortController()];
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => (stopping.signal.aborted ? interrupting : stopping).abort());
  const codes = await Promise.all(
    Array.from({ length: Number(parallel) }, () =>
      workOff(context, token, { once, stopping: stopping.signal, interrupted: interrupting.signal }),
    ),
  );
  return Math.max(...codes);
}

async function workOff(
  context: Context,
  token: string,
  { once, stopping, interrupted }: { once: boolean; stopping: AbortSignal; interrupted: AbortSignal },
): Promise<number> {
  const { env, stderr } = context.streams;
  const calls = new RunnerCalls(context.address, token);
  let code = 0;
  while (!stopping.aborted) {
    try {
      const runner = { version: clientVersion(), name: hostname() };
      const claimed = await calls.claim(WAIT_SECONDS, runner, stopping);
      if (!claimed) continue;
      const log = (text: string): void => void stderr.write(text);
      const { work_token: workToken } = claimed;
      code = await runOnce({ workToken, apiBase: context.address, env, log, interrupted });
      if (once) return code;
    } catch (error) {
      // No later claim of this client would be answered otherwise.
      if (once || failureOf(error).id === 'RUNNER_TOO_OLD') throw error;
      if (stopping.aborted) return code;
      stderr.write(`${failureOf(error).message}\n`);
      await delay(PAUSE_MS, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
  return code;
}
