import { runProcess } from '../processes.js';
import type { GateReport, StepSpec } from '../protocol.js';
import { expanded, type RunState } from '../run-state.js';
import { gateOf, isDue, type StepPlace, type StepResult } from './hook-step.js';

const SKIPPED: StepResult = { success: true, payload: {}, isSkipped: true };

/** Runs a command. A failure with a gate asks for an approval instead of failing the run. */
export async function runCommand(spec: StepSpec, state: RunState, place: StepPlace): Promise<StepResult> {
  if (!isDue(spec['run_on'], place)) return SKIPPED;
  const words = spec['cmd'] as string[];
  const own = Object.entries((spec['env'] ?? {}) as Record<string, string>).map(
    ([name, value]) => [name, expanded(value, place.environment)] as const,
  );
  const writer = state.reports.writer(place.scope);
  const [command = '', ...args] = words;
  const { code, output } = await runProcess(command, args, {
    cwd: place.cwd,
    env: { ...place.environment, ...Object.fromEntries(own) },
    show: (shown) => writer.write(shown),
    signal: state.signal,
    killAfterMs: state.killAfterMs,
  });
  writer.end();
  const onError = (spec['on_error'] ?? []) as StepSpec[];
  const gates = onError.filter(({ type }) => type === 'gate').flatMap((gate) => gateOf(gate) ?? []);
  if (code !== 0) state.gates.push(...gates);
  return {
    success: code === 0,
    payload: { cmd: words, exit_code: code, text: output },
    ignoresErrors: typeof spec['ignore_errors'] === 'boolean' ? spec['ignore_errors'] : gates.length > 0,
  };
}

/** A command whose output names gates. It never fails the operation. */
export async function runGates(spec: StepSpec, state: RunState, place: StepPlace): Promise<StepResult> {
  if (!isDue(spec['run_on'], place)) return SKIPPED;
  const words = spec['cmd'] as string[];
  const [command = '', ...args] = words;
  const { code, stdout, text } = await runProcess(command, args, {
    cwd: place.cwd,
    env: place.environment,
    signal: state.signal,
    killAfterMs: state.killAfterMs,
  });
  const gates = code === 0 ? gatesIn(stdout) : undefined;
  state.gates.push(...(gates ?? []));
  return {
    success: gates !== undefined,
    payload: { cmd: words, exit_code: code, text },
    ignoresErrors: true,
  };
}

/** Undefined when the output is no JSON document with a list of gates. */
function gatesIn(text: string): GateReport[] | undefined {
  try {
    const { gates } = JSON.parse(text) as { gates?: unknown };
    return Array.isArray(gates) ? gates.flatMap((gate: unknown) => gateOf(gate) ?? []) : undefined;
  } catch {
    return undefined;
  }
}
