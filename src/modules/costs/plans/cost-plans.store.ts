import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { UnitOfWork } from '../../../platform/database/index.js';
import { CostPlanEntity, CostSnapshotEntity } from '../entities/cost.entities.js';
import type { StoredDelta } from './cost-delta.js';

export interface PlanToPrice {
  planJson: unknown;
  stateId: string;
  stateName: string;
}

/** Table `cost_plans`, with the planned snapshots. */
@Injectable()
export class CostPlans {
  constructor(private readonly work: UnitOfWork) {}

  /** In the transaction of the preview: what an older plan would cost is forgotten. */
  async begin(of: { txId: string; tenantId: string; attempt: string }): Promise<void> {
    await this.delete([of.txId]);
    await this.work.manager.insert(CostPlanEntity, {
      ...of,
      status: 'computing',
      computedAt: null,
    });
  }

  async delete(txIds: readonly string[]): Promise<void> {
    await this.work.manager.delete(CostPlanEntity, { txId: In([...txIds]) });
    await this.work.manager.delete(CostSnapshotEntity, { txId: In([...txIds]), kind: 'planned' });
  }

  async find(txId: string): Promise<CostPlanEntity | null> {
    return this.work.manager.findOneBy(CostPlanEntity, { txId });
  }

  /** Only while the plan that was priced is the newest one: an aborted transaction has none. */
  async lock(txId: string, attempt: string): Promise<boolean> {
    const rows = await this.work.query(
      `SELECT 1 FROM cost_plans WHERE tx_id = $1 AND attempt = $2 AND status = 'computing' FOR UPDATE`,
      [txId, attempt],
    );
    return rows.length > 0;
  }

  async complete(txId: string, delta: StoredDelta, at: Date): Promise<void> {
    await this.work.query(
      `UPDATE cost_plans SET status = 'completed', delta = $2::jsonb, computed_at = $3 WHERE tx_id = $1`,
      [txId, JSON.stringify(delta), at],
    );
  }

  async fail(txId: string, attempt: string): Promise<void> {
    await this.work.manager.update(CostPlanEntity, { txId, attempt }, { status: 'failed' });
  }

  async computing(): Promise<{ txId: string; attempt: string }[]> {
    return this.work.manager.find(CostPlanEntity, {
      select: { txId: true, attempt: true },
      where: { status: 'computing' },
      take: 100,
    });
  }

  /** The plan and the one state that it is for. */
  async planOf(txId: string): Promise<PlanToPrice | undefined> {
    const [row] = await this.work.query<PlanToPrice>(
      `SELECT p.plan_json AS "planJson", s.state_id AS "stateId", n.name AS "stateName" FROM transaction_plans p
       JOIN transaction_states s ON s.tx_id = p.tx_id JOIN states n ON n.id = s.state_id
       WHERE p.tx_id = $1 ORDER BY s.state_id LIMIT 1`,
      [txId],
    );
    return row;
  }

  /** The transaction; undefined when it came to nothing, so that there is no plan. */
  async isStanding(txId: string): Promise<boolean> {
    const [row] = await this.work.query<{ state: string }>('SELECT state FROM transactions WHERE id = $1', [
      txId,
    ]);
    return row !== undefined && row.state !== 'aborted' && row.state !== 'failed';
  }

  async stateName(stateId: string): Promise<string | undefined> {
    const [row] = await this.work.query<{ name: string }>('SELECT name FROM states WHERE id = $1', [stateId]);
    return row?.name;
  }
}
