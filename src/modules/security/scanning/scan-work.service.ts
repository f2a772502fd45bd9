import { Injectable } from '@nestjs/common';
import type { CheckSet } from '../findings/check-sets.js';
import { Findings, type WritingScan } from '../findings/findings.store.js';
import { isNetworkType, ReachStore } from '../findings/reach.store.js';
import {
  type EstateInstance,
  idsNamedBy,
  namesUnknown,
  refOf,
  type TenantEstate,
} from '../findings/tenant-estate.js';
import { TenantEstates } from '../findings/tenant-estates.js';
import { PlannedImpacts } from '../impact/planned-impacts.store.js';
import { TenantLock } from '../findings/tenant-lock.js';
import { ScannedRows, type ScannedState } from '../findings/scanned-rows.queries.js';
import { FindingRenewal, type KeysByState, keysByState, runOf } from './finding-renewal.js';
import type { TenantLosses } from './losses.store.js';

export interface ScanScope {
  /** version after which instances are looked at; -1: all of them */
  readonly since: number;
  /** version that the findings were made for; -1: none */
  readonly changedSince: number;
  /** what depends on what may have changed */
  readonly graphChanged: boolean;
  /** states that it read when it was last scanned */
  readonly upstreamBefore: readonly string[];
}

/** What has to be looked at in states that are left after others were deleted. */
export interface LostToOthers {
  readonly estate: TenantEstate;
  readonly stateIds: readonly string[];
  /** instances whose checks look others up */
  readonly subjects: KeysByState;
  /** instances whose way from the internet differs */
  readonly moved: KeysByState;
  readonly upstream: ReadonlySet<string>;
}

/** The steps of a scan, within its transaction. */
@Injectable()
export class ScanWork {
  constructor(
    private readonly tenantLock: TenantLock,
    private readonly rows: ScannedRows,
    private readonly estates: TenantEstates,
    private readonly findings: Findings,
    private readonly reach: ReachStore,
    private readonly renewal: FindingRenewal,
    private readonly plans: PlannedImpacts,
  ) {}

  async lock(tenantId: string): Promise<void> {
    await this.tenantLock.acquire(tenantId);
  }

  /** What plans would do is told by their commits from now on. */
  async forgetPlans(txIds: readonly string[]): Promise<void> {
    await this.plans.delete(txIds);
  }

  /** Brings the findings up to date. Answers how many instances were evaluated. */
  async run(scan: WritingScan, state: ScannedState, checks: CheckSet, asked: ScanScope): Promise<number> {
    const removed = asked.since < 0 ? undefined : await this.rows.removed(state.id, asked.since);
    // The log says that everything was replaced: nothing tells what changed.
    const scope = removed === undefined ? { ...asked, since: -1, graphChanged: true } : asked;
    const estate = await this.estates.current(scan.tenantId, checks);
    const run = runOf({ scan, checks, estate, areBlastsKnown: !scope.graphChanged });
    // A scan of the whole state leaves nothing to what earlier scans found.
    if (scope.since < 0) estate.judgement = undefined;

    const changed = await this.changedEstate(estate, state.id, scope.since, checks);
    let touchesNetwork = scope.since < 0 || changed.some(({ type }) => isNetworkType(type));
    const subjects = new Set(subjectsOf(changed, estate, checks).map(({ ref }) => ref));
    for await (const batch of this.rows.replaced(state.id, scope.changedSince, [...checks.estateTypes])) {
      touchesNetwork ||= batch.some(({ type }) => isNetworkType(type));
      for (const { ref } of subjectsOf(batch, estate, checks)) subjects.add(ref);
    }
    const moved = touchesNetwork ? await this.reach.update(scan.tenantId, estate) : new Set<string>();

    for await (const batch of this.rows.changed(state.id, scope.since, [...checks.byType.keys()]))
      await this.renewal.evaluate(run, state.id, batch);
    await this.findings.resolveGone(scan, state.id, scope.since < 0 ? undefined : removed);
    await this.renewal.evaluateSubjects(run, keysByState(subjects));
    await this.renewal.rerateMoved(run, keysByState(moved));
    if (scope.graphChanged) {
      const own = scope.since < 0 ? [] : [state.id];
      const upstream = new Set([...scope.upstreamBefore, ...state.upstream]);
      for (const stateId of [...own, ...upstream])
        if (await this.rows.exists(stateId)) await this.renewal.rerateAll(run, stateId);
    }
    this.findings.analyzeAfterCommit(run.added);
    return run.evaluated.size;
  }

  /** What deleted states did to those that are left, which are kept to the end of the transaction. */
  async lostToOthers(tenantId: string, checks: CheckSet, losses: TenantLosses): Promise<LostToOthers> {
    const estate = await this.estates.current(tenantId, checks);
    const moved = losses.touchesNetwork ? await this.reach.update(tenantId, estate) : new Set<string>();
    const subjects = keysByState(estate.ownersOf(losses.named).map(({ ref }) => ref));
    const lost = { estate, subjects, moved: keysByState(moved), upstream: losses.upstream };
    const stateIds: string[] = [];
    for (const id of new Set([...subjects.keys(), ...lost.moved.keys(), ...losses.upstream]))
      if (await this.rows.exists(id)) stateIds.push(id);
    return { ...lost, stateIds: stateIds.sort() };
  }

  /** Brings the findings of one of these states up to date. Answers how many instances were evaluated. */
  async renewAfterLoss(
    scan: WritingScan,
    { stateId, checks }: { stateId: string; checks: CheckSet },
    { estate, subjects, moved, upstream }: LostToOthers,
  ): Promise<number> {
    const run = runOf({ scan, checks, estate, areBlastsKnown: !upstream.has(stateId) });
    const own = (keys: KeysByState): KeysByState => new Map([[stateId, keys.get(stateId) ?? []]]);
    await this.renewal.evaluateSubjects(run, own(subjects));
    await this.renewal.rerateMoved(run, own(moved));
    if (upstream.has(stateId)) await this.renewal.rerateAll(run, stateId);
    return run.evaluated.size;
  }

  /** What of the estate the state changed after a version; all that it has when it is scanned as a whole. */
  private async changedEstate(
    estate: TenantEstate,
    stateId: string,
    since: number,
    checks: CheckSet,
  ): Promise<EstateInstance[]> {
    if (since < 0) return estate.ofState(stateId);
    const keys = await this.rows.changedKeys(stateId, since, [...checks.estateTypes]);
    return keys.flatMap((key) => estate.instances.get(refOf(stateId, key)) ?? []);
  }
}

/** What is looked up in instances that changed, in any state of the tenant. */
function subjectsOf(
  changed: readonly Pick<EstateInstance, 'type' | 'attributes'>[],
  estate: TenantEstate,
  { links }: CheckSet,
): EstateInstance[] {
  if (changed.some(({ type, attributes }) => namesUnknown(type, attributes, links))) return estate.subjects();
  return estate.ownersOf(
    new Set(changed.flatMap(({ type, attributes }) => idsNamedBy(type, attributes, links))),
  );
}
