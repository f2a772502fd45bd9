import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Link } from '../../pricing/index.js';
import { LINKED_TYPES } from '../../pricing/index.js';
import type { PricingBasis } from '../books/pricing-bases.service.js';
import { priceInstance, type Majorities } from '../instances/instance-pricing.rules.js';
import { type KnownLinks, type LinkTarget } from '../instances/known-links.js';
import { targetHashes } from '../instances/link-hash.js';
import type { InstanceRow, PricedItem } from '../instances/priced-item.js';
import { RegionTally } from '../instances/region-tally.js';
import type { InstanceLinks } from './links.store.js';

const INSTANCES_PER_TURN = 250;
/** A rule may ask an instance that another one names, and so on. */
const MAX_LINK_ROUNDS = 5;

/** What a run reads, and what it hands on. */
export interface PricingSource {
  /** every instance to price */
  rows(): AsyncIterable<InstanceRow[]>;
  /** those of them again that could not be priced at once */
  rowsOf(keys: readonly string[]): AsyncIterable<InstanceRow[]>;
  /** answers of links */
  linked(wanted: ReadonlyMap<string, Link>): Promise<{ hash: string; target: LinkTarget }[]>;
  /** priced instances, once each, with their links */
  write(items: readonly PricedItem[], links: readonly InstanceLinks[]): Promise<void>;
}

export interface PricingJob {
  basis: PricingBasis;
  links: KnownLinks;
  /** set: the majorities are known; else they are those of the instances that are priced */
  majorities?: (tally: RegionTally) => Majorities;
}

/**
 * Prices instances in up to three rounds: at once what depends on nothing else; then what asked for other instances, which
 * are looked up together; last what tells no region, once the others' regions are counted. Memory is that of a batch and
 * of the keys that wait.
 */
export async function runPricing(source: PricingSource, job: PricingJob): Promise<RegionTally> {
  const tally = new RegionTally();
  const waiting = new Map<string, 'links' | 'region'>();
  const { basis, links } = job;
  const price = async (
    batches: AsyncIterable<InstanceRow[]>,
    { majorities, isLast = false }: { majorities?: Majorities; isLast?: boolean } = {},
  ): Promise<void> => {
    for await (const rows of batches) {
      const items: PricedItem[] = [];
      const written: InstanceLinks[] = [];
      for (const [at, row] of rows.entries()) {
        if (at % INSTANCES_PER_TURN === 0) await nextTurn();
        const { item, deferred } = priceInstance(row, { basis, links, majorities });
        if (deferred !== undefined && !isLast) waiting.set(row.key, deferred);
        else {
          waiting.delete(row.key);
          tally.add(item, 1);
          items.push(item);
          const isTarget = LINKED_TYPES.has(row.type) && row.deposed === null;
          const targets = isTarget ? targetHashes(row.type, row.attributes) : [];
          if (item.asked.length + targets.length > 0)
            written.push({ key: row.key, asked: item.asked, targets });
        }
      }
      await source.write(items, written);
    }
  };
  await price(source.rows());
  for (let round = 0; round < MAX_LINK_ROUNDS; round++) {
    const wanted = links.takeMissed();
    if (wanted.size === 0) break;
    links.answer(wanted, await source.linked(wanted));
    await price(source.rowsOf(keysOf(waiting, 'links')));
  }
  const majorities = job.majorities?.(tally) ?? tally.majorities();
  await price(source.rowsOf([...waiting.keys()]), { majorities, isLast: true });
  return tally;
}

function keysOf(waiting: ReadonlyMap<string, string>, why: string): string[] {
  return [...waiting].filter(([, reason]) => reason === why).map(([key]) => key);
}
