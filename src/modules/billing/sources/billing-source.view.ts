import type { BillingSourceView } from '../dto/billing-source.dto.js';
import type { BillingSourceEntity } from '../entities/billing-source.entity.js';

export function toBillingSourceView(source: BillingSourceEntity): BillingSourceView {
  const { region, lastStatus, lastError, lastSyncedAt, lastRowCount } = source;
  return {
    id: source.id,
    tenant_id: source.tenantId,
    provider: source.provider,
    source_uri: source.sourceUri,
    ...(region === null ? {} : { region }),
    window_months: source.windowMonths,
    enabled: source.enabled,
    ...(lastStatus === null ? {} : { last_status: lastStatus }),
    ...(lastError === null ? {} : { last_error: lastError }),
    ...(lastSyncedAt === null ? {} : { last_synced_at: lastSyncedAt.toISOString() }),
    ...(lastRowCount === null ? {} : { last_row_count: Number(lastRowCount) }),
    created_at: source.createdAt.toISOString(),
    updated_at: source.updatedAt.toISOString(),
  };
}
