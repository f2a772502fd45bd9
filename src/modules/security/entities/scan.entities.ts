import { Column, Entity, PrimaryColumn } from 'typeorm';

export type ScanKind = 'current' | 'planned';
export type ScanStatus = 'running' | 'completed' | 'failed';
export type ScanTrigger =
  | ('state_import' | 'backend_write' | 'tx_apply' | 'actuator_commit' | 'scheduled' | 'manual')
  | 'preview';
/** Counts by name of a severity; all six keys. */
export type SeverityBreakdown = Record<'critical' | 'high' | 'medium' | 'low' | 'info' | 'unknown', number>;

@Entity('security_scans')
export class ScanEntity {
  @PrimaryColumn('uuid')
  id: string;
  @Column('uuid', { name: 'state_id' })
  stateId: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text')
  kind: ScanKind;
  @Column('text')
  status: ScanStatus;
  @Column('text', { name: 'scanner_version' })
  scannerVersion: string;
  @Column('timestamptz', { name: 'scanned_at' })
  scannedAt: Date;
  @Column('integer', { name: 'finding_count' })
  findingCount: number;
  @Column('jsonb', { name: 'severity_breakdown', nullable: true })
  severityBreakdown: SeverityBreakdown | null;
  @Column('text', { name: 'triggered_by' })
  triggeredBy: ScanTrigger;
  @Column('uuid', { name: 'tx_id', nullable: true })
  txId: string | null;
  @Column('bigint', { nullable: true })
  serial: string | null;
  @Column('integer', { nullable: true })
  version: number | null;
  @Column('integer', { name: 'instance_count', nullable: true })
  instanceCount: number | null;
  @Column('text', { name: 'error_message', nullable: true })
  errorMessage: string | null;
  /** the order of insertion; assigned by the database */
  @Column({ type: 'bigint', insert: false, update: false })
  seq?: string;
}

/** Which transactions' writes a current scan covers. */
@Entity('security_scan_transactions')
export class ScanTransactionEntity {
  @PrimaryColumn('uuid', { name: 'tx_id' })
  txId: string;
  @PrimaryColumn('uuid', { name: 'scan_id' })
  scanId: string;
  @Column('uuid', { name: 'state_id' })
  stateId: string;
}

/** A plan's impact: what it would add and resolve stands in `security_planned_findings`. */
@Entity('security_impacts')
export class ImpactEntity {
  @PrimaryColumn('uuid', { name: 'tx_id' })
  txId: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text')
  status: 'computing' | 'completed' | 'failed';
  /** a scan of an older plan stores nothing */
  @Column('uuid')
  attempt: string;
  @Column('timestamptz', { name: 'computed_at', nullable: true })
  computedAt: Date | null;
}
