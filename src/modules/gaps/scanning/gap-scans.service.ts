import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Principal } from '../../access/index.js';
import { taskErrors, Tasks } from '../../tasks/index.js';
import { CloudAccess } from '../settings/cloud-access.js';
import { CloudFailure, type FailureCode } from '../clouds/cloud-inventory.js';
import type { GapPendingView } from '../dto/gaps.dto.js';
import type { GapScanEntity } from '../entities/gap.entities.js';
import { type CloudOf, GapScansStore } from '../inventory/gap-scans.store.js';
import { gapErrors } from '../gaps.errors.js';
import { SCAN_TASK } from './scan-inventory.job.js';

/** What a request is answered with: a scan that goes on or failed, or the stored inventory. */
export type ScanAnswer = { readonly pending: GapPendingView } | { readonly scan: GapScanEntity };

/** Starts scans, at most one for each tenant and provider, and says how the last one went. */
@Injectable()
export class GapScans {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly tasks: Tasks,
    private readonly access: CloudAccess,
    private readonly scans: GapScansStore,
  ) {}

  /** 409 `GAPS_NOT_CONFIGURED` without a cloud. */
  async request(caller: Principal, of: CloudOf, source: 'cache' | 'no-cache'): Promise<ScanAnswer> {
    if (!(await this.access.find(of))) throw gapErrors.GAPS_NOT_CONFIGURED();
    const scan = await this.settled(of);
    const hasInventory = scan !== undefined && scan.inventoryId !== null;
    if (scan?.status === 'running')
      return hasInventory && source === 'cache' ? { scan } : { pending: runningView(scan) };
    if (this.isDue(scan, source)) return { pending: await this.start(caller, of, scan) };
    return hasInventory ? { scan } : { pending: failedView(scan) };
  }

  /** Whether the last scan ended within `SERVICE_GAPS_FRESH_SECONDS`. */
  isFresh(endedAt: Date | null): boolean {
    const ageMs = endedAt === null ? Infinity : this.clock.now().getTime() - endedAt.getTime();
    return ageMs <= this.config.get('SERVICE_GAPS_FRESH_SECONDS') * 1_000;
  }

  private isDue(scan: GapScanEntity | undefined, source: 'cache' | 'no-cache'): boolean {
    if (!scan) return true;
    if (scan.inventoryId === null) return source === 'no-cache' || !this.isFresh(scan.endedAt);
    return source === 'no-cache' && !this.isFresh(scan.endedAt);
  }

  /** The row as it is, after a task that ended without telling it: aborted, or given up. */
  private async settled(of: CloudOf): Promise<GapScanEntity | undefined> {
    const scan = await this.scans.find(of);
    if (scan?.status !== 'running') return scan;
    const state = await this.stateOfTask(scan.taskId);
    if (state === 'pending' || state === 'running') return scan;
    // The task may have ended with its scan between the two reads; then this changes nothing.
    const code: FailureCode = state === 'aborted' ? 'ABORTED' : 'CLOUD_ERROR';
    const message = state === 'aborted' ? undefined : 'the scan ended unexpectedly; try again';
    await this.scans.fail(
      { ...of, taskId: scan.taskId },
      new CloudFailure(code, message === undefined ? {} : { message }).view,
    );
    return this.scans.find(of);
  }

  private async stateOfTask(taskId: string): Promise<string> {
    try {
      return (await this.tasks.stateOf(taskId)).state;
    } catch (error) {
      if ((error as { id?: string }).id === taskErrors.TASK_NOT_FOUND().id) return 'gone';
      throw error;
    }
  }

  /** Of several requests at the same time, on whatever replica, one starts the scan; the others are told of it. */
  private async start(
    caller: Principal,
    of: CloudOf,
    seen: GapScanEntity | undefined,
  ): Promise<GapPendingView> {
    await this.work.run(async () => {
      if (!(await this.scans.claim(of, seen))) return;
      const taskId = await this.tasks.start({
        kind: SCAN_TASK,
        tenantId: of.tenantId,
        createdBy: caller.userId,
        payload: { provider: of.provider },
      });
      await this.scans.assignTask(of, taskId);
    });
    const scan = await this.scans.find(of);
    // Between the two the settings may have gone, and the scan with them.
    if (!scan) throw gapErrors.GAPS_NOT_CONFIGURED();
    return runningView(scan);
  }
}

function runningView({ startedAt, taskId }: GapScanEntity): GapPendingView {
  return { status: 'running', started_at: startedAt.toISOString(), task_id: taskId };
}

function failedView(scan: GapScanEntity | undefined): GapPendingView {
  return {
    status: 'failed',
    started_at: (scan?.startedAt ?? new Date(0)).toISOString(),
    ...(scan ? { task_id: scan.taskId } : {}),
    ...(scan?.error ? { error: scan.error } : {}),
  };
}
