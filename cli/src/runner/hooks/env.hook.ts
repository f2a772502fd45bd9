import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { runProcess } from '../processes.js';
import type { StepSpec } from '../protocol.js';
import { hide, type RunState } from '../run-state.js';
import type { StepPlace, StepResult } from './hook-step.js';

/** Sets variables for everything after it: the output of a command, or what a sourced script exports. */
export async function runEnv(spec: StepSpec, state: RunState, place: StepPlace): Promise<StepResult> {
  return spec['method'] === 'source' ? sourced(spec, state, place) : commanded(spec, state, place);
}

async function commanded(
  spec: StepSpec,
  state: RunState,
  { cwd, environment, handedOn }: StepPlace,
): Promise<StepResult> {
  const [command = '', ...args] = spec['cmd'] as string[];
  const { code, stdout, stderr } = await runProcess(command, args, {
    cwd,
    env: environment,
    signal: state.signal,
    killAfterMs: state.killAfterMs,
  });
  const name = String(spec['name']);
  if (code !== 0) return { success: false, payload: { name, exit_code: code, text: stderr } };
  const value = spec['trim_trailing_newlines'] === false ? stdout : stdout.replace(/(\r?\n)+$/, '');
  if (spec['sensitive'] === true) hide(state.masker, value, state.environment);
  environment[name] = value;
  handedOn.add(name);
  return {
    success: true,
    payload: { name, exit_code: 0, text: spec['sensitive'] === true ? '' : `${name}=${value}` },
  };
}

/** The words of `cmd` are sourced by bash; variables that changed are kept. They come through a file, not the output. */
async function sourced(
  spec: StepSpec,
  state: RunState,
  { cwd, environment, handedOn }: StepPlace,
): Promise<StepResult> {
  const words = spec['cmd'] as string[];
  const file = join(state.scratch, `environment-${randomUUID()}`);
  const script =
    '__infrastate_file="$1"; shift; set -a; source "$@" || exit $?; env -0 > "$__infrastate_file"';
  const { code, text } = await runProcess('bash', ['-c', script, 'infrastate', file, ...words], {
    cwd,
    env: environment,
    signal: state.signal,
    killAfterMs: state.killAfterMs,
  });
  const exported = code === 0 ? readFileSync(file, 'utf8') : '';
  // It holds every secret of the run.
  rmSync(file, { force: true });
  if (code !== 0) return { success: false, payload: { cmd: words, exit_code: code, text } };
  const changed = exported
    .split('\0')
    .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)] as const)
    .filter(
      ([name, value]) => /^[A-Za-z_]\w*$/.test(name) && !SHELL.has(name) && environment[name] !== value,
    );
  for (const [name, value] of changed) {
    if (spec['sensitive'] === true) hide(state.masker, value, state.environment);
    environment[name] = value;
    handedOn.add(name);
  }
  return {
    success: true,
    payload: { cmd: words, exit_code: 0, text: changed.map(([name]) => name).join('\n') },
  };
}

const SHELL = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD', 'BASH_EXECUTION_STRING']);
