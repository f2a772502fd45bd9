import { cloudOfType, majorityRegion } from '../../pricing/index.js';
import type { RegionCounts } from '../entities/cost.entities.js';
import type { Majorities } from './instance-pricing.rules.js';
import type { CostedItem } from './priced-item.js';

/** How many instances of a state tell which region, by cloud. */
export class RegionTally {
  private readonly clouds = new Map<string, Map<string, number>>();

  static of(counts: RegionCounts): RegionTally {
    const tally = new RegionTally();
    for (const [cloud, regions] of Object.entries(counts))
      for (const [region, count] of Object.entries(regions)) tally.put(cloud, region, count);
    return tally;
  }

  add({ type, ownRegion }: Pick<CostedItem, 'type' | 'ownRegion'>, sign: 1 | -1): void {
    const cloud = cloudOfType(type);
    if (cloud !== undefined && ownRegion !== undefined) this.put(cloud, ownRegion, sign);
  }

  /** With the counts of the other one added. */
  plus(other: RegionTally): RegionTally {
    const sum = RegionTally.of(this.counts());
    for (const [cloud, regions] of other.clouds)
      for (const [region, count] of regions) sum.put(cloud, region, count);
    return sum;
  }

  majorities(): Majorities {
    return Object.fromEntries(
      [...this.clouds].map(([cloud, regions]) => {
        const present = new Map([...regions].filter(([, count]) => count > 0));
        return [cloud, majorityRegion(present)];
      }),
    );
  }

  counts(): RegionCounts {
    return Object.fromEntries(
      [...this.clouds].map(([cloud, regions]) => [
        cloud,
        Object.fromEntries([...regions].filter(([, count]) => count !== 0)),
      ]),
    );
  }

  private put(cloud: string, region: string, count: number): void {
    let regions = this.clouds.get(cloud);
    if (regions === undefined) this.clouds.set(cloud, (regions = new Map<string, number>()));
    regions.set(region, (regions.get(region) ?? 0) + count);
  }
}

export function sameMajorities(left: Majorities, right: Majorities): boolean {
  const clouds = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...clouds].every((cloud) => left[cloud] === right[cloud]);
}
