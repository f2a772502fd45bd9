import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { transactionErrors } from '../../transactions/index.js';
import { costErrors } from '../costs.errors.js';
import type { TransactionCostsView } from '../dto/cost-delta.dto.js';
import type { StoredDelta } from './cost-delta.js';
import { CostPlans } from './cost-plans.store.js';
import { toTransactionCosts } from './delta.view.js';

/** What a transaction's plan would cost. */
@Injectable()
export class TransactionCosts {
  constructor(
    private readonly config: Config,
    private readonly plans: CostPlans,
  ) {}

  /** Interface 4.11 rule 3. Undefined: it is not computed yet, or the service did not plan the transaction. */
  async find(txId: string, currency: string | undefined): Promise<TransactionCostsView | undefined> {
    if (!(await this.plans.isStanding(txId))) throw transactionErrors.TX_NOT_FOUND();
    const plan = await this.plans.find(txId);
    if (plan?.status === 'completed' && plan.delta !== null) {
      const delta = plan.delta as StoredDelta;
      return toTransactionCosts(delta, {
        txId: plan.txId,
        at: plan.computedAt ?? new Date(0),
        stateName: await this.plans.stateName(delta.state_id),
        currency,
      });
    }
    if (!this.config.get('SERVICE_COST_ENABLED')) throw costErrors.COST_DISABLED();
    return undefined;
  }
}
