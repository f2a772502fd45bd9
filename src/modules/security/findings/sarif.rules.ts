import type { FindingView, SeverityName } from '../dto/security.dto.js';

const LEVELS: Record<SeverityName, 'error' | 'warning' | 'note'> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
  unknown: 'note',
};

/** A result of SARIF 2.1.0; the rules that results name are collected by the caller. */
export function sarifResultOf(finding: FindingView): Record<string, unknown> {
  const { source_file: file, source_start_line: startLine, source_end_line: endLine } = finding;
  const region =
    startLine === undefined ? {} : { region: { startLine, ...(endLine === undefined ? {} : { endLine }) } };
  return {
    ruleId: finding.check_id,
    level: LEVELS[finding.severity_effective],
    message: { text: `${finding.title}: ${finding.resource_fq_address}` },
    partialFingerprints: { 'resourceAddress/v1': finding.fingerprint },
    locations: [
      {
        ...(file === undefined
          ? {}
          : { physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...region } }),
        logicalLocations: [{ fullyQualifiedName: finding.resource_fq_address, kind: 'resource' }],
      },
    ],
    properties: {
      severity: finding.severity_effective,
      category: finding.category,
      stateId: finding.state_id,
      ...(finding.is_internet_reachable === undefined
        ? {}
        : { internetReachable: finding.is_internet_reachable }),
    },
    ...(finding.suppression === undefined
      ? {}
      : {
          suppressions: [{ kind: 'external', status: 'accepted', justification: finding.suppression.reason }],
        }),
  };
}

export function sarifRuleOf(finding: FindingView): Record<string, unknown> {
  return {
    id: finding.check_id,
    shortDescription: { text: finding.title },
    ...(finding.remediation === undefined ? {} : { help: { text: finding.remediation } }),
    properties: { tags: [finding.category, ...finding.aliases] },
  };
}

/** A log with one run is written in parts, so that a large one never stands in memory as a whole. */
export const SARIF_HEAD =
  '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":[';

export function sarifTail(version: string, rules: readonly Record<string, unknown>[]): string {
  const driver = { name: 'infrastate', version, rules };
  return `],"tool":${JSON.stringify({ driver })}}]}`;
}

/** A path as a URI reference. */
function uriOf(file: string): string {
  return file.split('/').map(encodeURIComponent).join('/');
}
