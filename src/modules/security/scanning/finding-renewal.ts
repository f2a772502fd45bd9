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
import { ReachStore } from '../findings/reach.store.js';
import { placeOfRef, refOf, type TenantEstate } from '../findings/tenant-estate.js';
import { identityOf, type ScannedInstance, ScannedRows } from '../findings/scanned-rows.queries.js';

/** What one scan has done so far. */
export interface Run {
  readonly scan: WritingScan;
  readonly checks: CheckSet;
  readonly estate: TenantEstate;
  /** nothing that depends on anything changed: a finding of an instance says what depends on it */
  readonly areBlastsKnown: boolean;
  readonly counters: Map<string, BlastCounter>;
  /** refs of instances whose findings were made anew */
  readonly evaluated: Set<string>;
  /** findings that are new */
  added: number;
}

export function runOf(of: Pick<Run, 'scan' | 'checks' | 'estate' | 'areBlastsKnown'>): Run {
  return { ...of, counters: new Map(), evaluated: new Set(), added: 0 };
}

/** Keys of instances by the state that they are in. */
export type KeysByState = ReadonlyMap<string, readonly string[]>;

/** The event loop is left to others after this time: a tenant's own checks may be slow. */
const MAX_TURN_MS = 20;
/** Instances whose attributes are in memory at a time. */
const KEYS_PER_READ = 2_000;

/** Evaluates checks and severities of single instances, and writes the findings that differ. */
@Injectable()
export class FindingRenewal {
  constructor(
    private readonly rows: ScannedRows,
    private readonly findings: Findings,
    private readonly reach: ReachStore,
    private readonly blasts: BlastCounts,
    private readonly failures: CheckFailures,
  ) {}

  async evaluate(run: Run, stateId: string, instances: readonly ScannedInstance[]): Promise<void> {
    const keys = instances.map(({ key }) => key);
    const reach = await this.reach.findReach(stateId, keys);
    const open = await this.findings.openOf(stateId, keys);
    const known = new Map(run.areBlastsKnown ? open.map((row) => [row.key, blastOf(row)]) : []);
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
      const blast = known.get(instance.key) ?? (await this.countBlast(run, stateId, instance));
      for (const check of failing)
        wanted.push(findingOf({ ...instance, stateId }, check, { reach: reach.get(instance.key), blast }));
    }
    run.added += await this.findings.replace(run.scan, open, wanted);
  }

  /** Instances that are named by what changed, in any state of the tenant. */
  async evaluateSubjects(run: Run, subjects: KeysByState): Promise<void> {
    for (const [stateId, all] of subjects) {
      const keys = all.filter((key) => !run.evaluated.has(refOf(stateId, key)));
      if (keys.length === 0 || !(await this.rows.exists(stateId))) continue;
      for (let at = 0; at < keys.length; at += KEYS_PER_READ)
        await this.evaluate(
          run,
          stateId,
          await this.rows.ofKeys(stateId, keys.slice(at, at + KEYS_PER_READ)),
        );
    }
  }

  /** Findings of instances whose way from the internet differs, and that were not made anew. */
  async rerateMoved(run: Run, moved: KeysByState): Promise<void> {
    for (const [stateId, all] of moved) {
      const keys = all.filter((key) => !run.evaluated.has(refOf(stateId, key)));
      const open = await this.findings.openOf(stateId, keys);
      if (open.length === 0 || !(await this.rows.exists(stateId))) continue;
      await this.rerate(run, stateId, open, blastOf);
    }
  }

  /** All findings of a state whose instances were not evaluated: what depends on them may have changed. */
  async rerateAll(run: Run, stateId: string): Promise<void> {
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
    countOf: (row: OpenFinding) => BlastCount,
  ): Promise<void> {
    const reach = await this.reach.findReach(stateId, [...new Set(open.map(({ key }) => key))]);
    const changed = open.flatMap((row) => {
      const check = run.checks.byId.get(row.check_id);
      if (check === undefined) return [];
      const finding = findingOf({ stateId, key: row.key, address: row.address }, check, {
        reach: reach.get(row.key),
        blast: countOf(row),
      });
      return differs(row, finding) ? [{ id: row.id, finding }] : [];
    });
    await this.findings.update(run.scan, changed);
  }

  private async countBlast(run: Run, stateId: string, instance: ScannedInstance): Promise<BlastCount> {
    return (await this.counterOf(run, stateId)).count(identityOf(instance));
  }

  private async counterOf(run: Run, stateId: string): Promise<BlastCounter> {
    let counter = run.counters.get(stateId);
    if (counter === undefined) run.counters.set(stateId, (counter = await this.blasts.load(stateId)));
    return counter;
  }
}

function blastOf(row: OpenFinding): BlastCount {
  return { resources: row.blast_resources, modules: row.blast_modules, otherStates: row.blast_states };
}

export function keysByState(refs: Iterable<string>): KeysByState {
  const byState = new Map<string, string[]>();
  for (const ref of refs) {
    const { stateId, key } = placeOfRef(ref);
    const known = byState.get(stateId);
    if (known === undefined) byState.set(stateId, [key]);
    else known.push(key);
  }
  return byState;
}
