import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { ScanTrigger } from '../entities/scan.entities.js';
import type { SecurityStateEntity } from '../entities/security-state.entity.js';
import { type CheckSet, CheckSets } from '../findings/check-sets.js';
import type { WritingScan } from '../findings/findings.store.js';
import { Scans } from '../findings/scans.store.js';
import { Waivers } from '../waivers/waivers.store.js';
import { type CoveredVersion, type ScannedState, ScannedRows } from '../findings/scanned-rows.queries.js';
import { ScanWork, type ScanScope } from './scan-work.service.js';
import { triggerOf } from './scan-trigger.rules.js';

export interface ScanRequest {
  readonly stateId: string;
  /** set: the whole state is scanned, whether it is due or not */
  readonly whole?: 'manual' | 'scheduled';
}

/**
 * Scans one state: what changed since it was last scanned, and what hangs on that in any state of the tenant. All of it
 * is one transaction under the tenant's lock, so that a crash leaves nothing and no two scans write the same rows.
 */
@Injectable()
export class StateScanner {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly secrets: Secrets,
    private readonly rows: ScannedRows,
    private readonly checks: CheckSets,
    private readonly scans: Scans,
    private readonly waivers: Waivers,
    private readonly scanning: ScanWork,
  ) {}

  /** Answers the id of the scan, or undefined when nothing was due. */
  async scan(request: ScanRequest): Promise<string | undefined> {
    const tenantId = await this.rows.tenantOf(request.stateId);
    if (tenantId === undefined) return undefined;
    await nextTurn();
    return this.work.run(async () => {
      await this.scanning.lock(tenantId);
      // Read before the instances: what a write adds meanwhile is scanned again after it.
      const state = await this.rows.state(request.stateId);
      if (!state) return undefined;
      const checks = await this.checks.ofTenant(tenantId);
      const progress = await this.scans.progressOf(state.id);
      const scope = scopeOf(request, state, progress, checks);
      if (scope === undefined) return undefined;
      const covered = await this.rows.covered(state.id, {
        after: progress?.scannedVersion ?? -1,
        to: state.version,
      });
      const scan: WritingScan = {
        id: this.secrets.uuid(),
        tenantId,
        at: this.clock.now(),
        waivers: await this.waivers.active(tenantId),
      };
      await this.begin(scan, { request, state, checks, covered });
      const instanceCount =
        state.graphError === null ? await this.scanning.run(scan, state, checks, scope) : 0;
      if (state.graphError === null) await this.scans.finish(scan.id, state.id, instanceCount);
      await this.scans.saveProgress({
        stateId: state.id,
        tenantId,
        scannedVersion: state.version,
        graphMark: state.graphMark,
        upstream: state.upstream,
        // A failed scan leaves the findings: the next version is scanned as a whole.
        scannerVersion: state.graphError === null ? checks.version : '',
        scannedAt: scan.at,
        wholeAt: scope.since < 0 || progress === null ? scan.at : progress.wholeAt,
        lastScanId: scan.id,
      });
      await this.scanning.forgetPlans(covered.map(({ txId }) => txId));
      return scan.id;
    });
  }

  private async begin(
    scan: WritingScan,
    of: { request: ScanRequest; state: ScannedState; checks: CheckSet; covered: readonly CoveredVersion[] },
  ): Promise<void> {
    const { request, state, checks, covered } = of;
    const newest = covered.at(-1);
    const trigger: ScanTrigger = request.whole ?? (newest ? triggerOf(newest) : 'scheduled');
    await this.scans.insert({
      id: scan.id,
      stateId: state.id,
      tenantId: scan.tenantId,
      kind: 'current',
      status: state.graphError === null ? 'running' : 'failed',
      scannerVersion: checks.version,
      scannedAt: scan.at,
      findingCount: 0,
      severityBreakdown: null,
      triggeredBy: trigger,
      txId: newest?.txId ?? null,
      serial: state.serial,
      version: state.version,
      instanceCount: state.graphError === null ? null : 0,
      errorMessage: state.graphError,
    });
    await this.work.query(
      `INSERT INTO security_scan_transactions (tx_id, scan_id, state_id)
       SELECT DISTINCT tx, $2::uuid, $3::uuid FROM unnest($1::uuid[]) AS tx`,
      [covered.map(({ txId }) => txId), scan.id, state.id],
    );
  }
}

/** Undefined: nothing is due. */
function scopeOf(
  { whole }: ScanRequest,
  state: ScannedState,
  progress: SecurityStateEntity | null,
  checks: CheckSet,
): ScanScope | undefined {
  if (state.version === 0 && whole === undefined) return undefined;
  const graphChanged = progress === null || progress.graphMark !== state.graphMark;
  const upstreamBefore = progress?.upstream ?? [];
  if (whole !== undefined || progress === null || progress.scannerVersion !== checks.version)
    return { since: -1, changedSince: progress?.scannedVersion ?? -1, graphChanged: true, upstreamBefore };
  if (progress.scannedVersion >= state.version) return undefined;
  return {
    since: progress.scannedVersion,
    changedSince: progress.scannedVersion,
    graphChanged,
    upstreamBefore,
  };
}
