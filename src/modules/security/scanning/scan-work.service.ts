import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type BlastCount, type BlastCounter, BlastCounts } from '../../graph/index.js';
import type { Check } from '../engine/check.js';
import { CheckFailures } from '../findings/check-failures.js';
import type { CheckSet } from '../findings/check-sets.js';
import { NO_BLAST } from '../findings/effective-severity.rules.js';
import { failingChecks } from '../findings/failing-checks.rules.js';
import { findingOf, type WantedFinding } from '../findings/finding-row.js';
import { differs, Findings, type OpenFinding, type WritingScan } from '../findings/findings.store.js';
import { isNetworkType, ReachStore } from '../findings/reach.store.js';
import { type EstateInstance, idsNamedBy, refOf, type TenantEstate } from '../findings/tenant-estate.js';
import { TenantEstates } from '../findings/tenant-estates.js';
import { PlannedImpacts } from '../impact/planned-impacts.store.js';
import { TenantLock } from '../findings/tenant-lock.js';
import {
  identityOf,
  type ScannedInstance,
  ScannedRows,
  type ScannedState,
} from '../findings/scanned-rows.queries.js';

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

/** What one scan has done so far. */
interface Run {
  readonly scan: WritingScan;
  readonly checks: CheckSet;
  readonly estate: TenantEstate;
  readonly counters: Map<string, BlastCounter>;
  /** refs of instances whose findings were made anew */
  readonly evaluated: Set<string>;
}

/** The event loop is left to others after this time: a tenant's own checks may be slow. */
const MAX_TURN_MS = 20;

/** The steps of a scan, within its transaction. */
@Injectable()
export class ScanWork {
  constructor(
    private readonly tenantLock: TenantLock,
    private readonly rows: ScannedRows,
    private readonly estates: TenantEstates,
    private readonly findings: Findings,
    private readonly reach: ReachStore,
    private readonly blasts: BlastCounts,
    private readonly failures: CheckFailures,
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
    const run: Run = { scan, checks, estate, counters: new Map(), evaluated: new Set() };

    const replaced = await this.rows.replaced(state.id, scope.changedSince, [...checks.estateTypes]);
    const named = new Set(
      replaced.flatMap(({ type, attributes }) => idsNamedBy(type, attributes, checks.links)),
    );
    let touchesNetwork = scope.since < 0 || replaced.some(({ type }) => isNetworkType(type));
    for (const { type, attributes } of await this.changedEstate(estate, state.id, scope.since, checks)) {
      touchesNetwork ||= isNetworkType(type);
      for (const id of idsNamedBy(type, attributes, checks.links)) named.add(id);
    }
    const moved = touchesNetwork ? await this.reach.update(scan.tenantId, estate) : new Set<string>();

    for await (const batch of this.rows.changed(state.id, scope.since, [...checks.byType.keys()]))
      await this.evaluate(run, state.id, batch);
    await this.findings.resolveGone(scan, state.id, scope.since < 0 ? undefined : removed);
    await this.evaluateSubjects(run, named);
    await this.rerateMoved(run, moved);
    if (scope.graphChanged) {
      const own = scope.since < 0 ? [] : [state.id];
      const upstream = new Set([...scope.upstreamBefore, ...state.upstream]);
      for (const stateId of [...own, ...upstream])
        if (await this.rows.exists(stateId)) await this.rerateAll(run, stateId);
    }
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

  private async evaluate(run: Run, stateId: string, instances: readonly ScannedInstance[]): Promise<void> {
    const keys = instances.map(({ key }) => key);
    const reach = await this.reach.findReach(stateId, keys);
    const wanted: WantedFinding[] = [];
    const context = {
      lookup: run.estate.lookup,
      onError: (check: Check, error: unknown) => this.failures.report(check.id, error),
    };
    let turnStart = performance.now();
    for (const instance of instances) {
      if (performance.now() - turnStart > MAX_TURN_MS) {
        await nextTurn();
        turnStart = performance.now();
      }
      run.evaluated.add(refOf(stateId, instance.key));
      const failing = failingChecks(instance, run.checks.byType.get(instance.type) ?? [], context);
      if (failing.length === 0) continue;
      const blast = await this.blastOf(run, stateId, instance);
      for (const check of failing)
        wanted.push(findingOf({ ...instance, stateId }, check, { reach: reach.get(instance.key), blast }));
    }
    await this.findings.replace(run.scan, { stateId, keys }, wanted);
  }

  /** Instances that are named by what changed, in any state of the tenant. */
  private async evaluateSubjects(run: Run, named: ReadonlySet<string>): Promise<void> {
    const byState = new Map<string, string[]>();
    for (const { ref, stateId, key } of run.estate.ownersOf(named))
      if (!run.evaluated.has(ref)) byState.set(stateId, [...(byState.get(stateId) ?? []), key]);
    for (const [stateId, keys] of byState)
      if (await this.rows.exists(stateId))
        await this.evaluate(run, stateId, await this.rows.ofKeys(stateId, keys));
  }

  /** Findings of instances whose way from the internet differs, and that were not made anew. */
  private async rerateMoved(run: Run, moved: ReadonlySet<string>): Promise<void> {
    const byState = new Map<string, string[]>();
    for (const ref of moved) {
      const [stateId = '', key = ''] = ref.split(' ');
      if (!run.evaluated.has(ref)) byState.set(stateId, [...(byState.get(stateId) ?? []), key]);
    }
    for (const [stateId, keys] of byState) {
      const open = await this.findings.openOf(stateId, keys);
      if (open.length === 0 || !(await this.rows.exists(stateId))) continue;
      await this.rerate(run, stateId, open, (row) => ({
        resources: row.blast_resources,
        modules: row.blast_modules,
        otherStates: row.blast_states,
      }));
    }
  }

  /** All findings of a state whose instances were not evaluated: what depends on them may have changed. */
  private async rerateAll(run: Run, stateId: string): Promise<void> {
    for await (const part of this.findings.allOpenOf(stateId)) {
      const open = part.filter(({ key }) => !run.evaluated.has(refOf(stateId, key)));
      if (open.length === 0) continue;
      const instances = new Map(
        (await this.rows.identitiesOf(stateId, [...new Set(open.map(({ key }) => key))])).map((row) => [
          row.key,
          row,
        ]),
      );
      const counter = await this.counterOf(run, stateId);
      await this.rerate(run, stateId, open, ({ key }) => {
        const instance = instances.get(key);
        return instance === undefined ? NO_BLAST : counter.count(identityOf(instance));
      });
    }
  }

  private async rerate(
    run: Run,
    stateId: string,
    open: readonly OpenFinding[],
    blastOf: (row: OpenFinding) => BlastCount,
  ): Promise<void> {
    const reach = await this.reach.findReach(stateId, [...new Set(open.map(({ key }) => key))]);
    const changed = open.flatMap((row) => {
      const check = run.checks.byId.get(row.check_id);
      if (check === undefined) return [];
      const finding = findingOf({ stateId, key: row.key, address: row.address }, check, {
        reach: reach.get(row.key),
        blast: blastOf(row),
      });
      return differs(row, finding) ? [{ id: row.id, finding }] : [];
    });
    await this.findings.update(run.scan, changed);
  }

  private async blastOf(run: Run, stateId: string, instance: ScannedInstance): Promise<BlastCount> {
    return (await this.counterOf(run, stateId)).count(identityOf(instance));
  }

  private async counterOf(run: Run, stateId: string): Promise<BlastCounter> {
    let counter = run.counters.get(stateId);
    if (counter === undefined) run.counters.set(stateId, (counter = await this.blasts.load(stateId)));
    return counter;
  }
}
