import { FindingView, SeverityBreakdownView } from './security.dto.js';

export class ImpactComputingView {
  status: 'computing';
}

export class ImpactSummaryView {
  tx_id: string;
  /** what a plan would do, or what a commit did */
  source: 'planned' | 'commit';
  computed_at: string;
  scan_ids: string[];
  states_affected: string[];
  /** added findings on which other states depend */
  cross_boundary_finding_count: number;
  added_by_severity: SeverityBreakdownView;
  resolved_by_severity: SeverityBreakdownView;
}

export class ImpactView {
  tx_id: string;
  /** what a plan would do, or what a commit did */
  source: 'planned' | 'commit';
  computed_at: string;
  scan_ids: string[];
  states_affected: string[];
  /** added findings on which other states depend */
  cross_boundary_finding_count: number;
  findings_added: FindingView[];
  findings_resolved: FindingView[];
}
