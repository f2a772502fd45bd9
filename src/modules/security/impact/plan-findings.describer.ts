import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { AppError } from '../../../platform/errors/index.js';
import { DescribesPlan, type PlanDescriber, type PlanDescription } from '../../transactions/index.js';
import { Impacts } from './impacts.service.js';
import { planFindingsText } from './plan-findings-text.rules.js';
import { PlannedImpacts } from './planned-impacts.store.js';

/** What a plan adds to the findings of a state, for the comment of a run. */
@Injectable()
@DescribesPlan('security')
export class PlanFindingsDescriber implements PlanDescriber {
  readonly title = 'Findings';

  constructor(
    private readonly config: Config,
    private readonly impacts: Impacts,
    private readonly planned: PlannedImpacts,
  ) {}

  async describePlan(txId: string): Promise<PlanDescription> {
    if (!this.config.get('SERVICE_SECURITY')) return { isComputing: false };
    const plan = await this.planned.find(txId);
    if (plan === null) return { isComputing: false };
    try {
      const summary = await this.impacts.summary(txId);
      if (summary === undefined) return { isComputing: plan.status === 'computing' };
      return { text: planFindingsText(summary), isComputing: false };
    } catch (error) {
      // It was aborted meanwhile.
      if (error instanceof AppError) return { isComputing: false };
      throw error;
    }
  }
}
