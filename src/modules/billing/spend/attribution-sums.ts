/** A resource without a state is unmanaged, and lines without a resource belong to neither. */
const PARTS = ['attributed', 'unmanaged', 'unallocated'] as const;

const PIVOT = PARTS.map(
  (part) =>
    `coalesce(sum(cost) FILTER (WHERE part = '${part}'), 0)::text AS ${part},
     coalesce(sum(lines) FILTER (WHERE part = '${part}'), 0)::text AS ${part}_count`,
).join(', ');

const sumsWhere = (
  attributed: string,
): string => `SELECT provider, currency, ${PIVOT}, min(first_date)::text AS first_date, max(last_date)::text AS last_date
   FROM (SELECT provider, currency, CASE WHEN ${attributed} THEN 'attributed' WHEN resource_id <> '' THEN 'unmanaged' ELSE 'unallocated' END AS part,
       sum(billed_cost) AS cost, sum(line_count) AS lines, min(first_date) AS first_date, max(last_date) AS last_date
     FROM billed_resources WHERE tenant_id = $1 GROUP BY 1, 2, 3) parts
   GROUP BY provider, currency ORDER BY provider COLLATE "C", currency`;

/** SQL of the `SpendSum`s of the tenant `$1`: every billed resource is looked at once. */
export const SPEND_SUMS = sumsWhere('state_id IS NOT NULL');

/**
 * The same as they are stored: a resource whose state was deleted counts as attributed until it is matched again, so that
 * a match can tell from the address what the stored sums hold.
 */
export const STORED_SPEND_SUMS = sumsWhere('address IS NOT NULL');
