import { Injectable } from '@nestjs/common';
import { PlanDescribers, TransactionQueries } from '../../transactions/index.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { Runs } from '../runs/runs.store.js';
import { planSection, type PlanSectionLine } from './plan-section.rules.js';

export interface RunDescriptions {
  /** Markdown, one section for each describer that has something to say */
  sections: string[];
  /** something is still being computed */
  isComputing: boolean;
}

/** What other modules say about the plans of a run: cost, findings. */
@Injectable()
export class PlanDescriptions {
  constructor(
    private readonly runs: Runs,
    private readonly describers: PlanDescribers,
    private readonly transactions: TransactionQueries,
  ) {}

  /** @param isOn whether the repository's configuration has a describer switched on */
  async of(
    run: WorkManifestEntity,
    tenantId: string,
    isOn: (key: string) => boolean,
  ): Promise<RunDescriptions> {
    const planned: { dir: string; workspace: string; txId: string }[] = [];
    if (run.runType === 'plan')
      for (const { dir, workspace, transactionId } of await this.runs.dirspaces(run.id))
        if (transactionId !== null && (await this.transactions.isOfTenant(transactionId, tenantId)))
          planned.push({ dir, workspace, txId: transactionId });
    const descriptions: RunDescriptions = { sections: [], isComputing: false };
    for (const [key, describer] of this.describers.all) {
      if (!isOn(key)) continue;
      const lines: PlanSectionLine[] = [];
      for (const { dir, workspace, txId } of planned) {
        const { text, isComputing } = await describer.describePlan(txId);
        descriptions.isComputing ||= isComputing;
        if (text !== undefined) lines.push({ dir, workspace, text });
      }
      if (lines.length > 0) descriptions.sections.push(planSection(describer.title, lines));
    }
    return descriptions;
  }
}
