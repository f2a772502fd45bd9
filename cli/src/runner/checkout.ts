import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { Failure } from '../failure.js';
import { runProcess } from './processes.js';
import type { Work } from './protocol.js';
import { toolEnvironment } from './run-state.js';

/** The head does not merge with the base: a failed plan that says so. */
export class MergeConflict extends Failure {}

/** Git without hooks, prompts, and settings of the machine; the credential stands in its environment only. */
function gitEnvironment(
  { clone_url: url }: Work['repository'],
  { username, password }: Work['checkout'],
  env: Readonly<Record<string, string>>,
) {
  const settings: [string, string][] = [
    ['core.hooksPath', '/dev/null'],
    ['protocol.ext.allow', 'never'],
    ['credential.helper', ''],
    ['user.name', 'infrastate'],
    ['user.email', 'infrastate@localhost'],
    ['advice.detachedHead', 'false'],
    // The checkout is gone before it needs any.
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
  ];
  if (/^https?:/.test(url))
    settings.push([
      `http.${new URL(url).origin}/.extraHeader`,
      `Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    ]);
  return {
    ...toolEnvironment(env),
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/** Fetches exactly the commits of the run into a new directory, and merges the base where the strategy says so. */
export async function checkOut(
  work: Work,
  root: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const { checkout, repository } = work;
  const git = async (...args: string[]) =>
    runProcess('git', args, { cwd: root, env: gitEnvironment(repository, checkout, env), signal });
  const must = async (what: string, ...args: string[]): Promise<void> => {
    const { code, stderr } = await git(...args);
    if (code !== 0) throw new Failure('CHECKOUT_FAILED', `${what} failed: ${stderr.trim().slice(-2000)}`);
  };
  const isMerging = checkout.strategy === 'merge' && checkout.base_sha !== checkout.head_sha;
  await must('git init', 'init', '--quiet', '.');
  const commits = isMerging ? [checkout.head_sha, checkout.base_sha] : [checkout.head_sha];
  const depth = isMerging ? [] : ['--depth=1'];
  await must(
    'git fetch',
    'fetch',
    '--quiet',
    '--no-tags',
    ...depth,
    '--end-of-options',
    repository.clone_url,
    ...commits,
  );
  await must(
    'git checkout',
    'checkout',
    '--quiet',
    '--detach',
    isMerging ? checkout.base_sha : checkout.head_sha,
  );
  if (!isMerging) return;
  const merged = await git('merge', '--quiet', '--no-edit', checkout.head_sha);
  if (merged.code === 0) return;
  const { stdout } = await git('diff', '--name-only', '--diff-filter=U');
  throw new MergeConflict(
    'MERGE_CONFLICT',
    `${checkout.head_ref} does not merge with ${checkout.base_ref}: ${stdout.trim().split('\n').slice(0, 20).join(', ') || merged.stderr.trim()}`,
  );
}

/** A directory of the checkout; a link that leads out of it is refused. */
export function directoryIn(root: string, dir: string): string {
  const path = realpathSync(join(root, dir));
  const top = realpathSync(root);
  if (path !== top && !path.startsWith(top + sep))
    throw new Failure('DIRECTORY_REFUSED', 'the directory must be inside of the checkout');
  return path;
}
