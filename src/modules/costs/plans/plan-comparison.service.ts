import { Injectable } from '@nestjs/common';
import { LINKED_TYPES } from '../../pricing/index.js';
import type { PricingBasis } from '../books/pricing-bases.service.js';
import type { CostStateEntity } from '../entities/cost.entities.js';
import { KnownLinks } from '../instances/known-links.js';
import { targetHashes } from '../instances/link-hash.js';
import type { CostedItem, InstanceRow, PricedItem } from '../instances/priced-item.js';
import { RegionTally } from '../instances/region-tally.js';
import { CostedRows } from '../snapshots/costed-rows.queries.js';
import { Items, type StoredItem } from '../snapshots/items.store.js';
import { CostLinks } from '../snapshots/links.store.js';
import { runPricing } from '../snapshots/pricing-run.js';
import { plannedChanges } from './planned-instances.rules.js';

/** An instance before and after a plan; one side is missing where it is added or removed. */
export interface ComparedItem {
  before: StoredItem | undefined;
  after: PricedItem | undefined;
}

/** Prices what a plan changes and what asks for that; everything else stays as it is. */
@Injectable()
export class PlanComparison {
  constructor(
    private readonly rows: CostedRows,
    private readonly items: Items,
    private readonly links: CostLinks,
  ) {}

  async compare(state: CostStateEntity, basis: PricingBasis, planJson: unknown): Promise<ComparedItem[]> {
    const { stateId } = state;
    const changes = plannedChanges(planJson);
    const planned = new Map(changes.flatMap(({ key, after }) => (after ? [[key, after] as const] : [])));
    const touched = new Set(changes.flatMap(({ key, before }) => [key, before]));
    const targets = targetsOf([...planned.values()]);
    const asked = [...new Set([...(await this.links.targetsOf(stateId, [...touched])), ...targets.keys()])];
    const askers = (await this.links.askersOf(stateId, asked)).filter((key) => !touched.has(key));
    const before = new Map(
      (await this.items.current(stateId, [...touched, ...askers])).map((item) => [item.key, item]),
    );
    const after = new Map<string, PricedItem>();
    const regions = regionsWithout(state, before.values());
    const rowsOf = this.rowsOf.bind(this, stateId, planned);
    await runPricing(
      {
        rows: () => rowsOf([...new Set([...planned.keys(), ...askers])]),
        rowsOf,
        linked: (wanted) => this.linked(stateId, { wanted, touched, targets }),
        write: (items) => {
          for (const item of items) after.set(item.key, item);
          return Promise.resolve();
        },
      },
      {
        basis,
        links: new KnownLinks(),
        majorities: (tally) => regions.plus(tally).majorities(),
      },
    );
    return [
      ...changes.map((change) => ({ before: before.get(change.before), after: after.get(change.key) })),
      ...askers.map((key) => ({ before: before.get(key), after: after.get(key) })),
    ].filter((item) => item.before !== undefined || item.after !== undefined);
  }

  private async *rowsOf(
    stateId: string,
    planned: ReadonlyMap<string, InstanceRow>,
    keys: readonly string[],
  ): AsyncGenerator<InstanceRow[]> {
    yield keys.flatMap((key) => planned.get(key) ?? []);
    yield* this.rows.ofKeys(
      stateId,
      keys.filter((key) => !planned.has(key)),
    );
  }

  /** As the plan leaves them: planned instances first, then those that it does not touch. */
  private async linked(
    stateId: string,
    of: {
      wanted: ReadonlyMap<string, unknown>;
      touched: ReadonlySet<string>;
      targets: ReadonlyMap<string, InstanceRow>;
    },
  ) {
    const planned = [...of.wanted.keys()].flatMap((hash) => {
      const target = of.targets.get(hash);
      return target === undefined ? [] : [{ hash, target }];
    });
    const others = [...of.wanted.keys()].filter((hash) => !of.targets.has(hash));
    const found = (await this.links.keysOf(stateId, others, 't')).filter(({ key }) => !of.touched.has(key));
    const rows = await this.rows.targets(stateId, [...new Set(found.map(({ key }) => key))]);
    const byKey = new Map(rows.map((row) => [row.key, row]));
    const stored = found.flatMap(({ link, key }) => {
      const target = byKey.get(key);
      return target === undefined ? [] : [{ hash: link, target }];
    });
    return [...planned, ...stored];
  }
}

/** Planned instances by what rules may ask for them with. */
function targetsOf(planned: readonly InstanceRow[]): Map<string, InstanceRow> {
  const targets = new Map<string, InstanceRow>();
  for (const row of planned)
    if (LINKED_TYPES.has(row.type))
      for (const hash of targetHashes(row.type, row.attributes))
        if (!targets.has(hash)) targets.set(hash, row);
  return targets;
}

function regionsWithout(state: CostStateEntity, items: Iterable<CostedItem>): RegionTally {
  const tally = RegionTally.of(state.regions);
  for (const item of items) tally.add(item, -1);
  return tally;
}
