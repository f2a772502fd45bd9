import type { SumDimension } from '../entities/cost.entities.js';
import { costErrors } from '../costs.errors.js';

export interface Grouping {
  dimension: SumDimension;
  tagKey: string;
}

const MAX_KEY_LENGTH = 2_000;

/** Interface 4.11 rule 2. Undefined without `group_by`. */
export function groupingOf(query: { group_by?: unknown; tag_key?: unknown }): Grouping | undefined {
  const { group_by: by, tag_key: key } = query;
  if (by === undefined) return undefined;
  if (by === 'provider') return { dimension: 'p', tagKey: '' };
  if (by === 'type') return { dimension: 'r', tagKey: '' };
  if (by !== 'tag' || typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH)
    throw costErrors.INVALID_GROUP_BY();
  return { dimension: 't', tagKey: key };
}
