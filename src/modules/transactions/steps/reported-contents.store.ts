import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { keyOf } from '../../documents/index.js';
import { outputKey } from '../../states/index.js';
import { fragmentsOf } from '../../tasks/index.js';
import { TransactionNodes } from '../conflicts/transaction-nodes.store.js';
import { TransactionOutputEntity } from '../entities/transaction-log.entity.js';
import {
  TransactionPlanEntity,
  TransactionPlanOperationEntity,
} from '../entities/transaction-plan.entity.js';
import { TransactionEntity } from '../entities/transaction.entity.js';

/** An instance or deposed object in a plan. */
interface PlannedObject {
  address: string;
  deposed: string | undefined;
}

/** What a plan is going to change. */
export interface PlannedChanges {
  operations: readonly (PlannedObject & { operation: string })[];
  writes: readonly PlannedObject[];
  /** names */
  outputs: readonly string[];
}

/** What runners reported: plans, the documents that commits left, and output. A later report replaces an earlier one. */
@Injectable()
export class ReportedContents {
  constructor(
    private readonly work: UnitOfWork,
    private readonly nodes: TransactionNodes,
  ) {}

  async findPlan(txId: string): Promise<Pick<TransactionPlanEntity, 'hasChanges' | 'plan'> | null> {
    const select = { hasChanges: true, plan: true };
    return this.work.manager.findOne(TransactionPlanEntity, { select, where: { txId } });
  }

  async storePlan(
    txId: string,
    { hasChanges, plan, planJson }: { hasChanges: boolean; plan: string; planJson: string },
  ): Promise<void> {
    await this.work.query(
      `INSERT INTO transaction_plans (tx_id, has_changes, plan, plan_json) VALUES ($1, $2, $3, $4)
       ON CONFLICT (tx_id) DO UPDATE SET has_changes = EXCLUDED.has_changes, plan = EXCLUDED.plan,
         plan_json = EXCLUDED.plan_json, created_at = now()`,
      [txId, hasChanges, plan, planJson],
    );
  }

  /** The document that a runner left after a commit. */
  async storeReport(txId: string, { failed, state }: { failed: boolean; state: string }): Promise<void> {
    await this.work.query(
      `INSERT INTO transaction_reports (tx_id, failed, state) VALUES ($1, $2, $3)
       ON CONFLICT (tx_id) DO UPDATE SET failed = EXCLUDED.failed, state = EXCLUDED.state, created_at = now()`,
      [txId, failed, state],
    );
  }

  /** What the plan is going to write, which other transactions conflict with. */
  async storeChanges(
    txId: string,
    stateId: string | undefined,
    { operations, writes, outputs }: PlannedChanges,
  ): Promise<void> {
    await this.nodes.forgetWrites(txId);
    await this.work.manager.delete(TransactionPlanOperationEntity, { txId });
    if (stateId === undefined) {
      if (writes.length + outputs.length > 0)
        throw httpErrors.INVALID_REQUEST('the plan has changes, but the transaction has no state');
      return;
    }
    await this.nodes.addWrites(txId, [
      ...writes.map(({ address, deposed }) => ({ stateId, key: keyOf(address, deposed), address })),
      ...outputs.map((name) => ({ stateId, key: outputKey(name), address: `output.${name}` })),
    ]);
    await this.work.query(
      `INSERT INTO transaction_plan_operations (tx_id, state_id, key, address, deposed, operation)
       SELECT $1, $2, k, a, d, o FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) AS r (k, a, d, o)
       ON CONFLICT DO NOTHING`,
      [
        txId,
        stateId,
        operations.map(({ address, deposed }) => keyOf(address, deposed)),
        operations.map(({ address }) => storableText(address)),
        operations.map(({ deposed }) => deposed ?? null),
        operations.map(({ operation }) => operation),
      ],
    );
  }

  /** The text that the runner printed, in fragments. */
  async storeOutput(txId: string, kind: 'apply_stdout' | 'run_failure', payload: string): Promise<void> {
    await this.work.manager.delete(TransactionOutputEntity, { txId });
    await this.work.manager.update(TransactionEntity, txId, { outputKind: kind });
    await this.work.query(
      `INSERT INTO transaction_output (tx_id, idx, data)
       SELECT $1, ordinality - 1, data FROM unnest($2::text[]) WITH ORDINALITY AS f (data, ordinality)`,
      [txId, fragmentsOf(payload)],
    );
  }
}
