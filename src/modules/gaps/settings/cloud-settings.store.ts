import { Injectable } from '@nestjs/common';
import { Sealing } from '../../../platform/crypto/index.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { CloudProvider } from '../../cloud-ids/index.js';
import type { CloudSettings } from '../clouds/cloud-inventory.js';
import { cloudSettingsOf, type StoredSettings } from './cloud-settings.rules.js';
import { GapSettingsEntity, GapTenantEntity } from '../entities/gap.entities.js';

/** Where the sealed secret of settings lies. */
export const SECRET_COLUMN = { table: 'gap_settings', column: 'secret', key: 'id' } as const;

const EXTERNAL_ID_BYTES = 24;

export interface OwnSettings {
  /** another one after each change */
  version: string;
  settings: CloudSettings;
}

/** Tables `gap_settings` and `gap_tenants`. */
@Injectable()
export class CloudSettingsStore {
  constructor(
    private readonly work: UnitOfWork,
    private readonly sealing: Sealing,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  async find(tenantId: string, provider: CloudProvider): Promise<OwnSettings | undefined> {
    const row = await this.work.manager.findOneBy(GapSettingsEntity, { tenantId, provider });
    if (!row) return undefined;
    const secret =
      row.secret === null ? undefined : this.sealing.open(row.secret, this.placeOf(row.id)).toString();
    const externalId = provider === 'aws' ? await this.externalId(tenantId) : '';
    const stored = { provider, settings: row.settings, secret };
    return { version: row.id, settings: cloudSettingsOf(stored, externalId) };
  }

  /** 503 `ENCRYPTION_NOT_CONFIGURED` when there is a secret and no key to seal it with. */
  async replace(tenantId: string, stored: StoredSettings, updatedBy: string): Promise<void> {
    const id = this.secrets.uuid();
    const secret = stored.secret === undefined ? null : this.sealing.seal(stored.secret, this.placeOf(id));
    await this.work.run(async () => {
      await this.work.query(
        `INSERT INTO gap_settings (id, tenant_id, provider, settings, secret, updated_at, updated_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (tenant_id, provider) DO UPDATE SET id = EXCLUDED.id, settings = EXCLUDED.settings,
           secret = EXCLUDED.secret, updated_at = EXCLUDED.updated_at, updated_by = EXCLUDED.updated_by`,
        [id, tenantId, stored.provider, JSON.stringify(stored.settings), secret, this.clock.now(), updatedBy],
      );
    });
  }

  async delete(tenantId: string, provider: CloudProvider): Promise<boolean> {
    const { affected } = await this.work.manager.delete(GapSettingsEntity, { tenantId, provider });
    return (affected ?? 0) > 0;
  }

  /** The tenant's external id, made on first use. */
  async externalId(tenantId: string): Promise<string> {
    const known = await this.work.manager.findOneBy(GapTenantEntity, { tenantId });
    if (known) return known.externalId;
    await this.work.query(
      'INSERT INTO gap_tenants (tenant_id, external_id) VALUES ($1, $2) ON CONFLICT (tenant_id) DO NOTHING',
      [tenantId, this.secrets.token(EXTERNAL_ID_BYTES)],
    );
    return (await this.work.manager.findOneByOrFail(GapTenantEntity, { tenantId })).externalId;
  }

  private placeOf(id: string) {
    return { table: SECRET_COLUMN.table, column: SECRET_COLUMN.column, row: id };
  }
}
