import { ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsIn, IsOptional, IsString, IsUUID } from 'class-validator';
import { PageLimit, PageToken } from '../../../platform/http/index.js';
import type { Category, CheckProvider, Severity } from '../engine/check.js';
import type { ScanKind, ScanStatus, ScanTrigger } from '../entities/scan.entities.js';

export type SeverityName = Severity | 'unknown';
export type FindingStatus = 'open' | 'suppressed' | 'resolved';

/** Counts by effective severity; all six are always there. */
export class SeverityBreakdownView {
  /** findings of this severity */
  critical: number;
  /** findings of this severity */
  high: number;
  /** findings of this severity */
  medium: number;
  /** findings of this severity */
  low: number;
  /** findings of this severity */
  info: number;
  /** findings whose severity is not known */
  unknown: number;
}

export class ScanView {
  id: string;
  state_id: string;
  kind: ScanKind;
  status: ScanStatus;
  /** name of the scanner */
  scanner: string;
  /** changes with the set of checks */
  scanner_version: string;
  /** when the scan began */
  scanned_at: string;
  /** open findings of the state after the scan */
  finding_count: number;
  triggered_by: ScanTrigger;
  severity_breakdown?: SeverityBreakdownView;
  tx_id?: string;
  /** why the scan failed */
  error_message?: string;
  serial?: number;
  version?: number;
  instance_count?: number;
}

export class ScanListView {
  /** the scans, newest first */
  scans: ScanView[];
  limit: number;
  total_count: number;
  next_page?: string;
}

/** Of a suppressed finding: the waiver that holds it back. */
export class SuppressionView {
  /** id of the waiver */
  waiver_id: string;
  /** why the risk is accepted */
  reason: string;
  expires_at?: string;
  created_by_name?: string;
}

export class FindingView {
  /** id of the check */
  check_id: string;
  /** title of the check */
  title: string;
  /** address of the instance */
  resource_fq_address: string;
  state_id: string;
  /** of lists over several states */
  state_name?: string;
  workspace: string;
  severity_base: SeverityName;
  severity_effective: SeverityName;
  /** SHA-1 hex of `check_id:resource_fq_address` */
  fingerprint: string;
  /** category of the check */
  category: string;
  /** ids of the same check in other scanners */
  aliases: string[];
  /** section of the CIS benchmark */
  cis?: string;
  /** which argument to change, and to what */
  remediation?: string;
  /** present where effective and base severity differ */
  severity_reason?: string;
  /** resources that depend on the instance, directly or not, here and in linked states */
  blast_radius_resource_count?: number;
  /** modules that the dependent resources lie in */
  blast_radius_modules?: number;
  /** those of them in other states */
  cross_state_refs?: number;
  /** absent when the rules cannot tell */
  is_internet_reachable?: boolean;
  /** the way from the internet: ids, addresses and ports */
  internet_reachability_evidence?: string;
  /** file of the block in the configuration that was applied last */
  source_file?: string;
  /** first line of the block */
  source_start_line?: number;
  /** last line of the block */
  source_end_line?: number;
  /** the scan that found it */
  first_seen_scan_id?: string;
  /** when it was found */
  first_seen_at?: string;
  status: FindingStatus;
  /** the scan that did not find it any more */
  resolved_scan_id?: string;
  /** when it was resolved */
  resolved_at?: string;
  suppression?: SuppressionView;
}

export class FindingListView {
  /** the findings, most severe first */
  findings: FindingView[];
  limit: number;
  total_count: number;
  /** the latest scan of the state; absent when it was never scanned, and in lists over several states */
  scan?: ScanView;
  next_page?: string;
}

export class TopCheckView {
  /** id of the check */
  check_id: string;
  count: number;
  /** title of the check */
  title: string;
}

export class FindingSummaryView {
  total: number;
  severity_breakdown: SeverityBreakdownView;
  /** open findings on resources that the internet reaches */
  internet_reachable_count: number;
  /** the ten most frequent checks */
  top_checks: TopCheckView[];
  /** findings that a waiver suppresses */
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
  /** findings that were open at the end of the day */
  findings_total_count: number;
  severity_breakdown: SeverityBreakdownView;
  /** relative to the largest blast radius of the window: under 25 % low, over 75 % high */
  blast_breakdown: BlastBucketView[];
}

export class FindingHistoryView {
  /** one point for each day, oldest first */
  points: HistoryPointView[];
  /** states of the tenant */
  states_total: number;
  /** states that were scanned at least once */
  states_scanned: number;
  /** when the latest scan began */
  last_scanned_at?: string;
}

export class ListFindingsQuery {
  @PageToken()
  page?: string;
  @PageLimit(100, 1000)
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
  @PageToken()
  page?: string;
  @PageLimit(50, 500)
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
  /** id of the check */
  check_id: string;
  /** title of the check */
  title: string;
  severity: Severity;
  /** category of the check */
  category: Category;
  provider: CheckProvider;
  resource_types: string[];
  /** ids of the same check in other scanners */
  aliases: string[];
  /** section of the CIS benchmark */
  cis?: string;
  /** which argument to change, and to what */
  remediation: string;
  /** the check is itself about exposure to the internet */
  exposure: boolean;
  /** whether the tenant defined the check itself */
  custom: boolean;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'of a custom check: it applies only where this condition is true',
  })
  when?: object;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'of a custom check: the condition that makes a finding',
  })
  fail?: object;
}

export class CheckCatalogueView {
  /** changes with the set of checks */
  version: string;
  /** the checks, by id */
  checks: CheckView[];
}
