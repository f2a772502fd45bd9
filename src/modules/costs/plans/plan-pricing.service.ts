import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { PricingBases } from '../books/pricing-bases.service.js';
import { CostMetrics } from '../books/cost-metrics.js';
import { Snapshots } from '../snapshots/snapshots.store.js';
import { StatePricing } from '../snapshots/state-pricing.service.js';
import { CostPlans } from './cost-plans.store.js';
import { PlanComparison } from './plan-comparison.service.js';
import { PlannedSnapshots } from './planned-snapshots.service.js';

/** Prices a state with a plan's changes on it, and keeps what differs. */
@Injectable()
export class PlanPricing {
  constructor(
    private readonly work: UnitOfWork,
    private readonly plans: CostPlans,
    private readonly states: StatePricing,
    private readonly bases: PricingBases,
    private readonly snapshots: Snapshots,
    private readonly comparison: PlanComparison,
    private readonly planned: PlannedSnapshots,
    private readonly metrics: CostMetrics,
  ) {}

  /** Stores nothing when the plan was replaced, aborted or priced meanwhile. */
  async price(txId: string, attempt: string): Promise<void> {
    const known = await this.plans.find(txId);
    if (known?.attempt !== attempt || known.status !== 'computing') return;
    const plan = await this.plans.planOf(txId);
    if (plan === undefined) return;
    const stop = this.metrics.pricing.startTimer({ scope: 'plan' });
    await this.bringUpToDate(known.tenantId, plan.stateId);
    await this.work.run(async () => {
      // Nobody prices the state meanwhile: both sides are of one version of it.
      const state = await this.snapshots.lock(plan.stateId);
      const basis = await this.bases.ofState(known.tenantId, plan.stateId);
      // Without a price book the plan stays computing, and the sweep tries again.
      if (state === undefined || basis === undefined) return;
      const comparison = await this.comparison.compare(state, basis, plan.planJson);
      if (!(await this.plans.lock(txId, attempt))) return;
      await this.planned.store({ txId, plan, state, basis, comparison });
    });
    stop();
  }

  /** A difference between two price books would not be one of the plan. */
  private async bringUpToDate(tenantId: string, stateId: string): Promise<void> {
    await this.states.price({ stateId });
    const basis = await this.bases.ofState(tenantId, stateId);
    const progress = await this.snapshots.progress(stateId);
    if (basis !== undefined && progress !== null && progress.seq > 0 && progress.basis !== basis.mark)
      await this.states.price({ stateId, trigger: 'scheduled' });
  }
}
