import { allows, type Capability, type Grants, isUnscoped, type Scope } from '../../platform/access';

/** What somebody picks for a key. */
export interface Choice {
  /** everything its creator may do, now and later */
  isEverything: boolean;
  capabilities: readonly Capability[];
  where: 'everywhere' | 'tenants' | 'states';
  tenants: readonly string[];
  states: readonly string[];
  /** the tenant that the states belong to */
  statesOf?: string | undefined;
}

export const EVERYTHING: Choice = {
  isEverything: true,
  capabilities: [],
  where: 'everywhere',
  tenants: [],
  states: [],
};

/** Capabilities that can be given to a key, with what they allow. */
export const PICKABLE: readonly { capability: Capability; label: string; doing: string }[] = [
  { capability: 'preview', label: 'Plan', doing: 'plan' },
  { capability: 'commit', label: 'Write and apply', doing: 'write and apply' },
  { capability: 'users-manage', label: 'Manage people', doing: 'manage people' },
  { capability: 'access-token-create', label: 'Make API keys', doing: 'make API keys' },
  { capability: 'admin', label: 'Administer', doing: 'administer' },
];

/** Capabilities that mean something on a single state. */
const OF_STATES: ReadonlySet<Capability> = new Set(['preview', 'commit', 'admin']);

/** Whether the creator holds enough to give a capability where it is to hold: what one lacks cannot be picked. */
export function canPick(held: Grants, capability: Capability, choice: Choice): boolean {
  if (choice.where === 'everywhere') return allows(held, { capability });
  if (choice.where === 'tenants')
    return choice.tenants.length === 0
      ? allows(held, { capability, anywhere: true })
      : choice.tenants.every((tenantId) => allows(held, { capability, tenantId }));
  if (!OF_STATES.has(capability)) return false;
  return choice.states.length === 0
    ? allows(held, { capability, anywhere: true })
    : choice.states.every((stateId) => allows(held, { capability, tenantId: choice.statesOf, stateId }));
}

/** The capabilities object of a choice; undefined when the key inherits everything. */
export function grantsOf(choice: Choice): Grants | undefined {
  if (choice.isEverything) return undefined;
  return Object.fromEntries(choice.capabilities.map((capability) => [capability, scopeOf(choice)]));
}

function scopeOf(choice: Choice): Scope {
  if (choice.where === 'everywhere') return {};
  if (choice.where === 'tenants') return { tenants: [...choice.tenants] };
  return { states: Object.fromEntries(choice.states.map((id) => [id, ['*']])) };
}

export function isComplete(choice: Choice): boolean {
  if (choice.isEverything) return true;
  if (choice.capabilities.length === 0) return false;
  return choice.where === 'everywhere' || choice[choice.where].length > 0;
}

/** The sentence that a choice amounts to. `nameOf` gives the name of a tenant or state. */
export function sentenceOf(choice: Choice, nameOf: (id: string) => string): string {
  if (choice.isEverything) return 'This key may do everything that you may do.';
  if (!isComplete(choice)) return 'Choose what this key may do, and where.';
  const doing = PICKABLE.filter(({ capability }) => choice.capabilities.includes(capability)).map(
    (one) => one.doing,
  );
  const places =
    choice.where === 'everywhere'
      ? 'everywhere'
      : `${choice.where === 'tenants' ? 'in' : 'on'} ${listed(choice[choice.where].map(nameOf))}`;
  return `This key may ${listed(doing)} ${places}.`;
}

function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en').format(words);
}

/** Drops what can no longer be picked after the place has changed. */
export function consistent(held: Grants, choice: Choice): Choice {
  return {
    ...choice,
    capabilities: choice.capabilities.filter((capability) => canPick(held, capability, choice)),
  };
}

/** Whether a creator holds anything installation-wide; otherwise `everywhere` is no choice. */
export function holdsAnythingEverywhere(held: Grants): boolean {
  return Object.values(held).some(isUnscoped);
}
