import { Failure } from '../failure.js';
import { interrupted } from '../run/interruption.js';
import { installEngine } from './engine-install.js';
import { type ProcessOptions, runProcess } from './processes.js';
import type { Engine } from './protocol.js';
import { toolEnvironment } from './run-state.js';
import { untilStopped } from './until-stopped.js';

/** By program and version; dirspaces of one run ask for the same. */
const installing = new Map<string, Promise<string>>();

/** The program of an engine: its own command, the one on the PATH, or the version asked for from the mirror. */
export async function findEngine(
  engine: Engine,
  env: Readonly<Record<string, string>>,
  cwd: string,
  { signal, killAfterMs }: Pick<ProcessOptions, 'signal' | 'killAfterMs'> = {},
): Promise<string> {
  const { name, version, command } = engine;
  if (command !== undefined) return command;
  if (version === undefined) return name;
  const { code, stdout } = await runProcess(name, ['version', '-json'], {
    cwd,
    env: toolEnvironment(env),
    ...(signal ? { signal, killAfterMs } : {}),
  });
  if (signal?.aborted) throw interrupted();
  const installed = code === 0 ? versionIn(stdout) : undefined;
  if (installed === version) return name;
  const mirror = env['INFRASTATE_ENGINE_MIRROR'];
  if (mirror) return untilStopped(install({ name, version }, mirror, env), signal);
  throw new Failure(
    'ENGINE_VERSION',
    `${name} ${version} is asked for, and ${installed ?? 'none'} is installed`,
    'install it, set INFRASTATE_ENGINE_MIRROR, or name its path in engine.command',
  );
}

function install(
  engine: { name: Engine['name']; version: string },
  mirror: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const key = JSON.stringify([engine, mirror, env['INFRASTATE_ENGINE_CACHE']]);
  const known = installing.get(key);
  if (known) return known;
  const begun = installEngine(engine, mirror, env);
  installing.set(key, begun);
  begun.catch(() => installing.delete(key));
  return begun;
}

function versionIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { terraform_version?: string }).terraform_version;
  } catch {
    return undefined;
  }
}
