import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { CheckSets } from '../findings/check-sets.js';
import { ScannedRows } from '../findings/scanned-rows.queries.js';
import { breakdownOf, Scans } from '../findings/scans.store.js';
import { PlanCircumstances } from './plan-circumstances.js';
import { plannedStateOf } from './planned-attributes.rules.js';
import { PlannedImpacts } from './planned-impacts.store.js';

/** Compares a state as it is with the same under a plan. */
@Injectable()
export class PlanScanner {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly secrets: Secrets,
    private readonly impacts: PlannedImpacts,
    private readonly rows: ScannedRows,
    private readonly checks: CheckSets,
    private readonly scans: Scans,
    private readonly circumstances: PlanCircumstances,
  ) {}

  /** Stores nothing when the plan was replaced, aborted or scanned meanwhile. */
  async scan(txId: string, attempt: string): Promise<void> {
    const impact = await this.impacts.find(txId);
    if (impact?.attempt !== attempt || impact.status !== 'computing') return;
    await this.work.run(async () => {
      await this.circumstances.lock(impact.tenantId);
      const plan = await this.impacts.planOf(txId);
      const state = plan && (await this.rows.state(plan.stateId));
      if (!plan || !state) return;
      const checks = await this.checks.ofTenant(impact.tenantId);
      const comparison = await this.circumstances.compare(
        { tenantId: impact.tenantId, stateId: state.id },
        checks,
        plannedStateOf(plan.planJson),
      );
      const { added, resolved } = await this.circumstances.differences(comparison);
      if (!(await this.impacts.lock(txId, attempt))) return;
      const at = this.clock.now();
      const scanId = this.secrets.uuid();
      await this.scans.insert({
        id: scanId,
        stateId: state.id,
        tenantId: impact.tenantId,
        kind: 'planned',
        status: 'completed',
        scannerVersion: checks.version,
        scannedAt: at,
        findingCount: added.length,
        severityBreakdown: breakdownOf(added.map(({ severity }) => ({ severity, count: 1 }))),
        triggeredBy: 'preview',
        txId,
        serial: state.serial,
        version: state.version,
        instanceCount: comparison.after.length,
        errorMessage: null,
      });
      const nodes = [...added, ...resolved].map(({ address }) => nodeOf(address));
      const sources = await this.impacts.sourcesOf(txId, [...new Set(nodes)]);
      for (const [effect, findings] of [['added', added] as const, ['resolved', resolved] as const])
        await this.impacts.insert(
          { txId, scanId, tenantId: impact.tenantId, effect },
          findings.map((finding) => ({ finding, source: sources.get(nodeOf(finding.address)) })),
        );
      await this.impacts.complete(txId, at);
    });
  }
}

/** The node of a block: an address without keys. */
function nodeOf(address: string): string {
  return address.replace(/\[(?:"(?:[^"\\]|\\.)*"|\d+)\]/g, '');
}
