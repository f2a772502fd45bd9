import { Column, Entity, PrimaryColumn } from 'typeorm';

/** When the attribution of a tenant was computed, and by which version of the rules. */
@Entity('billing_attributions')
export class BillingAttributionEntity {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('timestamptz', { name: 'computed_at' })
  computedAt: Date;
  @Column('integer')
  matcher: number;
}

/** Cloud ids whose billed resources are matched again; null for all of the tenant. */
@Entity('billing_rematches')
export class BillingRematchEntity {
  @PrimaryColumn('bigint')
  id: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text', { array: true, nullable: true })
  ids: string[] | null;
}
