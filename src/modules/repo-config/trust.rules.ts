import type { RepoConfig } from './config.schema.js';

/**
 * Which branch decides about a key of the configuration. What gives rights, names machines or says what may be applied
 * counts as it stands on the base branch; a pull request changes it by being merged. A new key needs a place here.
 */
export const TRUST = {
  version: 'head',
  enabled: 'base',
  destination_branches: 'base',
  checkout: 'head',
  engine: 'head',
  when_modified: 'head',
  dirs: 'head',
  workflows: 'head',
  hooks: 'head',
  access_control: 'base',
  apply_requirements: 'base',
  drift: 'base',
  run: 'base',
  indexer: 'head',
  config_builder: 'base',
  automerge: 'base',
  cost_estimation: 'head',
  security: 'head',
} as const satisfies Record<keyof RepoConfig, 'base' | 'head'>;

/** The configuration that counts for a pull request, and the states that its runs may reach besides their own. */
export interface EffectiveConfig {
  config: RepoConfig;
  /** state groups that the base branch names */
  trustedStateGroups: ReadonlySet<string>;
}

export function effectiveConfig(base: RepoConfig, head: RepoConfig): EffectiveConfig {
  const entries = (Object.keys(TRUST) as (keyof RepoConfig)[]).map((key) => [
    key,
    (TRUST[key] === 'base' ? base : head)[key],
  ]);
  return {
    config: Object.fromEntries(entries) as RepoConfig,
    trustedStateGroups: stateGroupsOf(base),
  };
}

/** Ids, in lower case, of all state groups that a configuration names. */
export function stateGroupsOf({ dirs }: RepoConfig): Set<string> {
  const references = Object.values(dirs).flatMap(({ state, workspaces = {} }) => [
    state,
    ...Object.values(workspaces).map((workspace) => workspace.state),
  ]);
  return new Set(references.flatMap((state) => (state ? [state.group_id.toLowerCase()] : [])));
}
