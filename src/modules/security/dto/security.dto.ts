import { ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsIn, IsOptional, IsString, IsUUID } from 'class-validator';
import { LimitParameter } from '../../../platform/http/limit-parameter.js';
import type { Category, CheckProvider, Severity } from '../engine/check.js';
import type { ScanKind, ScanStatus, ScanTrigger } from '../entities/scan.entities.js';

export type SeverityName = Severity | 'unknown';
export type FindingStatus = 'open' | 'suppressed' | 'resolved';

/** Counts by effective severity; all six are always there. */
export class SeverityBreakdownView {
  critical: number;
  high: number;
  medium: number;
  low: number;
  info: number;
  unknown: number;
}

export class ScanView {
  id: string;
  state_id: string;
  kind: ScanKind;
  status: ScanStatus;
  scanner: string;
  /** changes with the set of checks */
  scanner_version: string;
  scanned_at: string;
  finding_count: number;
  triggered_by: ScanTrigger;
  severity_breakdown?: SeverityBreakdownView;
  tx_id?: string;
  error_message?: string;
  serial?: number;
  version?: number;
  instance_count?: number;
}

export class ScanListView {
  scans: ScanView[];
  limit: number;
  total_count: number;
  next_page?: string;
}

/** Of a suppressed finding: the waiver that holds it back. */
export class SuppressionView {
  waiver_id: string;
  reason: string;
  expires_at?: string;
  created_by_name?: string;
}

export class FindingView {
  check_id: string;
  title: string;
  resource_fq_address: string;
  state_id: string;
  /** of lists over several states */
  state_name?: string;
  workspace: string;
  severity_base: SeverityName;
  severity_effective: SeverityName;
  /** SHA-1 hex of `check_id:resource_fq_address` */
  fingerprint: string;
  category: string;
  /** ids of the same check in other scanners */
  aliases: string[];
  cis?: string;
  remediation?: string;
  /** present where effective and base severity differ */
  severity_reason?: string;
  /** resources that depend on the instance, directly or not, here and in linked states */
  blast_radius_resource_count?: number;
  blast_radius_modules?: number;
  /** those of them in other states */
  cross_state_refs?: number;
  /** absent when the rules cannot tell */
  is_internet_reachable?: boolean;
  internet_reachability_evidence?: string;
  source_file?: string;
  source_start_line?: number;
  source_end_line?: number;
  first_seen_scan_id?: string;
  first_seen_at?: string;
  status: FindingStatus;
  resolved_scan_id?: string;
  resolved_at?: string;
  suppression?: SuppressionView;
}

export class FindingListView {
  findings: FindingView[];
  limit: number;
  total_count: number;
  /** the latest scan of the state; absent when it was never scanned, and in lists over several states */
  scan?: ScanView;
  next_page?: string;
}

export class TopCheckView {
  check_id: string;
  count: number;
  title: string;
}

export class FindingSummaryView {
  total: number;
  severity_breakdown: SeverityBreakdownView;
  internet_reachable_count: number;
  /** the ten most frequent checks */
  top_checks: TopCheckView[];
  suppressed_count: number;
  scan?: ScanView;
}

export class BlastBucketView {
  bucket: 'low' | 'medium' | 'high';
  count: number;
}

export class HistoryPointView {
  /** day in UTC */
  date: string;
  findings_total_count: number;
  severity_breakdown: SeverityBreakdownView;
  /** relative to the largest blast radius of the window: under 25 % low, over 75 % high */
  blast_breakdown: BlastBucketView[];
}

export class FindingHistoryView {
  points: HistoryPointView[];
  states_total: number;
  states_scanned: number;
  last_scanned_at?: string;
}

export class ListFindingsQuery {
  @IsOptional()
  @IsString()
  page?: string;
  @IsOptional()
  @LimitParameter(100, 1000)
  limit?: string;
  @ApiPropertyOptional({ type: String, description: 'effective severities, by comma or repeated' })
  @Allow()
  severity?: string | string[];
  /** id of a check, or an alias */
  @IsOptional()
  @IsString()
  check_id?: string;
  /** whether the internet reaches the resource */
  @IsOptional()
  @IsIn(['true', 'false'])
  reachable?: string;
  /** default open */
  @IsOptional()
  @IsIn(['open', 'suppressed', 'resolved', 'all'])
  status?: string;
  /** the whole list as SARIF 2.1.0 */
  @IsOptional()
  @IsIn(['json', 'sarif'])
  format?: string;
}

export class ListTenantFindingsQuery extends ListFindingsQuery {
  @IsOptional()
  @IsUUID()
  state_id?: string;
}

export class ListScansQuery {
  @IsOptional()
  @IsString()
  page?: string;
  @IsOptional()
  @LimitParameter(50, 500)
  limit?: string;
  /** scans of the state, or of what plans would make of it; default both */
  @IsOptional()
  @IsIn(['current', 'planned'])
  kind?: ScanKind;
}

export class FindingHistoryQuery {
  /** date or timestamp; default the 30 days that end with `to` */
  @ApiPropertyOptional({ type: String })
  @Allow()
  from?: unknown;
  /** date or timestamp, inclusive; default today */
  @ApiPropertyOptional({ type: String })
  @Allow()
  to?: unknown;
}

export class ListChecksQuery {
  /** adds the custom checks of the tenant */
  @IsOptional()
  @IsUUID()
  tenant_id?: string;
}

export class CheckView {
  check_id: string;
  title: string;
  severity: Severity;
  category: Category;
  provider: CheckProvider;
  resource_types: string[];
  aliases: string[];
  cis?: string;
  remediation: string;
  /** the check is itself about exposure to the internet */
  exposure: boolean;
  custom: boolean;
}

export class CheckCatalogueView {
  /** changes with the set of checks */
  version: string;
  checks: CheckView[];
}
