import { Failure } from '../failure.js';
import { runProcess } from './processes.js';
import type { Engine } from './protocol.js';

/** The program of an engine: its own command, or the one on the PATH, which must have the version asked for. */
export async function findEngine(
  engine: Engine,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string> {
  if (engine.command !== undefined) return engine.command;
  if (engine.version === undefined) return engine.name;
  const { code, stdout } = await runProcess(engine.name, ['version', '-json'], { cwd, env });
  const installed = code === 0 ? versionIn(stdout) : undefined;
  if (installed === engine.version) return engine.name;
  throw new Failure(
    'ENGINE_VERSION',
    `${engine.name} ${engine.version} is asked for, and ${installed ?? 'none'} is installed; install it, or name its path in engine.command`,
  );
}

function versionIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { terraform_version?: string }).terraform_version;
  } catch {
    return undefined;
  }
}
