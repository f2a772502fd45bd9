import type { FindingView } from '../dto/security.dto.js';
import { sarifResultOf } from './sarif.rules.js';

const FINDING: FindingView = {
  check_id: 'AWS-S3-001',
  title: 'a title',
  resource_fq_address: 'module.a.aws_s3_bucket.b["c"]',
  state_id: 's',
  workspace: 'default',
  severity_base: 'high',
  severity_effective: 'high',
  fingerprint: 'f',
  category: 'public-access',
  aliases: [],
  status: 'open',
};

describe('Findings as SARIF', () => {
  it.each([
    ['critical', 'error'],
    ['high', 'error'],
    ['medium', 'warning'],
    ['low', 'note'],
    ['info', 'note'],
    ['unknown', 'note'],
  ] as const)('have for %s the level %s', (severity, level) => {
    expect(sarifResultOf({ ...FINDING, severity_base: 'high', severity_effective: severity })).toMatchObject({
      level,
    });
  });

  const logicalLocations = [{ fullyQualifiedName: FINDING.resource_fq_address, kind: 'resource' }];
  it.each([
    ['no source', {}, {}],
    [
      'a file',
      { source_file: 'a b/main.tf' },
      { physicalLocation: { artifactLocation: { uri: 'a%20b/main.tf' } } },
    ],
    [
      'a file and its lines',
      { source_file: 'main.tf', source_start_line: 3, source_end_line: 9 },
      {
        physicalLocation: {
          artifactLocation: { uri: 'main.tf' },
          region: { startLine: 3, endLine: 9 },
        },
      },
    ],
    ['lines without a file', { source_start_line: 3 }, {}],
  ])('have a location for %s', (_name, source, location) => {
    expect(sarifResultOf({ ...FINDING, ...source })['locations']).toEqual([
      { ...location, logicalLocations },
    ]);
  });

  it('are suppressed by a waiver, with its reason', () => {
    expect(sarifResultOf(FINDING)).not.toHaveProperty('suppressions');
    const suppression = { waiver_id: 'w', reason: 'a public site' };
    expect(sarifResultOf({ ...FINDING, status: 'suppressed', suppression })['suppressions']).toEqual([
      { kind: 'external', status: 'accepted', justification: 'a public site' },
    ]);
  });
});
