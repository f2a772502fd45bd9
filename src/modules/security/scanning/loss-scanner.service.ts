import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { SecurityStateEntity } from '../entities/security-state.entity.js';
import { type CheckSet, CheckSets } from '../findings/check-sets.js';
import type { WritingScan } from '../findings/findings.store.js';
import { Scans } from '../findings/scans.store.js';
import { Waivers } from '../waivers/waivers.store.js';
import { Losses } from './losses.store.js';
import { type LostToOthers, ScanWork } from './scan-work.service.js';

/**
 * Brings the findings of a tenant up to date after states of the tenant were deleted. It looks only at instances that
 * looked something up in them or were reachable through them, and at states whose outputs they read. All of it is one
 * transaction under the tenant's lock, as every scan.
 */
@Injectable()
export class LossScanner {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly secrets: Secrets,
    private readonly checks: CheckSets,
    private readonly scans: Scans,
    private readonly waivers: Waivers,
    private readonly losses: Losses,
    private readonly scanning: ScanWork,
  ) {}

  /** Answers whether all states of the tenant are due now, because too little is known of what was lost. */
  async scan(tenantId: string): Promise<{ areAllDue: boolean }> {
    return this.work.run(async () => {
      await this.scanning.lock(tenantId);
      const losses = await this.losses.ofTenant(tenantId);
      if (losses.areKnown) {
        const checks = await this.checks.ofTenant(tenantId);
        const lost = await this.scanning.lostToOthers(tenantId, checks, losses);
        for (const stateId of lost.stateIds) await this.scanState(stateId, checks, lost);
      } else await this.losses.markAllDue(tenantId);
      await this.losses.delete(losses.ids);
      return { areAllDue: !losses.areKnown };
    });
  }

  private async scanState(stateId: string, checks: CheckSet, lost: LostToOthers): Promise<void> {
    const progress = await this.scans.progressOf(stateId);
    // A state that was not scanned with these checks is due as a whole.
    if (progress?.scannerVersion !== checks.version) return;
    const scan: WritingScan = {
      id: this.secrets.uuid(),
      tenantId: progress.tenantId,
      at: this.clock.now(),
      waivers: await this.waivers.active(progress.tenantId),
    };
    await this.begin(scan, progress);
    const instanceCount = await this.scanning.renewAfterLoss(scan, { stateId, checks }, lost);
    await this.scans.finish(scan.id, stateId, instanceCount);
    await this.scans.saveProgress({ ...progress, scannedAt: scan.at, lastScanId: scan.id });
  }

  private async begin(scan: WritingScan, progress: SecurityStateEntity): Promise<void> {
    await this.scans.insert({
      id: scan.id,
      stateId: progress.stateId,
      tenantId: scan.tenantId,
      kind: 'current',
      status: 'running',
      scannerVersion: progress.scannerVersion,
      scannedAt: scan.at,
      findingCount: 0,
      severityBreakdown: null,
      triggeredBy: 'scheduled',
      txId: null,
      serial: null,
      version: progress.scannedVersion,
      instanceCount: null,
      errorMessage: null,
    });
  }
}
