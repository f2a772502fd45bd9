import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SpendSum } from '../spend/spend-sums.rules.js';

/** When the attribution of a tenant was computed, and by which version of the rules. */
@Entity('billing_attributions')
export class BillingAttributionEntity {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('timestamptz', { name: 'computed_at' })
  computedAt: Date;
  @Column('integer')
  matcher: number;
  /** as the last match left them; null: to be read from the billed resources */
  @Column('jsonb', { nullable: true })
  sums: SpendSum[] | null;
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
