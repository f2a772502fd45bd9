import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SealedColumns, Sealing } from '../../../platform/crypto/index.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { DeliveryState } from '../entities/webhook-delivery.entity.js';
import type { Provider } from '../entities/installation.entity.js';
import type { ReceivedDelivery } from './received-delivery.js';

/** A delivery that waits for its processing. */
export interface WaitingDelivery {
  id: string;
  provider: Provider;
  installation_id: string | null;
  provider_installation_id: string | null;
  event: string;
  action: string | null;
  was_pending: boolean;
  attempts: number;
  body: Buffer | null;
}

/**
 * The insert is the de-duplication, and the first delivery of a group marks it installed, whatever it says: one
 * statement for both.
 */
const STORE = {
  name: 'vcs_store_delivery',
  text: `
  WITH stored AS (
    INSERT INTO webhook_deliveries (id, provider, source, delivery_id, installation_id, provider_installation_id,
                                    event, action, lane, body, state, was_pending, processed_at)
    SELECT $1, $2, $3, $4, i.id, $6, $7, $8, $9, $10, $11, coalesce(i.state = 'pending', false),
           CASE WHEN $11 = 'received' THEN NULL ELSE now() END
      FROM (SELECT 1) one
      LEFT JOIN installations i
        ON CASE WHEN $5::uuid IS NULL THEN i.provider = $2 AND i.installation_id = $6 ELSE i.id = $5 END
    ON CONFLICT (provider, source, delivery_id) DO NOTHING
    RETURNING id
  ), installed AS (
    UPDATE installations SET state = 'installed', updated_at = now()
     WHERE id = $5 AND state = 'pending'
  )
  SELECT id FROM stored`,
};

const NEXT_OF_LANE = `
  SELECT id, provider, installation_id, provider_installation_id, event, action, was_pending, attempts, body,
         retry_at IS NULL OR retry_at <= now() AS is_due
    FROM webhook_deliveries WHERE lane = $1 AND state = 'received' ORDER BY seq LIMIT 1`;

/** Lanes whose first delivery is due and which nobody works on. */
const DUE_LANES = `
  SELECT d.lane FROM (
    SELECT DISTINCT ON (lane) lane, retry_at, received_at
      FROM webhook_deliveries WHERE state = 'received' ORDER BY lane, seq
  ) d LEFT JOIN webhook_lanes l ON l.lane = d.lane
  WHERE (d.retry_at IS NULL OR d.retry_at <= now()) AND (l.leased_until IS NULL OR l.leased_until < now())
  ORDER BY d.received_at LIMIT $1`;

const LEASE = `
  INSERT INTO webhook_lanes (lane, holder, leased_until) VALUES ($1, $2, now() + $3::interval)
  ON CONFLICT (lane) DO UPDATE SET holder = excluded.holder, leased_until = excluded.leased_until
   WHERE webhook_lanes.leased_until IS NULL OR webhook_lanes.leased_until < now()
  RETURNING lane`;

const LEASE_TIME = '60 seconds';

/** Deliveries and their lanes. A lane is worked on by one holder at a time, in order of arrival. */
@Injectable()
export class DeliveriesStore implements OnModuleInit {
  constructor(
    private readonly work: UnitOfWork,
    private readonly sealing: Sealing,
    private readonly columns: SealedColumns,
    private readonly secrets: Secrets,
  ) {}

  onModuleInit(): void {
    this.columns.add({ table: 'webhook_deliveries', column: 'body', key: 'id' });
  }

  /** False for a delivery that was stored before, or is being stored by another request. */
  async store(delivery: ReceivedDelivery, state: DeliveryState = 'received'): Promise<boolean> {
    const id = this.secrets.uuid();
    const rows = await this.work.prepared(STORE, [
      id,
      delivery.provider,
      delivery.source,
      delivery.deliveryId,
      delivery.installationId ?? null,
      delivery.providerInstallationId ?? null,
      delivery.event,
      delivery.action ?? null,
      delivery.lane,
      state === 'received' ? this.sealing.seal(delivery.body, placeOf(id)) : null,
      state,
    ]);
    return rows.length > 0;
  }

  async listDueLanes(limit: number): Promise<string[]> {
    return (await this.work.query<{ lane: string }>(DUE_LANES, [limit])).map(({ lane }) => lane);
  }

  /** False when somebody else holds the lane. */
  async lease(lane: string, holder: string): Promise<boolean> {
    return (await this.work.query(LEASE, [lane, holder, LEASE_TIME])).length > 0;
  }

  /** False when the lease was lost. */
  async renew(lane: string, holder: string): Promise<boolean> {
    const rows = await this.work.query(
      `UPDATE webhook_lanes SET leased_until = now() + $3::interval WHERE lane = $1 AND holder = $2 RETURNING lane`,
      [lane, holder, LEASE_TIME],
    );
    return rows.length > 0;
  }

  /**
   * True when the lane is free again; false when a delivery is due that arrived meanwhile. The row is locked before the
   * look: whoever stores one afterwards finds the lane free.
   */
  async release(lane: string, holder: string): Promise<boolean> {
    return this.work.run(async () => {
      await this.work.query('SELECT FROM webhook_lanes WHERE lane = $1 AND holder = $2 FOR UPDATE', [
        lane,
        holder,
      ]);
      const [next] = await this.work.query<{ is_due: boolean }>(NEXT_OF_LANE, [lane]);
      if (next?.is_due) return false;
      await this.work.query(
        'UPDATE webhook_lanes SET holder = NULL, leased_until = NULL WHERE lane = $1 AND holder = $2',
        [lane, holder],
      );
      return true;
    });
  }

  /** The first delivery of a lane when it is due. */
  async findNext(lane: string): Promise<WaitingDelivery | undefined> {
    const [next] = await this.work.query<WaitingDelivery & { is_due: boolean }>(NEXT_OF_LANE, [lane]);
    return next?.is_due ? next : undefined;
  }

  openBody({ id, body }: WaitingDelivery): Buffer | undefined {
    return body ? this.sealing.open(body, placeOf(id)) : undefined;
  }

  async finish(id: string, state: Exclude<DeliveryState, 'received'>, error?: string): Promise<void> {
    await this.work.query(
      `UPDATE webhook_deliveries d SET state = $2, error = $3, attempts = attempts + 1, processed_at = now(), retry_at = NULL,
              installation_id = coalesce(d.installation_id, (
                SELECT i.id FROM installations i WHERE i.provider = d.provider AND i.installation_id = d.provider_installation_id))
        WHERE id = $1`,
      [id, state, error ?? null],
    );
  }

  async retry(id: string, afterMs: number, error: string): Promise<void> {
    await this.work.query(
      `UPDATE webhook_deliveries SET attempts = attempts + 1, error = $3, retry_at = now() + $2 * interval '1 millisecond'
        WHERE id = $1`,
      [id, afterMs, error],
    );
  }

  /** Bodies go after a day, rows after a week, lanes that nobody uses with them. */
  async removeOld(): Promise<void> {
    await this.work.query(
      `UPDATE webhook_deliveries SET body = NULL
        WHERE body IS NOT NULL AND state <> 'received' AND received_at < now() - interval '1 day'`,
    );
    await this.work.query(
      `UPDATE webhook_deliveries SET state = 'failed', error = 'TOO_OLD', body = NULL, processed_at = now()
        WHERE state = 'received' AND received_at < now() - interval '1 day'`,
    );
    await this.work.query(`DELETE FROM webhook_deliveries WHERE received_at < now() - interval '7 days'`);
    await this.work.query(
      `DELETE FROM webhook_lanes l WHERE (leased_until IS NULL OR leased_until < now())
          AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.lane = l.lane AND d.state = 'received')`,
    );
  }
}

function placeOf(row: string): { table: string; column: string; row: string } {
  return { table: 'webhook_deliveries', column: 'body', row };
}
