import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** A place below `$INFRASTATE_CACHE_HOME`, else `$XDG_CACHE_HOME/infrastate`, where nothing is that could not be found out again. */
export function cacheDirectory(
  env: Readonly<Record<string, string | undefined>>,
  ...names: string[]
): string {
  const own = env['INFRASTATE_CACHE_HOME'];
  if (own && isAbsolute(own)) return join(own, ...names);
  const base = env['XDG_CACHE_HOME'];
  const home = env['HOME'] ?? homedir();
  return join(base && isAbsolute(base) ? base : join(home, '.cache'), 'infrastate', ...names);
}

export function cacheFile(
  env: Readonly<Record<string, string | undefined>>,
  kind: string,
  name: string,
): string {
  return join(cacheDirectory(env, kind), `${name}.json`);
}
