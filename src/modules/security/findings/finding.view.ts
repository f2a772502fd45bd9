import type { CheckView, FindingView, ScanView } from '../dto/security.dto.js';
import type { BlockSource } from '../../configurations/index.js';
import { type Check, CHECK_PROVIDERS, type CheckProvider } from '../engine/check.js';
import type { ProvidedCheck } from '../engine/check-registry.js';
import type { ScanTrigger } from '../entities/scan.entities.js';
import { severityName } from './effective-severity.rules.js';
import type { FindingRow } from './findings.queries.js';
import type { ScanRow } from './summary.queries.js';

export const SCANNER = 'infrastate';

export function toScanView(row: ScanRow): ScanView {
  return {
    id: row.id,
    state_id: row.state_id,
    kind: row.kind,
    status: row.status,
    scanner: SCANNER,
    scanner_version: row.scanner_version,
    scanned_at: row.scanned_at.toISOString(),
    finding_count: row.finding_count,
    triggered_by: row.triggered_by as ScanTrigger,
    ...(row.severity_breakdown === null ? {} : { severity_breakdown: row.severity_breakdown }),
    ...(row.tx_id === null ? {} : { tx_id: row.tx_id }),
    ...(row.error_message === null ? {} : { error_message: row.error_message }),
    ...(row.serial === null ? {} : { serial: Number(row.serial) }),
    ...(row.version === null ? {} : { version: row.version }),
    ...(row.instance_count === null ? {} : { instance_count: row.instance_count }),
  };
}

export function toFindingView(
  row: FindingRow,
  check: Check | undefined,
  more: { source: BlockSource | undefined; withStateName: boolean },
): FindingView {
  return {
    check_id: row.check_id,
    title: check?.title ?? row.check_id,
    resource_fq_address: row.address,
    state_id: row.state_id,
    ...(more.withStateName ? { state_name: row.state_name } : {}),
    workspace: row.workspace,
    severity_base: severityName(row.severity_base),
    severity_effective: severityName(row.severity),
    fingerprint: row.fingerprint,
    category: row.category,
    aliases: [...(check?.aliases ?? [])],
    ...guidanceOf(check),
    ...(row.severity_reason === null ? {} : { severity_reason: row.severity_reason }),
    blast_radius_resource_count: row.blast_resources,
    blast_radius_modules: row.blast_modules,
    cross_state_refs: row.blast_states,
    ...(row.reachable === null ? {} : { is_internet_reachable: row.reachable }),
    ...(row.evidence === null ? {} : { internet_reachability_evidence: row.evidence }),
    ...placeOf(more.source),
    ...historyOf(row),
    ...suppressionOf(row),
  };
}

function guidanceOf(check: Check | undefined): Pick<FindingView, 'cis' | 'remediation'> {
  return {
    ...(check?.cis === undefined ? {} : { cis: check.cis }),
    ...(check?.remediation ? { remediation: check.remediation } : {}),
  };
}

type Place = Pick<FindingView, 'source_file' | 'source_start_line' | 'source_end_line'>;

function placeOf(source: BlockSource | undefined): Place {
  if (source === undefined) return {};
  return {
    source_file: source.file,
    ...(source.startLine === null ? {} : { source_start_line: source.startLine }),
    ...(source.endLine === null ? {} : { source_end_line: source.endLine }),
  };
}

type History = Pick<
  FindingView,
  'first_seen_scan_id' | 'first_seen_at' | 'status' | 'resolved_scan_id' | 'resolved_at'
>;

function historyOf(row: FindingRow): History {
  return {
    ...(row.first_seen_scan_id === null ? {} : { first_seen_scan_id: row.first_seen_scan_id }),
    ...(row.first_seen_at === null ? {} : { first_seen_at: row.first_seen_at.toISOString() }),
    status: row.resolved_at !== null ? 'resolved' : row.suppressed ? 'suppressed' : 'open',
    ...(row.resolved_scan_id === null ? {} : { resolved_scan_id: row.resolved_scan_id }),
    ...(row.resolved_at === null ? {} : { resolved_at: row.resolved_at.toISOString() }),
  };
}

function suppressionOf(row: FindingRow): Pick<FindingView, 'suppression'> {
  if (!row.suppressed || row.waiver_id === null) return {};
  return {
    suppression: {
      waiver_id: row.waiver_id,
      reason: row.waiver_reason ?? '',
      ...(row.waiver_expires_at === null ? {} : { expires_at: row.waiver_expires_at.toISOString() }),
      ...(row.waiver_author === null ? {} : { created_by_name: row.waiver_author }),
    },
  };
}

export function toCheckView(check: Check | ProvidedCheck, { custom }: { custom: boolean }): CheckView {
  return {
    check_id: check.id,
    title: check.title,
    severity: check.severity,
    category: check.category,
    provider: 'provider' in check ? check.provider : providerOfTypes(check.types),
    resource_types: [...check.types],
    aliases: [...check.aliases],
    ...(check.cis === undefined ? {} : { cis: check.cis }),
    remediation: check.remediation,
    exposure: check.exposure ?? false,
    custom,
    ...(custom ? conditionsOf(check) : {}),
  };
}

/** What its authors need to change it. Conditions of built-in checks are code and no part of the contract. */
function conditionsOf({ when, fail }: Check): Pick<CheckView, 'when' | 'fail'> {
  return { ...(when === undefined ? {} : { when }), fail };
}

const PREFIXES: Record<CheckProvider, string> = {
  aws: 'aws_',
  azure: 'azurerm_',
  gcp: 'google_',
  kubernetes: 'kubernetes_',
  github: 'github_',
};

/** Of a custom check: the provider of its first type that belongs to one. */
function providerOfTypes(types: readonly string[]): CheckProvider {
  for (const type of types) {
    const provider = CHECK_PROVIDERS.find((name) => type.startsWith(PREFIXES[name]));
    if (provider !== undefined) return provider;
  }
  return 'aws';
}
