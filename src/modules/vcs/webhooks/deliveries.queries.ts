import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { DeliveryView } from '../dto/deliveries.dto.js';
import type { Provider } from '../entities/installation.entity.js';
import type { DeliveryState } from '../entities/webhook-delivery.entity.js';
import { VcsSettings } from '../hosts/vcs-settings.js';
import { decodePosition, type KeysetPage, keysetPage } from '../repositories/keyset-page.js';

interface DeliveryRow {
  id: string;
  seq: string;
  provider: Provider;
  installation_id: string;
  event: string;
  action: string | null;
  state: DeliveryState;
  error: string | null;
  attempts: number;
  received_at: Date;
  retry_at: Date | null;
  processed_at: Date | null;
}

const LIST = 'deliveries';

/** Deliveries of a tenant's installations, newest first; never their bodies. */
@Injectable()
export class DeliveryQueries {
  constructor(
    private readonly work: UnitOfWork,
    private readonly settings: VcsSettings,
  ) {}

  async list(tenantId: string, page: string | undefined, limit: number): Promise<KeysetPage<DeliveryView>> {
    const position = decodePosition(page, LIST, ['text']);
    if (!this.settings.isEnabled) return { rows: [] };
    const after = position && /^\d{1,18}$/.test(String(position.keys[0])) ? position.keys[0] : null;
    const isBackward = position?.direction === 'prev';
    const rows = await this.work.query<DeliveryRow>(
      `SELECT d.id, d.seq, d.provider, i.installation_id, d.event, d.action, d.state, d.error, d.attempts, d.received_at,
              d.retry_at, d.processed_at
         FROM installations i CROSS JOIN LATERAL (
           SELECT * FROM webhook_deliveries w
            WHERE w.installation_id = i.id AND ($3::bigint IS NULL OR w.seq ${isBackward ? '>' : '<'} $3)
            ORDER BY w.seq ${isBackward ? 'ASC' : 'DESC'} LIMIT $2) d
        WHERE i.tenant_id = $1 ORDER BY d.seq ${isBackward ? 'ASC' : 'DESC'} LIMIT $2`,
      [tenantId, limit + 1, after],
    );
    const found = keysetPage(rows, limit, { list: LIST, position, keysOf: ({ seq }) => [seq] });
    return { ...found, rows: found.rows.map(toDeliveryView) };
  }
}

function toDeliveryView(row: DeliveryRow): DeliveryView {
  const { id, provider, installation_id, event, action, state, error, attempts } = row;
  const { received_at, retry_at, processed_at } = row;
  return {
    id,
    provider,
    installation_id,
    event,
    ...(action === null ? {} : { action }),
    state,
    ...(error === null ? {} : { error }),
    attempts,
    received_at: received_at.toISOString(),
    ...(retry_at === null || state !== 'received' ? {} : { next_attempt_at: retry_at.toISOString() }),
    ...(processed_at === null ? {} : { processed_at: processed_at.toISOString() }),
  };
}
