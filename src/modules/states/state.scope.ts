import { UnitOfWork } from '../../platform/database/index.js';
import type { AppError } from '../../platform/errors/index.js';
import { accessErrors, type Capability, ResolvesScope, type ScopeResolver } from '../access/index.js';
import { stateErrors } from './states.errors.js';

@ResolvesScope('state')
export class StateScope implements ScopeResolver {
  constructor(private readonly work: UnitOfWork) {}

  async tenantOf(id: string): Promise<string | undefined> {
    const rows = await this.work.query<{ tenant_id: string }>('SELECT tenant_id FROM states WHERE id = $1', [
      id,
    ]);
    return rows[0]?.tenant_id;
  }

  notFound(): AppError {
    return stateErrors.STATE_NOT_FOUND();
  }

  lacking(capability: Capability): AppError | undefined {
    return capability === 'admin' ? accessErrors.ADMIN_REQUIRED() : undefined;
  }
}
