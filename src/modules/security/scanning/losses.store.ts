import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';

/** What a deleted state did to the findings of others. */
export interface StateLoss {
  readonly stateId: string;
  readonly tenantId: string;
  /** ids that its instances named where checks look others up */
  readonly named: readonly string[];
  /** states that it read */
  readonly upstream: readonly string[];
  readonly touchesNetwork: boolean;
}

/** What the lost states of a tenant did together. */
export interface TenantLosses {
  readonly ids: readonly string[];
  /** false: of one of them nothing is known but that it is gone */
  readonly areKnown: boolean;
  readonly named: ReadonlySet<string>;
  readonly upstream: ReadonlySet<string>;
  readonly touchesNetwork: boolean;
}

interface LossRow {
  id: string;
  named: string[] | null;
  upstream: string[] | null;
  touches_network: boolean | null;
}

/** Table `security_losses`. A trigger adds a row without details for states that go without `StateDeleted`. */
@Injectable()
export class Losses {
  constructor(private readonly work: UnitOfWork) {}

  async add({ stateId, tenantId, named, upstream, touchesNetwork }: StateLoss): Promise<void> {
    await this.work.query(
      'INSERT INTO security_losses (tenant_id, state_id, named, upstream, touches_network) VALUES ($1, $2, $3, $4, $5)',
      [tenantId, stateId, named, upstream, touchesNetwork],
    );
  }

  /** A state of whose effects nothing is known. */
  async addUnknown(stateId: string, tenantId: string): Promise<void> {
    await this.work.query('INSERT INTO security_losses (tenant_id, state_id) VALUES ($1, $2)', [
      tenantId,
      stateId,
    ]);
  }

  async tenants(): Promise<string[]> {
    const rows = await this.work.query<{ id: string }>(
      'SELECT DISTINCT tenant_id AS id FROM security_losses',
    );
    return rows.map(({ id }) => id);
  }

  async ofTenant(tenantId: string): Promise<TenantLosses> {
    const rows = await this.work.query<LossRow>(
      'SELECT id, named, upstream, touches_network FROM security_losses WHERE tenant_id = $1',
      [tenantId],
    );
    return {
      ids: rows.map(({ id }) => id),
      areKnown: rows.every(({ named }) => named !== null),
      named: new Set(rows.flatMap(({ named }) => named ?? [])),
      upstream: new Set(rows.flatMap(({ upstream }) => upstream ?? [])),
      touchesNetwork: rows.some(({ touches_network: touches }) => touches === true),
    };
  }

  /** All states of the tenant are due as a whole. The caller holds the tenant's lock. */
  async markAllDue(tenantId: string): Promise<void> {
    await this.work.query(`UPDATE security_states SET scanner_version = '' WHERE tenant_id = $1`, [tenantId]);
  }

  async delete(ids: readonly string[]): Promise<void> {
    await this.work.query('DELETE FROM security_losses WHERE id = ANY($1::bigint[])', [ids]);
  }
}
