import { Injectable } from '@nestjs/common';
import { keyOf } from '../../documents/index.js';
import { type BlastCounter, BlastCounts } from '../../graph/index.js';
import type { Check } from '../engine/check.js';
import type { LinkedLookup, ScannedResource } from '../engine/condition-evaluation.rules.js';
import { CheckFailures } from '../findings/check-failures.js';
import type { CheckSet } from '../findings/check-sets.js';
import { NO_BLAST } from '../findings/effective-severity.rules.js';
import { failingChecks } from '../findings/failing-checks.rules.js';
import { findingOf, type FoundInstance, type Reach, type WantedFinding } from '../findings/finding-row.js';
import { identityOf, type ScannedInstance, ScannedRows } from '../findings/scanned-rows.queries.js';
import { evidenceOf, isNetworkType, judgeAll, ReachStore } from '../findings/reach.store.js';
import { type EstateInstance, idsNamedBy, refOf, type TenantEstate } from '../findings/tenant-estate.js';
import { TenantEstates } from '../findings/tenant-estates.js';
import { TenantLock } from '../findings/tenant-lock.js';
import { OverlayEstate } from './overlay-estate.js';
import type { PlannedState } from './planned-attributes.rules.js';

type Subject = FoundInstance & ScannedResource & { readonly previousAddress?: string };

/** What the comparison of a state with itself under a plan needs. */
interface Comparison {
  readonly checks: CheckSet;
  readonly estate: TenantEstate;
  readonly overlay: OverlayEstate;
  readonly before: readonly (ScannedInstance & Subject)[];
  readonly after: readonly Subject[];
  /** in any state: named by what the plan changes */
  readonly others: readonly (ScannedInstance & Subject)[];
}

/** Reads what surrounds a plan and tells what it would add and resolve. */
@Injectable()
export class PlanCircumstances {
  constructor(
    private readonly tenantLock: TenantLock,
    private readonly rows: ScannedRows,
    private readonly estates: TenantEstates,
    private readonly reach: ReachStore,
    private readonly blasts: BlastCounts,
    private readonly failures: CheckFailures,
  ) {}

  async lock(tenantId: string): Promise<void> {
    await this.tenantLock.acquire(tenantId);
  }

  async compare(
    of: { tenantId: string; stateId: string },
    checks: CheckSet,
    plan: PlannedState,
  ): Promise<Comparison> {
    const estate = await this.estates.current(of.tenantId, checks);
    const touched = plan.touched.map((address) => keyOf(address));
    const before = (await this.rows.ofKeys(of.stateId, touched)).map((row) => ({
      ...row,
      stateId: of.stateId,
    }));
    const after: EstateInstance[] = plan.instances.map((instance) => {
      const key = keyOf(instance.address);
      return { ...instance, key, stateId: of.stateId, ref: refOf(of.stateId, key) };
    });
    const removed = new Set(touched.map((key) => refOf(of.stateId, key)));
    const inEstate = after.filter(({ type }) => checks.estateTypes.has(type));
    const overlay = new OverlayEstate(estate, removed, inEstate, checks);
    const named = new Set(
      [...before, ...after].flatMap(({ type, attributes }) => idsNamedBy(type, attributes, checks.links)),
    );
    const others: (ScannedInstance & Subject)[] = [];
    const byState = new Map<string, string[]>();
    for (const { ref, stateId, key } of estate.ownersOf(named))
      if (!removed.has(ref)) byState.set(stateId, [...(byState.get(stateId) ?? []), key]);
    for (const [stateId, keys] of byState)
      others.push(...(await this.rows.ofKeys(stateId, keys)).map((row) => ({ ...row, stateId })));
    return { checks, estate, overlay, before, after, others };
  }

  async differences(comparison: Comparison): Promise<{ added: WantedFinding[]; resolved: WantedFinding[] }> {
    const { checks, estate, overlay, before, after, others } = comparison;
    const failingBefore = this.failing([...before, ...others], checks, estate.lookup);
    const failingAfter = this.failing([...after, ...others], checks, overlay.lookup);
    const gone = [...failingBefore].filter(([id]) => !failingAfter.has(id)).map(([, failing]) => failing);
    const come = [...failingAfter].filter(([id]) => !failingBefore.has(id)).map(([, failing]) => failing);
    const blastOf = await this.blastsOf(
      [...before, ...others],
      [...gone, ...come].map(({ subject }) => subject),
    );
    const verdicts =
      come.length > 0 && [...before, ...after].some(({ type }) => isNetworkType(type))
        ? judgeAll(overlay.instances)
        : undefined;
    const stored = new Map<string, Reach>();
    for (const id of new Set([...gone, ...come].map(({ subject }) => subject.stateId)))
      for (const [key, reach] of await this.reach.findReach(
        id,
        [...gone, ...come].filter(({ subject }) => subject.stateId === id).map(({ subject }) => subject.key),
      ))
        stored.set(refOf(id, key), reach);
    const reachAfter = (ref: string): Reach | undefined => {
      if (verdicts === undefined) return stored.get(ref);
      const verdict = verdicts.get(ref);
      if (verdict === undefined || verdict.reach === 'undecided') return undefined;
      return { reachable: verdict.reach === 'reachable', evidence: evidenceOf(verdict) };
    };
    const toFinding = ({ subject, check }: Failing, reach: Reach | undefined): WantedFinding =>
      findingOf(subject, check, { reach, blast: blastOf(subject) });
    return {
      added: come.map((failing) =>
        toFinding(failing, reachAfter(refOf(failing.subject.stateId, failing.subject.key))),
      ),
      resolved: gone.map((failing) =>
        toFinding(failing, stored.get(refOf(failing.subject.stateId, failing.subject.key))),
      ),
    };
  }

  private failing(
    subjects: readonly Subject[],
    checks: CheckSet,
    lookup: LinkedLookup,
  ): Map<string, Failing> {
    const found = new Map<string, Failing>();
    const context = {
      lookup,
      onError: (check: Check, error: unknown) => this.failures.report(check.id, error),
    };
    for (const subject of subjects)
      for (const check of failingChecks(subject, checks.byType.get(subject.type) ?? [], context))
        found.set(`${check.id} ${subject.stateId} ${subject.key}`, { subject, check });
    return found;
  }

  /**
   * As the graphs are now; a moved instance keeps what depends on it, a new one has nothing yet. Graphs are read only of states
   * in which one of the subjects is an instance already.
   */
  private async blastsOf(
    instances: readonly (ScannedInstance & Subject)[],
    subjects: readonly Subject[],
  ): Promise<(subject: Subject) => typeof NO_BLAST> {
    const known = new Map(instances.map((instance) => [refOf(instance.stateId, instance.key), instance]));
    const instanceOf = ({ stateId, key, previousAddress: previous }: Subject) =>
      known.get(refOf(stateId, previous === undefined ? key : keyOf(previous)));
    const counters = new Map<string, BlastCounter>();
    for (const id of new Set(subjects.flatMap((subject) => instanceOf(subject)?.stateId ?? [])))
      counters.set(id, await this.blasts.load(id));
    return (subject) => {
      const instance = instanceOf(subject);
      const counter = counters.get(subject.stateId);
      return instance === undefined || counter === undefined ? NO_BLAST : counter.count(identityOf(instance));
    };
  }
}

interface Failing {
  subject: Subject;
  check: Check;
}
