import { UsageFailure } from '../failure.js';

/** From the least on. */
export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];
/** Counts as the service gives them; it counts findings of unknown severity as well. */
export type Breakdown = Readonly<Record<Severity | 'unknown', number>>;

/** The severity that `--fail-on` names; undefined when it was not given. */
export function severityOption(value: string | undefined): Severity | undefined {
  if (value === undefined) return undefined;
  const severity = SEVERITIES.find((name) => name === value);
  if (!severity) throw new UsageFailure(`--fail-on must be one of ${SEVERITIES.join(', ')}`);
  return severity;
}

/** How many findings are of this severity or worse. */
export function countFrom(severity: Severity, breakdown: Breakdown): number {
  return SEVERITIES.slice(SEVERITIES.indexOf(severity)).reduce((sum, name) => sum + breakdown[name], 0);
}

export function breakdownOf(findings: readonly { severity_effective: string }[]): Breakdown {
  const breakdown = { info: 0, low: 0, medium: 0, high: 0, critical: 0, unknown: 0 };
  for (const { severity_effective: severity } of findings)
    if (Object.hasOwn(breakdown, severity)) breakdown[severity as keyof typeof breakdown]++;
  return breakdown;
}

/** `1 critical, 2 high`, the worst first; empty when there are none. */
export function breakdownText(breakdown: Breakdown): string {
  return [...SEVERITIES]
    .reverse()
    .concat(breakdown.unknown > 0 ? (['unknown'] as never[]) : [])
    .flatMap((name) => (breakdown[name] > 0 ? [`${breakdown[name]} ${name}`] : []))
    .join(', ');
}

/** One line for what a change adds and resolves. */
export function impactLine(added: Breakdown, resolved: Breakdown): string {
  const count = (breakdown: Breakdown): number => Object.values(breakdown).reduce((sum, one) => sum + one, 0);
  const [more, fewer] = [count(added), count(resolved)];
  if (more === 0 && fewer === 0) return 'Security: no finding added or resolved';
  const words = breakdownText(added);
  const noun = more === 1 ? 'finding' : 'findings';
  return `Security: ${more} ${noun} added${words === '' ? '' : ` (${words})`}, ${fewer} resolved`;
}
