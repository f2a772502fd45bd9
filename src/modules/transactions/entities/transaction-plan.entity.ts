import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The plan that a runner reported. */
@Entity('transaction_plans')
export class TransactionPlanEntity {
  @PrimaryColumn('uuid', { name: 'tx_id' })
  txId: string;
  @Column('boolean', { name: 'has_changes' })
  hasChanges: boolean;
  @Column('text')
  plan: string;
  @Column('jsonb', { name: 'plan_json' })
  planJson: unknown;
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}

/** What the plan does to one instance or deposed object. */
@Entity('transaction_plan_operations')
export class TransactionPlanOperationEntity {
  @PrimaryColumn('uuid', { name: 'tx_id' })
  txId: string;
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('uuid')
  key: string;
  @Column('text')
  address: string;
  @Column('text', { nullable: true })
  deposed: string | null;
  @Column('text')
  operation: string;
}

/** The document that a runner left after a commit. */
@Entity('transaction_reports')
export class TransactionReportEntity {
  @PrimaryColumn('uuid', { name: 'tx_id' })
  txId: string;
  @Column('boolean')
  failed: boolean;
  @Column('text')
  state: string;
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
