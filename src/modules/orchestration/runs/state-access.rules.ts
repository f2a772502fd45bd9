import type { Grants } from '../../access/index.js';

/** What is known of the group of states that a dirspace names. */
export interface StateGroupStanding {
  /** tenant of the group; undefined: no state of it exists */
  tenantId: string | undefined;
  /** the base branch names the group */
  isTrusted: boolean;
  /** runs of this repository created it */
  isOwn: boolean;
}

/** Why a run may not reach a group; undefined: it may (notes 9.9). A pull request alone cannot name somebody's state. */
export function groupRefusal(
  { tenantId, isTrusted, isOwn }: StateGroupStanding,
  runTenantId: string,
): string | undefined {
  if (tenantId === undefined) return undefined;
  // A group of another tenant looks like any other that may not be reached.
  if (tenantId === runTenantId && (isTrusted || isOwn)) return undefined;
  return 'this run may not use the state group: name it in the configuration of the base branch first';
}

/** Rights over the states of a run: plans preview them, applies commit them, too. */
export function stateGrants(stateIds: readonly string[], run: { isApply: boolean }): Grants {
  if (stateIds.length === 0) return {};
  const on = (action: string) => ({ states: Object.fromEntries(stateIds.map((id) => [id, [action]])) });
  return { preview: on('preview'), ...(run.isApply ? { commit: on('commit') } : {}) };
}
