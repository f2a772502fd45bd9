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
}

@Entity('security_planned_findings')
export class PlannedFindingEntity {
  @PrimaryColumn('uuid')
  id: string;
  @Column('uuid', { name: 'tx_id' })
  txId: string;
  @Column('text')
  effect: 'added' | 'resolved';
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
