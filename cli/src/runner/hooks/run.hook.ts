import { runProcess } from '../processes.js';
import type { StepSpec } from '../protocol.js';
import { expanded, type RunState } from '../run-state.js';
import { addGates, readGate } from './gate.rules.js';
import { isDue, type StepPlace, type StepResult } from './hook-step.js';

/** More mistakes than this are not listed. */
const MAX_MISTAKES = 20;
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
  const asked = onError.filter(({ type }) => type === 'gate');
  const mistakes = code === 0 ? [] : askFor(asked, 'on_error gate', state);
  // A failure that nobody can be asked about fails the operation.
  const isAsked = asked.length > 0 && mistakes.length === 0;
  return {
    success: code === 0,
    payload: {
      cmd: words,
      exit_code: code,
      text: mistakes.length === 0 ? output : withMistakes(output.both, mistakes),
    },
    ignoresErrors: typeof spec['ignore_errors'] === 'boolean' ? spec['ignore_errors'] : isAsked,
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
  const mistakes =
    gates === undefined
      ? [code === 0 ? 'the output must be a JSON object with a list "gates"' : 'the command failed']
      : askFor(gates, 'gate', state);
  return {
    success: mistakes.length === 0,
    payload: { cmd: words, exit_code: code, text: withMistakes(text, mistakes) },
    ignoresErrors: true,
  };
}

/** Adds the gates that the service takes; answers what is wrong with the others. */
function askFor(values: readonly unknown[], kind: string, { gates, masker }: RunState): string[] {
  const read = values.map((value, at) => readGate(masker.maskAll(value), `${kind} ${at + 1}`));
  const mistake = addGates(
    gates,
    read.flatMap((reading) => ('gate' in reading ? [reading.gate] : [])),
  );
  return [
    ...read.flatMap((reading) => ('mistake' in reading ? [reading.mistake] : [])),
    ...(mistake === undefined ? [] : [mistake]),
  ].slice(0, MAX_MISTAKES);
}

function withMistakes(text: string, mistakes: readonly string[]): string {
  return mistakes.length === 0 ? text : [text.trimEnd(), ...mistakes].join('\n').trimStart();
}

/** Undefined when the output is no JSON document with a list of gates. */
function gatesIn(text: string): unknown[] | undefined {
  try {
    const { gates } = JSON.parse(text) as { gates?: unknown };
    return Array.isArray(gates) ? gates : undefined;
  } catch {
    return undefined;
  }
}
