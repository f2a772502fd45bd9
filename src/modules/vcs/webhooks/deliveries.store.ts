import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SealedColumns, Sealing } from '../../../platform/crypto/index.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { DeliveryState } from '../entities/webhook-delivery.entity.js';
import type { Provider } from '../entities/installation.entity.js';
import { DUE_LANES, FINISH, LEASE, NEXT_OF_LANE, RETRY, storeStatement } from './delivery-statements.js';
import type { NextAttempt } from './delivery-retries.rules.js';
import type { ReceivedDelivery } from './received-delivery.js';

/** A delivery, and what became of it where that is known when it arrives. */
export interface StoredDelivery extends ReceivedDelivery {
  state?: DeliveryState;
}

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
  received_at: Date;
  body: Buffer | null;
}

const LEASE_TIME = '60 seconds';
const BYTES_PER_READ = 2 * 1024 * 1024;

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

  /** Which of the deliveries were stored: not those that were stored before, or are being stored by another request. */
  async store(deliveries: readonly StoredDelivery[]): Promise<boolean[]> {
    const rows = deliveries.map((delivery) => ({ id: this.secrets.uuid(), delivery }));
    // In the same order for everybody: statements that wait for each other's rows would be a deadlock.
    const ordered = rows.toSorted((a, b) => (keyOf(a.delivery) < keyOf(b.delivery) ? -1 : 1));
    const stored = await this.work.prepared<{ id: string }>(
      storeStatement(rows.length),
      ordered.flatMap(({ id, delivery }) => this.valuesOf(id, delivery)),
    );
    const ids = new Set(stored.map(({ id }) => id));
    return rows.map(({ id }) => ids.has(id));
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
      const [next] = await this.work.query<{ is_due: boolean }>(
        `SELECT retry_at IS NULL OR retry_at <= now() AS is_due FROM webhook_deliveries
          WHERE lane = $1 AND state = 'received' ORDER BY seq LIMIT 1`,
        [lane],
      );
      if (next?.is_due) return false;
      await this.abandon(lane, holder);
      return true;
    });
  }

  /** When the process stops: somebody else goes on at once. */
  async abandon(lane: string, holder: string): Promise<void> {
    await this.work.query(
      'UPDATE webhook_lanes SET holder = NULL, leased_until = NULL WHERE lane = $1 AND holder = $2',
      [lane, holder],
    );
  }

  /** The first deliveries of a lane that are due, in their order. */
  async listNext(lane: string, limit: number): Promise<WaitingDelivery[]> {
    const next = await this.work.prepared<WaitingDelivery & { is_due: boolean }>(NEXT_OF_LANE, [
      lane,
      limit,
      BYTES_PER_READ,
    ]);
    const waiting = next.findIndex(({ is_due: isDue }) => !isDue);
    return waiting === -1 ? next : next.slice(0, waiting);
  }

  openBody({ id, body }: WaitingDelivery): Buffer | undefined {
    return body ? this.sealing.open(body, placeOf(id)) : undefined;
  }

  async finish(id: string, state: Exclude<DeliveryState, 'received'>, error?: string): Promise<void> {
    await this.work.prepared(FINISH, [id, state, error ?? null]);
  }

  async retry(id: string, { pauseMs, isAside }: NextAttempt, error: string): Promise<void> {
    await this.work.query(RETRY, [id, pauseMs, error, isAside]);
  }

  /**
   * Bodies go after a day, rows after a week, lanes that nobody uses with them. What is not processed yet keeps its body
   * and is given up after a week, and shown as failed for another one. Answers how many were given up.
   */
  async removeOld(): Promise<number> {
    await this.work.query(
      `UPDATE webhook_deliveries SET body = NULL
        WHERE body IS NOT NULL AND state <> 'received' AND received_at < now() - interval '1 day'`,
    );
    const givenUp = await this.work.query(
      `UPDATE webhook_deliveries SET state = 'failed', error = coalesce(error, 'TOO_OLD'), body = NULL, retry_at = NULL,
              processed_at = now()
        WHERE state = 'received' AND received_at < now() - interval '7 days' RETURNING id`,
    );
    await this.work.query(
      `DELETE FROM webhook_deliveries WHERE received_at < now() - interval '7 days'
          AND state <> 'received' AND processed_at < now() - interval '7 days'`,
    );
    await this.work.query(
      `DELETE FROM webhook_lanes l WHERE (leased_until IS NULL OR leased_until < now())
          AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.lane = l.lane AND d.state = 'received')`,
    );
    return givenUp.length;
  }

  private valuesOf(id: string, { state = 'received', ...delivery }: StoredDelivery): unknown[] {
    return [
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
    ];
  }
}

function keyOf({ provider, source, deliveryId }: ReceivedDelivery): string {
  return `${provider} ${source} ${deliveryId}`;
}

function placeOf(row: string): { table: string; column: string; row: string } {
  return { table: 'webhook_deliveries', column: 'body', row };
}
