import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Written in bulk (findings.store.ts); counters follow by trigger. */
@Entity('security_findings')
export class FindingEntity {
  @PrimaryColumn('uuid')
  id: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('uuid', { name: 'state_id' })
  stateId: string;
  /** of the instance */
  @Column('uuid')
  key: string;
  @Column('text', { name: 'check_id' })
  checkId: string;
  @Column('text')
  address: string;
  @Column('text')
  fingerprint: string;
  @Column('smallint')
  severity: number;
  @Column('timestamptz', { name: 'resolved_at', nullable: true })
  resolvedAt: Date | null;
  @Column('smallint', { name: 'severity_base' })
  severityBase: number;
  @Column('text', { name: 'severity_reason', nullable: true })
  severityReason: string | null;
  @Column('text')
  category: string;
  @Column('boolean', { nullable: true })
  reachable: boolean | null;
  @Column('text', { nullable: true })
  evidence: string | null;
  @Column('integer', { name: 'blast_resources' })
  blastResources: number;
  @Column('integer', { name: 'blast_modules' })
  blastModules: number;
  @Column('integer', { name: 'blast_states' })
  blastStates: number;
  @Column('uuid', { name: 'scan_id' })
  scanId: string;
  @Column('uuid', { name: 'first_seen_scan_id' })
  firstSeenScanId: string;
  @Column('timestamptz', { name: 'first_seen_at' })
  firstSeenAt: Date;
  @Column('uuid', { name: 'resolved_scan_id', nullable: true })
  resolvedScanId: string | null;
  @Column('uuid', { name: 'waiver_id', nullable: true })
  waiverId: string | null;
  @Column('timestamptz', { name: 'waived_until' })
  waivedUntil: Date;
}

@Entity('security_planned_findings')
export class PlannedFindingEntity {
  @PrimaryColumn('uuid')
  id: string;
  @Column('uuid', { name: 'tx_id' })
  txId: string;
  @Column('text')
  effect: 'added' | 'resolved';
  @Column('uuid', { name: 'scan_id' })
  scanId: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('uuid', { name: 'state_id' })
  stateId: string;
  @Column('uuid')
  key: string;
  @Column('text', { name: 'check_id' })
  checkId: string;
  @Column('text')
  address: string;
  @Column('text')
  fingerprint: string;
  @Column('smallint', { name: 'severity_base' })
  severityBase: number;
  @Column('smallint')
  severity: number;
  @Column('text', { name: 'severity_reason', nullable: true })
  severityReason: string | null;
  @Column('text')
  category: string;
  @Column('boolean', { nullable: true })
  reachable: boolean | null;
  @Column('text', { nullable: true })
  evidence: string | null;
  @Column('integer', { name: 'blast_resources' })
  blastResources: number;
  @Column('integer', { name: 'blast_modules' })
  blastModules: number;
  @Column('integer', { name: 'blast_states' })
  blastStates: number;
  @Column('text', { name: 'source_file', nullable: true })
  sourceFile: string | null;
  @Column('integer', { name: 'source_start_line', nullable: true })
  sourceStartLine: number | null;
  @Column('integer', { name: 'source_end_line', nullable: true })
  sourceEndLine: number | null;
}

/** Open findings by what summaries tell apart. */
@Entity('security_counts')
export class FindingCountEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('text', { name: 'check_id' })
  checkId: string;
  @PrimaryColumn('smallint')
  severity: number;
  @PrimaryColumn('boolean')
  reachable: boolean;
  @PrimaryColumn('timestamptz', { name: 'waived_until' })
  waivedUntil: Date;
  @Column('integer')
  count: number;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
}

/** Findings opened less resolved by day. */
@Entity('security_days')
export class FindingDayEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('date')
  day: string;
  @PrimaryColumn('smallint')
  severity: number;
  @PrimaryColumn('integer')
  blast: number;
  @PrimaryColumn('timestamptz', { name: 'waived_until' })
  waivedUntil: Date;
  @Column('integer')
  delta: number;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
}

/** What the rules could say of an instance: reachable, or shown not to be. */
@Entity('security_reach')
export class ReachEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('uuid')
  key: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text')
  address: string;
  @Column('text')
  type: string;
  @Column('boolean')
  reachable: boolean;
  @Column('text', { nullable: true })
  evidence: string | null;
  @Column('text', { nullable: true })
  ports: string | null;
}
