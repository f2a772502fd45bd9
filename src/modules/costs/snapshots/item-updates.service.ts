import { Injectable } from '@nestjs/common';
import { LINKED_TYPES, pricedTypes } from '../../pricing/index.js';
import { CostMetrics } from '../books/cost-metrics.js';
import type { PricingBasis } from '../books/pricing-bases.service.js';
import type { CostStateEntity, RegionCounts } from '../entities/cost.entities.js';
import { type ItemCounts, ItemSums } from '../instances/item-sums.js';
import { KnownLinks } from '../instances/known-links.js';
import { targetHashes } from '../instances/link-hash.js';
import type { PricedItem } from '../instances/priced-item.js';
import { RegionTally, sameMajorities } from '../instances/region-tally.js';
import { byCurrency, type CurrencyAmount } from '../instances/totals.rules.js';
import { ConnectionTurns } from './connection-turns.js';
import { CostedRows } from './costed-rows.queries.js';
import { Items, type StoredItem, type WritingSnapshot } from './items.store.js';
import { CostLinks, type InstanceLinks } from './links.store.js';
import { type PricingSource, runPricing } from './pricing-run.js';
import { Snapshots } from './snapshots.store.js';
import { SumRows } from './sums.store.js';

/** What is priced: nothing, because it is the same; nothing, because it cannot be read; what changed; everything. */
export type PricedScope =
  | { readonly kind: 'same' | 'empty' | 'whole' }
  | { readonly kind: 'changed'; readonly since: number };

export interface UpdateContext {
  readonly basis: PricingBasis;
  readonly scope: PricedScope;
  readonly previous: CostStateEntity;
}

/** Where the state stands afterwards. */
export interface Outcome {
  counts: ItemCounts;
  regions: RegionCounts;
  totals: CurrencyAmount[];
}

export type Writing = WritingSnapshot & { readonly at: Date };

/** More changed instances than this are priced as a whole state: one after the other instead of all at once. */
const MAX_CHANGED = 5_000;
const COUNTED_TYPES = new Set(pricedTypes());

/** Brings items, links and sums of a state up to date. */
@Injectable()
export class ItemUpdates {
  constructor(
    readonly rows: CostedRows,
    readonly items: Items,
    private readonly links: CostLinks,
    private readonly sums: SumRows,
    private readonly snapshots: Snapshots,
    private readonly metrics: CostMetrics,
  ) {}

  async bring(snapshot: Writing, context: UpdateContext): Promise<Outcome> {
    const { scope } = context;
    if (scope.kind === 'changed') {
      const outcome = await this.changed(snapshot, context, scope.since);
      if (outcome !== undefined) return outcome;
    }
    if (scope.kind === 'same') return this.same(snapshot, context);
    return this.whole(snapshot, context);
  }

  private async same({ stateId }: Writing, { previous }: UpdateContext): Promise<Outcome> {
    const providers = await this.sums.providers(stateId);
    return {
      counts: await this.countsOf(previous),
      regions: previous.regions,
      totals: byCurrency(providers),
    };
  }

  /** Prices everything; only what differs is written. */
  private async whole(snapshot: Writing, { basis, scope, previous }: UpdateContext): Promise<Outcome> {
    const { stateId } = snapshot;
    const isFirst = previous.seq === 0;
    const sums = new ItemSums();
    const seen = new Set<string>();
    const stale = isFirst ? [] : await this.items.currentKeys(stateId);
    const turns = new ConnectionTurns();
    const write = async (items: readonly PricedItem[], links: readonly InstanceLinks[]): Promise<void> => {
      const keys = items.map(({ key }) => key);
      const marks = isFirst ? new Map<string, string>() : await this.items.marks(stateId, keys);
      this.countGaps(items, await this.items.write(snapshot, items, marks));
      if (isFirst) await this.links.insert(stateId, links);
      else await this.links.replace(stateId, withAll(keys, links));
    };
    const source: PricingSource = {
      rows: () => turns.prefetch(this.rows.all(stateId)),
      rowsOf: (keys) => turns.prefetch(this.rows.ofKeys(stateId, keys)),
      linked: (wanted) => turns.run(() => this.rows.linked(stateId, wanted)),
      write: async (items, links) => {
        for (const item of items) {
          seen.add(item.key);
          sums.add(item);
        }
        await turns.write(() => write(items, links));
      },
    };
    if (scope.kind !== 'empty') {
      try {
        await runPricing(source, { basis, links: new KnownLinks() });
        await turns.end();
      } finally {
        await turns.settle();
      }
    }
    const gone = stale.filter((key) => !seen.has(key));
    await this.items.close(snapshot, gone);
    if (gone.length > 0) await this.links.replace(stateId, [], gone);
    const day = dayOf(snapshot.at);
    if (isFirst) await this.sums.insert({ ...snapshot, day }, [...sums.sums.values()]);
    else await this.sums.replace({ ...snapshot, day }, await this.sums.current(stateId), sums.sums);
    return {
      counts: sums.counts,
      regions: sums.regions.counts(),
      totals: byCurrency([...sums.sums.values()].filter(({ dimension }) => dimension === 'p')),
    };
  }

  /** Prices what changed and what asked for it. Undefined when that cannot be told, or moves what is most of a state. */
  private async changed(
    snapshot: Writing,
    { basis, previous }: UpdateContext,
    since: number,
  ): Promise<Outcome | undefined> {
    const { stateId } = snapshot;
    const changes = await this.rows.changes(stateId, { since, limit: MAX_CHANGED });
    if (changes === undefined) return undefined;
    const touched = [...changes.changed, ...changes.removed];
    const before = await this.links.targetsOf(stateId, touched);
    const priced: PricedItem[] = [];
    const links: InstanceLinks[] = [];
    const known = new KnownLinks();
    await this.writeTargets(stateId, changes.changed);
    const after = await this.links.targetsOf(stateId, changes.changed);
    const askers = (await this.links.askersOf(stateId, [...new Set([...before, ...after])])).filter(
      (key) => !touched.includes(key),
    );
    const keys = [...new Set([...changes.changed, ...askers])];
    if (keys.length > MAX_CHANGED) return undefined;
    const old = await this.items.current(stateId, [...keys, ...changes.removed]);
    const tallyBefore = RegionTally.of(previous.regions);
    const rest = tallyBefore.plus(tallyOf(old, -1));
    await runPricing(
      {
        rows: () => this.rows.ofKeys(stateId, keys),
        rowsOf: (some) => this.rows.ofKeys(stateId, some),
        linked: async (wanted) => {
          const found = await this.links.keysOf(stateId, [...wanted.keys()], 't');
          const targets = await this.rows.targets(stateId, [...new Set(found.map(({ key }) => key))]);
          const byKey = new Map(targets.map((target) => [target.key, target]));
          return found.flatMap(({ link, key }) => {
            const target = byKey.get(key);
            return target === undefined ? [] : [{ hash: link, target }];
          });
        },
        write: (items, written) => {
          priced.push(...items);
          links.push(...written);
          return Promise.resolve();
        },
      },
      {
        basis,
        links: known,
        majorities: (tally) => rest.plus(tally).majorities(),
      },
    );
    const sums = new ItemSums();
    for (const item of old) sums.add(item, -1);
    for (const item of priced) sums.add(item);
    const regions = tallyBefore.plus(sums.regions);
    if (!sameMajorities(tallyBefore.majorities(), regions.majorities())) return undefined;
    const marks = new Map(old.map(({ key, mark }) => [key, mark]));
    this.countGaps(priced, await this.items.write(snapshot, priced, marks));
    // An instance that vanished between two statements is closed by the run that finds its removal in the log.
    await this.items.close(snapshot, changes.removed);
    await this.links.replace(stateId, withAll(keys, links), changes.removed);
    sums.dropEmpty();
    const base = await this.sums.current(stateId, sums);
    sums.addBase(base);
    await this.sums.replace({ ...snapshot, day: dayOf(snapshot.at) }, base, sums.sums);
    const counts = await this.countsOf(previous);
    for (const name of ['resources', 'free', 'supported', 'priced'] as const)
      counts[name] += sums.counts[name];
    const providers = await this.sums.providers(stateId);
    return { counts, regions: regions.counts(), totals: byCurrency(providers) };
  }

  /** Links are answered from the table: it has to know what changed before anything is priced. */
  private async writeTargets(stateId: string, keys: readonly string[]): Promise<void> {
    for await (const rows of this.rows.ofKeys(stateId, keys)) {
      const links = rows
        .filter(({ type, deposed }) => LINKED_TYPES.has(type) && deposed === null)
        .map(({ key, type, attributes }) => ({ key, asked: [], targets: targetHashes(type, attributes) }));
      if (links.length > 0) await this.links.replace(stateId, links);
    }
  }

  private async countsOf({ snapshotId }: CostStateEntity): Promise<ItemCounts> {
    const snapshot = snapshotId === null ? null : await this.snapshots.find(snapshotId);
    return {
      resources: snapshot?.resourceCount ?? 0,
      free: snapshot?.freeCount ?? 0,
      supported: snapshot?.supportedCount ?? 0,
      priced: snapshot?.pricedCount ?? 0,
    };
  }

  private countGaps(items: readonly PricedItem[], written: readonly string[]): void {
    const keys = new Set(written);
    for (const { key, gap, type } of items)
      if (gap !== undefined && keys.has(key))
        this.metrics.unpriced.inc({ type: COUNTED_TYPES.has(type) ? type : 'other', reason: gap });
  }
}

function tallyOf(items: readonly StoredItem[], sign: 1 | -1): RegionTally {
  const tally = new RegionTally();
  for (const item of items) tally.add(item, sign);
  return tally;
}

/** Instances without links lose those that they had. */
function withAll(keys: readonly string[], links: readonly InstanceLinks[]): InstanceLinks[] {
  const known = new Set(links.map(({ key }) => key));
  return [...links, ...keys.filter((key) => !known.has(key)).map((key) => ({ key, asked: [], targets: [] }))];
}

export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
