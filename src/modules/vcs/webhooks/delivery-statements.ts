import type { PreparedStatement } from '../../../platform/database/index.js';

/** The columns of one delivery, in the order of its values. */
const VALUES = [
  'uuid',
  'text',
  'text',
  'text',
  'uuid',
  'text',
  'text',
  'text',
  'text',
  'bytea',
  'text',
] as const;

/**
 * The insert is the de-duplication, and the first delivery of a group marks it installed, whatever it says: one
 * statement for both, and for several deliveries.
 */
export function storeStatement(count: number): PreparedStatement {
  const rows = Array.from({ length: count }, (_, row) => {
    const values = VALUES.map((type, index) => `$${row * VALUES.length + index + 1}::${type}`);
    return `(${values.join(', ')})`;
  });
  return {
    name: `vcs_store_deliveries_${count}`,
    text: `
  WITH incoming (id, provider, source, delivery_id, installation, provider_installation_id, event, action, lane, body, state)
    AS (VALUES ${rows.join(', ')}),
  stored AS (
    INSERT INTO webhook_deliveries (id, provider, source, delivery_id, installation_id, provider_installation_id,
                                    event, action, lane, body, state, was_pending, processed_at)
    SELECT r.id, r.provider, r.source, r.delivery_id, i.id, r.provider_installation_id, r.event, r.action, r.lane, r.body,
           r.state, coalesce(i.state = 'pending', false), CASE WHEN r.state = 'received' THEN NULL ELSE now() END
      FROM incoming r
      LEFT JOIN LATERAL (
        SELECT id, state FROM installations WHERE id = r.installation
        UNION ALL
        SELECT id, state FROM installations
         WHERE r.installation IS NULL AND provider = r.provider AND installation_id = r.provider_installation_id
      ) i ON true
    ON CONFLICT (provider, source, delivery_id) DO NOTHING
    RETURNING id
  ), installed AS (
    UPDATE installations SET state = 'installed', updated_at = now()
     WHERE id IN (SELECT installation FROM incoming) AND state = 'pending'
  )
  SELECT id FROM stored`,
  };
}

const COLUMNS =
  'id, provider, installation_id, provider_installation_id, event, action, was_pending, attempts, received_at, body';

/** The first deliveries of a lane, as many as fit into memory; whoever works on them stops at the first that is not due. */
export const NEXT_OF_LANE = {
  name: 'vcs_next_deliveries',
  text: `
  SELECT ${COLUMNS}, retry_at IS NULL OR retry_at <= now() AS is_due FROM (
    SELECT *, row_number() OVER (ORDER BY seq) AS position, sum(octet_length(body)) OVER (ORDER BY seq) AS bytes
      FROM (SELECT * FROM webhook_deliveries WHERE lane = $1 AND state = 'received' ORDER BY seq LIMIT $2) first
  ) sized WHERE position = 1 OR bytes <= $3 ORDER BY seq`,
};

/**
 * Lanes whose first delivery is due and which nobody works on: new ones before those that stepped aside, the longest due
 * first. Lanes are skipped through in the order of their names. Those of deliveries that stepped aside, `aside:` and a
 * UUID, stand before `aside:z` in every collation; they are read by the time at which they are due.
 */
export const DUE_LANES = `
  WITH RECURSIVE lanes AS (
    (SELECT lane, retry_at, received_at FROM webhook_deliveries
      WHERE state = 'received' AND lane > 'aside:z' ORDER BY lane, seq LIMIT 1)
    UNION ALL
    SELECT next.* FROM lanes CROSS JOIN LATERAL (
      SELECT lane, retry_at, received_at FROM webhook_deliveries
       WHERE state = 'received' AND lane > lanes.lane ORDER BY lane, seq LIMIT 1) next
  ), aside AS (
    SELECT lane, retry_at FROM webhook_deliveries d
     WHERE state = 'received' AND lane LIKE 'aside:%' AND retry_at <= now()
       AND NOT EXISTS (SELECT FROM webhook_lanes l WHERE l.lane = d.lane AND l.leased_until >= now())
     ORDER BY retry_at LIMIT $1
  )
  SELECT lane FROM (
    SELECT d.lane, false AS is_aside, coalesce(d.retry_at, d.received_at) AS due_at
      FROM lanes d LEFT JOIN webhook_lanes l ON l.lane = d.lane
     WHERE (d.retry_at IS NULL OR d.retry_at <= now()) AND (l.leased_until IS NULL OR l.leased_until < now())
    UNION ALL
    SELECT lane, true, retry_at FROM aside
  ) due ORDER BY is_aside, due_at LIMIT $1`;

/** Whoever steps aside has a lane of its own. */
export const RETRY = `
  UPDATE webhook_deliveries SET attempts = attempts + 1, error = $3, retry_at = now() + $2 * interval '1 millisecond',
         lane = CASE WHEN $4::boolean THEN 'aside:' || id ELSE lane END
   WHERE id = $1 AND state = 'received'`;

export const FINISH = {
  name: 'vcs_finish_delivery',
  text: `
  UPDATE webhook_deliveries d SET state = $2, error = $3, attempts = attempts + 1, processed_at = now(), retry_at = NULL,
         installation_id = coalesce(d.installation_id, (
           SELECT i.id FROM installations i WHERE i.provider = d.provider AND i.installation_id = d.provider_installation_id))
   WHERE id = $1 AND state = 'received'`,
};

export const LEASE = `
  INSERT INTO webhook_lanes (lane, holder, leased_until) VALUES ($1, $2, now() + $3::interval)
  ON CONFLICT (lane) DO UPDATE SET holder = excluded.holder, leased_until = excluded.leased_until
   WHERE webhook_lanes.leased_until IS NULL OR webhook_lanes.leased_until < now()
  RETURNING lane`;
