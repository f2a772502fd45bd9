import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Billed lines of one day that agree in everything but the hour. Missing texts are empty. */
@Entity('billing_rows')
export class BillingRowEntity {
  @PrimaryColumn('bigint')
  id: string;
  @PrimaryColumn('date', { name: 'charge_date' })
  chargeDate: string;
  @Column('uuid', { name: 'source_id' })
  sourceId: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text')
  provider: string;
  @Column('text', { name: 'account_id' })
  accountId: string;
  /** `YYYY-MM` */
  @Column('text', { name: 'billing_period' })
  billingPeriod: string;
  @Column('text', { name: 'resource_id' })
  resourceId: string;
  @Column('text', { name: 'resource_type' })
  resourceType: string;
  @Column('text', { name: 'service_name' })
  serviceName: string;
  @Column('text', { name: 'region_id' })
  regionId: string;
  @Column('text', { name: 'charge_category' })
  chargeCategory: string;
  @Column('text')
  currency: string;
  @Column('numeric', { name: 'billed_cost' })
  billedCost: string;
  @Column('numeric', { name: 'effective_cost' })
  effectiveCost: string;
  @Column('bigint', { name: 'line_count' })
  lineCount: string;
  @Column('jsonb')
  tags: Record<string, string>;
}
