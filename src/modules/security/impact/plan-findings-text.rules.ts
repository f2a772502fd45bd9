import type { ImpactSummaryView } from '../dto/impact.dto.js';

const ORDER = ['critical', 'high', 'medium', 'low', 'info', 'unknown'] as const;
type Breakdown = ImpactSummaryView['added_by_severity'];

/** Such as `2 added (1 critical, 1 low; 1 reaches other states), 3 resolved`. */
export function planFindingsText(
  summary: Pick<
    ImpactSummaryView,
    'added_by_severity' | 'resolved_by_severity' | 'cross_boundary_finding_count'
  >,
): string {
  const [added, resolved] = [sumOf(summary.added_by_severity), sumOf(summary.resolved_by_severity)];
  if (added + resolved === 0) return 'none added, none resolved';
  const across = summary.cross_boundary_finding_count;
  const parts = ORDER.flatMap((severity) => {
    const count = summary.added_by_severity[severity];
    return count > 0 ? [`${count} ${severity}`] : [];
  }).join(', ');
  const reaching = across > 0 ? `; ${across} on what other states depend on` : '';
  const ofWhich = added > 0 ? ` (${parts}${reaching})` : '';
  return `${added} added${ofWhich}, ${resolved} resolved`;
}

function sumOf(breakdown: Breakdown): number {
  return ORDER.reduce((sum, severity) => sum + breakdown[severity], 0);
}
