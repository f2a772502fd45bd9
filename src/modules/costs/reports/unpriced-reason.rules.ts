import type { ItemClass } from '../entities/cost.entities.js';

/** Why an instance did not contribute to totals, or not with all of it. */
export function unpricedReason(itemClass: ItemClass, components: string): string {
  if (itemClass === 'u') return 'there is no rule for this resource type';
  if (itemClass === 'f') return 'this resource type costs nothing';
  const parts = JSON.parse(components) as { name: string; gap?: string; reason?: string }[];
  const missing = parts.find(({ gap }) => gap === 'no_price' || gap === 'unknown_attribute');
  if (missing === undefined) return 'the pricing rule failed';
  return `${missing.name}: ${missing.reason ?? missing.gap ?? ''}`;
}
