import type { Category, Severity } from '../engine/check.js';

/** Ranks of severities, as they are stored. */
export const RANKS = { info: 0, low: 1, medium: 2, high: 3, critical: 4 } as const satisfies Record<
  Severity,
  number
>;
const NAMES = ['info', 'low', 'medium', 'high', 'critical'] as const;
export const UNKNOWN_RANK = -1;

/** A check of one of these matters more where the resource can be reached from the internet. */
const EXPOSED_CATEGORIES: ReadonlySet<Category> = new Set<Category>([
  ...['network-exposure', 'public-access', 'encryption-transit', 'hardening', 'secrets', 'identity'],
] as Category[]);

const MANY_DEPENDENTS = 20;
const MANY_MODULES = 3;

/** What depends on an instance, directly or not: resources, the modules they lie in, and those of them in other states. */
export interface Blast {
  readonly resources: number;
  readonly modules: number;
  readonly otherStates: number;
}

export const NO_BLAST: Blast = { resources: 0, modules: 0, otherStates: 0 };

export interface Circumstances {
  /** false: complete data shows that there is no way; undefined: unknown */
  readonly reachable: boolean | undefined;
  readonly evidence?: string | undefined;
  readonly blast: Blast;
}

export interface RatedCheck {
  readonly severity: Severity;
  readonly category: Category;
  readonly exposure?: boolean;
}

export interface EffectiveSeverity {
  readonly base: number;
  readonly effective: number;
  /** present exactly where effective differs from base */
  readonly reason: string | undefined;
}

export function severityName(rank: number): Severity | 'unknown' {
  return NAMES[rank] ?? 'unknown';
}

/** The formula of docs/security.md: up where the internet or much else depends on it, down where nobody gets there. */
export function effectiveSeverity(
  check: RatedCheck,
  { reachable, evidence, blast }: Circumstances,
): EffectiveSeverity {
  const base = RANKS[check.severity];
  const reasons: { change: number; text: string }[] = [];
  if (reachable === true && EXPOSED_CATEGORIES.has(check.category))
    reasons.push({
      change: 1,
      text: evidence === undefined ? 'reachable from the internet' : `reachable through ${evidence}`,
    });
  if (blast.resources >= MANY_DEPENDENTS || blast.otherStates > 0 || blast.modules >= MANY_MODULES)
    reasons.push({ change: 1, text: blastText(blast) });
  if (check.exposure === true && reachable === false)
    reasons.push({ change: -1, text: 'not reachable from the internet' });
  const change = reasons.reduce((sum, reason) => sum + reason.change, 0);
  const effective = bounded(base, change);
  if (effective === base) return { base, effective, reason: undefined };
  const direction = Math.sign(effective - base);
  const texts = reasons.filter((reason) => reason.change === direction).map(({ text }) => text);
  return { base, effective, reason: texts.join('; ') };
}

function bounded(base: number, change: number): number {
  const raised = base <= RANKS.low ? Math.min(change, 1) : change;
  const lowest = Math.min(base, RANKS.low);
  return Math.max(lowest, Math.min(RANKS.critical, base + raised));
}

function blastText({ resources, modules, otherStates }: Blast): string {
  const counted = `${resources} ${resources === 1 ? 'resource' : 'resources'} in ${modules} ${modules === 1 ? 'module' : 'modules'}`;
  const depend = resources === 1 ? 'depends' : 'depend';
  return `${counted} ${depend} on it${otherStates > 0 ? `, ${otherStates} of them in other states` : ''}`;
}
