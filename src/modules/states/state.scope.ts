import { UnitOfWork } from '../../platform/database/index.js';
import type { AppError } from '../../platform/errors/index.js';
import { accessErrors, type Capability, ResolvesScope, type ScopeResolver } from '../access/index.js';
import type { StateEntity } from './entities/state.entity.js';
import { stateErrors } from './states.errors.js';

const STATE = {
  name: 'state-of-scope',
  text: `SELECT id, tenant_id AS "tenantId", name, group_id AS "groupId", workspace, lineage, serial, version, format,
           terraform_version AS "terraformVersion", graph_error AS "graphError", graph_format AS "graphFormat",
           created_at AS "createdAt", updated_at AS "updatedAt" FROM states WHERE id = $1`,
};
const TENANTS_OF_STATES = 'SELECT id, tenant_id FROM states WHERE id = ANY($1::uuid[])';

@ResolvesScope('state')
export class StateScope implements ScopeResolver {
  constructor(private readonly work: UnitOfWork) {}

  async tenantsOf(ids: readonly string[]): Promise<Record<string, string>> {
    const rows = await this.work.query<{ id: string; tenant_id: string }>(TENANTS_OF_STATES, [ids]);
    return Object.fromEntries(rows.map((row) => [row.id, row.tenant_id]));
  }

  async rowOf(id: string): Promise<StateEntity | undefined> {
    const [row] = await this.work.prepared<StateEntity>(STATE, [id]);
    return row && { ...row, serial: Number(row.serial) };
  }

  notFound(): AppError {
    return stateErrors.STATE_NOT_FOUND();
  }

  lacking(capability: Capability): AppError | undefined {
    return capability === 'admin' ? accessErrors.ADMIN_REQUIRED() : undefined;
  }
}
