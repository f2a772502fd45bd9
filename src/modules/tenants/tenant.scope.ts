import { UnitOfWork } from '../../platform/database/index.js';
import type { AppError } from '../../platform/errors/index.js';
import { ResolvesScope, type ScopeResolver } from '../access/index.js';
import { TenantEntity } from './entities/tenant.entity.js';
import { tenantErrors } from './tenant.errors.js';

@ResolvesScope('tenant')
export class TenantScope implements ScopeResolver {
  constructor(private readonly work: UnitOfWork) {}

  async tenantOf(id: string): Promise<string | undefined> {
    return (await this.work.manager.existsBy(TenantEntity, { id })) ? id : undefined;
  }

  notFound(): AppError {
    return tenantErrors.TENANT_NOT_FOUND();
  }
}
