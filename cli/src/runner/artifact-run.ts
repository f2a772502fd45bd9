import { failureOf } from '../failure.js';
import { checkOut } from './checkout.js';
import { runProcess } from './processes.js';
import { indexRepository } from './repository-index.js';
import type { RunState } from './run-state.js';

const MAX_CONFIG_CHARACTERS = 1_000_000;

/** A run that finds something out about a commit, and reports it as a step. Answers whether it did. */
export async function findArtifact(state: RunState): Promise<boolean> {
  const { run_type: type } = state.work;
  const report = (result: 'success' | 'failure', payload: Record<string, unknown>): Promise<void> =>
    state.reports.step({
      scope: { type: 'run', flow: type, subflow: type },
      step: type,
      state: result,
      payload,
    });
  try {
    await checkOut(state.work, state.root, state.environment, state.signal);
    if (type === 'index') {
      await report('success', { index: indexRepository(state.root) });
      return true;
    }
    const { code, stdout, text } = await builtConfig(state);
    const success = code === 0 && stdout.length <= MAX_CONFIG_CHARACTERS;
    await report(success ? 'success' : 'failure', success ? { config: stdout } : { exit_code: code, text });
    return success;
  } catch (error) {
    await report('failure', { text: failureOf(error).message });
    return false;
  }
}

function builtConfig({ work, root, environment, reports, signal, killAfterMs }: RunState) {
  const [command = '', ...args] = work.config_builder?.cmd ?? [];
  const writer = reports.writer(undefined);
  return runProcess(command, args, {
    cwd: root,
    env: environment,
    show: (text) => writer.write(text),
    signal,
    killAfterMs,
  }).finally(() => writer.end());
}
