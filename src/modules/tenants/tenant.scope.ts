import { UnitOfWork } from '../../platform/database/index.js';
import type { AppError } from '../../platform/errors/index.js';
import { ResolvesScope, type ScopedRow, type ScopeResolver } from '../access/index.js';
import { TenantEntity } from './entities/tenant.entity.js';
import { tenantErrors } from './tenant.errors.js';

@ResolvesScope('tenant')
export class TenantScope implements ScopeResolver {
  constructor(private readonly work: UnitOfWork) {}

  async rowOf(id: string): Promise<ScopedRow | undefined> {
    return (await this.work.manager.existsBy(TenantEntity, { id })) ? { tenantId: id } : undefined;
  }

  notFound(): AppError {
    return tenantErrors.TENANT_NOT_FOUND();
  }
}
