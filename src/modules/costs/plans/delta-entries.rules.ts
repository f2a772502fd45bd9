import type { CostedItem } from '../instances/priced-item.js';
import type { DeltaEntry, DeltaSide } from './cost-delta.js';
import type { ComparedItem } from './plan-comparison.service.js';

/** What differs between the two sides, by address; what costs the same and has the same tags is left out. */
export function deltaEntries(comparison: readonly ComparedItem[]): DeltaEntry[] {
  return comparison
    .flatMap(({ before, after }): DeltaEntry[] => {
      const item = after ?? before;
      if (item === undefined) return [];
      const current = before && sideOf(before);
      const planned = after && sideOf(after);
      if (JSON.stringify(current) === JSON.stringify(planned)) return [];
      return [
        {
          address: item.address,
          ...(item.deposed === null ? {} : { deposed: item.deposed }),
          type: item.type,
          provider: item.provider,
          ...(item.region === undefined ? {} : { region: item.region }),
          ...(current === undefined ? {} : { current }),
          ...(planned === undefined ? {} : { planned }),
        },
      ];
    })
    .sort((left, right) => (left.address < right.address ? -1 : left.address > right.address ? 1 : 0));
}

function sideOf(item: CostedItem): DeltaSide {
  const tags = item.tags && Object.entries(item.tags).sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    class: item.class,
    priced: item.isPriced,
    costs: item.costs.map(({ currency, monthly, hourly }) => ({ currency, monthly, hourly })),
    ...(tags === undefined || tags.length === 0 ? {} : { tags: Object.fromEntries(tags) }),
  };
}
