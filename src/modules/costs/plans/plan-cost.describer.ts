import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { DescribesPlan, type PlanDescriber, type PlanDescription } from '../../transactions/index.js';
import type { StoredDelta } from './cost-delta.js';
import { CostPlans } from './cost-plans.store.js';
import { toTransactionCosts } from './delta.view.js';
import { planCostText } from './plan-cost-text.rules.js';

/** What a plan costs a month, for the comment of a run. */
@Injectable()
@DescribesPlan('cost_estimation')
export class PlanCostDescriber implements PlanDescriber {
  readonly title = 'Monthly cost';

  constructor(
    private readonly config: Config,
    private readonly plans: CostPlans,
  ) {}

  async describePlan(txId: string): Promise<PlanDescription> {
    if (!this.config.get('SERVICE_COST_ENABLED')) return { isComputing: false };
    const plan = await this.plans.find(txId);
    if (plan === null || !(await this.plans.isStanding(txId))) return { isComputing: false };
    if (plan.status !== 'completed' || plan.delta === null)
      return { isComputing: plan.status === 'computing' };
    const delta = plan.delta as StoredDelta;
    const costs = toTransactionCosts(delta, {
      txId,
      at: plan.computedAt ?? new Date(0),
      stateName: '',
      currency: undefined,
    });
    return { text: planCostText(costs), isComputing: false };
  }
}
