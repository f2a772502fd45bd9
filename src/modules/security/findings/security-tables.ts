import type { QueryColumn, QueryTable } from '../../mql/index.js';

const column = (type: QueryColumn['type'], value: string, description: string): QueryColumn => ({
  type,
  value,
  description,
});
const text = (value: string, description: string) => column('text', `(${value}) COLLATE "C"`, description);
/** A name that the service limits, or one of a few words. */
const word = (value: string, description: string): QueryColumn => ({
  ...text(value, description),
  isBounded: true,
});
const severity = (rank: string): string =>
  `CASE ${rank} WHEN 4 THEN 'critical' WHEN 3 THEN 'high' WHEN 2 THEN 'medium' WHEN 1 THEN 'low' WHEN 0 THEN 'info' ELSE 'unknown' END`;

/** Open and past findings, and those that plans would add. */
const FINDINGS = `(SELECT f.id, f.scan_id, f.state_id, f.tenant_id, 'current' AS kind, f.check_id, f.category, f.address, f.fingerprint,
    f.severity_base, f.severity, f.severity_reason, f.reachable, f.evidence, f.blast_resources, f.blast_modules, f.blast_states,
    c.file AS source_file, c.start_line, c.end_line,
    CASE WHEN f.resolved_at IS NOT NULL THEN 'resolved' WHEN f.waived_until > now() THEN 'suppressed' ELSE 'open' END AS status,
    f.first_seen_scan_id, f.first_seen_at, f.resolved_scan_id, f.resolved_at, NULL::uuid AS tx_id,
    CASE WHEN f.resolved_at IS NULL AND f.waived_until > now() THEN w.created_by_name END AS waived_by
  FROM security_findings f LEFT JOIN security_waivers w ON w.id = f.waiver_id LEFT JOIN state_configuration c ON c.state_id = f.state_id AND c.kind = 'hcl' AND c.file <> ''
    AND c.key = substr(encode(sha256(convert_to(regexp_replace(f.address, '\\[("([^"\\\\]|\\\\.)*"|[0-9]+)\\]', '', 'g'), 'UTF8')), 'hex'), 1, 32)::uuid
  UNION ALL
  SELECT p.id, p.scan_id, p.state_id, p.tenant_id, 'planned', p.check_id, p.category, p.address, p.fingerprint, p.severity_base,
    p.severity, p.severity_reason, p.reachable, p.evidence, p.blast_resources, p.blast_modules, p.blast_states, p.source_file,
    p.source_start_line, p.source_end_line, 'open', NULL::uuid, NULL::timestamptz, NULL::uuid, NULL::timestamptz, p.tx_id, NULL::text
  FROM security_planned_findings p WHERE p.effect = 'added') f`;

/** Security as SQL queries see it. `titles`: title by id of the built-in checks. */
export function securityTables(titles: ReadonlyMap<string, string>): readonly QueryTable[] {
  const title = `coalesce((SELECT k.title FROM security_custom_checks k WHERE k.tenant_id = f.tenant_id AND k.check_id = f.check_id), (${jsonOf(titles)}) ->> f.check_id, f.check_id)`;
  return [
    {
      name: 'security_scans',
      description: 'Security scans of states, and of what plans would make of them',
      from: 'security_scans c',
      where: (tenants) => `c.tenant_id = ANY (${tenants}::uuid[])`,
      columns: {
        id: column('uuid', 'c.id', 'id of the scan'),
        state_id: column('uuid', 'c.state_id', 'the state'),
        tenant_id: column('uuid', 'c.tenant_id', 'the tenant'),
        kind: word('c.kind', '`current` or `planned`'),
        status: word('c.status', '`running`, `completed` or `failed`'),
        scanner: word(`'infrastate'::text`, 'always `infrastate`'),
        scanner_version: word('c.scanner_version', 'changes with the set of checks'),
        scanned_at: column('timestamptz', 'c.scanned_at', 'when the scan began'),
        finding_count: column('integer', 'c.finding_count', 'open findings of the state after the scan'),
        triggered_by: word('c.triggered_by', 'what started it, such as `backend_write` or `manual`'),
        tx_id: column('uuid', 'c.tx_id', 'newest transaction that it covers'),
        serial: column('bigint', 'c.serial', 'serial of the state'),
        severity_breakdown: column('jsonb', 'c.severity_breakdown', 'open findings by effective severity'),
        error_message: text('c.error_message', 'why a scan failed'),
      },
    },
    {
      name: 'security_scan_findings',
      description: 'Findings that are open or were, and those that a plan would add',
      from: FINDINGS,
      where: (tenants) => `f.tenant_id = ANY (${tenants}::uuid[])`,
      columns: {
        id: column('uuid', 'f.id', 'id of the finding'),
        scan_id: column('uuid', 'f.scan_id', 'the scan that wrote it last'),
        state_id: column('uuid', 'f.state_id', 'the state'),
        tenant_id: column('uuid', 'f.tenant_id', 'the tenant'),
        kind: word('f.kind', '`current`, or `planned` while a plan would add it'),
        check_id: word('f.check_id', 'the check'),
        title: word(title, 'title of the check'),
        category: word('f.category', 'category of the check'),
        resource_fq_address: text('f.address', 'address of the instance'),
        fingerprint: word('f.fingerprint', 'SHA-1 of check and address'),
        severity_base: word(severity('f.severity_base'), 'severity of the check'),
        severity_effective: word(severity('f.severity'), 'severity here'),
        severity_reason: text('f.severity_reason', 'why the two differ'),
        is_internet_reachable: column(
          'boolean',
          'f.reachable',
          'whether the internet reaches it; null: unknown',
        ),
        internet_reachability_evidence: text('f.evidence', 'the way from the internet'),
        blast_radius_resource_count: column('integer', 'f.blast_resources', 'resources that depend on it'),
        blast_radius_modules: column('integer', 'f.blast_modules', 'modules that these lie in'),
        cross_state_refs: column('integer', 'f.blast_states', 'those of them in other states'),
        source_file: text('f.source_file', 'file of its block in what was last applied'),
        source_start_line: column('integer', 'f.start_line', 'first line of the block'),
        source_end_line: column('integer', 'f.end_line', 'last line of the block'),
        status: word('f.status', '`open`, `suppressed` or `resolved`'),
        first_seen_scan_id: column('uuid', 'f.first_seen_scan_id', 'the scan that found it'),
        first_seen_at: column('timestamptz', 'f.first_seen_at', 'when it was found'),
        resolved_scan_id: column('uuid', 'f.resolved_scan_id', 'the scan that did not find it any more'),
        resolved_at: column('timestamptz', 'f.resolved_at', 'when it was resolved'),
        tx_id: column('uuid', 'f.tx_id', 'the planned transaction that would add it'),
        waived_by: text('f.waived_by', 'who accepted the risk, of a suppressed finding'),
      },
    },
    {
      name: 'internet_exposures',
      description: 'Instances that are reachable from the internet',
      from: 'security_reach e',
      where: (tenants) => `e.tenant_id = ANY (${tenants}::uuid[]) AND e.reachable`,
      columns: {
        state_id: column('uuid', 'e.state_id', 'the state'),
        address: text('e.address', 'address of the instance'),
        type: word('e.type', 'resource type'),
        evidence: text('e.evidence', 'the way from the internet'),
        ports: text('e.ports', 'ports that are open, where they are known'),
      },
    },
  ];
}

/** A constant of the view: the titles of the built-in checks. */
function jsonOf(titles: ReadonlyMap<string, string>): string {
  return `'${JSON.stringify(Object.fromEntries(titles)).replaceAll("'", "''")}'::jsonb`;
}
