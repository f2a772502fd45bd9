import { FindingView, SeverityBreakdownView } from './security.dto.js';

export class ImpactComputingView {
  status: 'computing';
}

export class ImpactSummaryView {
  tx_id: string;
  /** what a plan would do, or what a commit did */
  source: 'planned' | 'commit';
  /** when the impact was computed */
  computed_at: string;
  /** the scans that it is taken from */
  scan_ids: string[];
  /** states whose findings change */
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
  /** when the impact was computed */
  computed_at: string;
  /** the scans that it is taken from */
  scan_ids: string[];
  /** states whose findings change */
  states_affected: string[];
  /** added findings on which other states depend */
  cross_boundary_finding_count: number;
  /** findings that the change adds */
  findings_added: FindingView[];
  /** findings that the change resolves */
  findings_resolved: FindingView[];
}
