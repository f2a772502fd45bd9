import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Up to which version a state is scanned, and with which checks. */
@Entity('security_states')
export class SecurityStateEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('integer', { name: 'scanned_version' })
  scannedVersion: number;
  /** of the graph that blast radii were counted in */
  @Column('text', { name: 'graph_mark' })
  graphMark: string;
  /** states that it read then, directly or through others */
  @Column('uuid', { array: true })
  upstream: string[];
  @Column('text', { name: 'scanner_version' })
  scannerVersion: string;
  @Column('timestamptz', { name: 'scanned_at' })
  scannedAt: Date;
  @Column('timestamptz', { name: 'whole_at' })
  wholeAt: Date;
  @Column('uuid', { name: 'last_scan_id' })
  lastScanId: string;
}
