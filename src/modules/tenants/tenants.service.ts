import { Injectable } from '@nestjs/common';
import { isUniqueViolation } from '../../platform/database/unique-violation.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { Administration, type Principal } from '../access/index.js';
import { Audit } from '../audit/index.js';
import { TenantMemberEntity } from './entities/tenant-member.entity.js';
import { TenantEntity } from './entities/tenant.entity.js';
import { Memberships } from './memberships.js';
import { tenantErrors } from './tenant.errors.js';

@Injectable()
export class TenantsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly administration: Administration,
    private readonly memberships: Memberships,
    private readonly audit: Audit,
  ) {}

  async create(caller: Principal, name: string): Promise<TenantEntity> {
    const create = async (current: Principal): Promise<TenantEntity> => {
      const tenant = await this.insert(name);
      await this.memberships.add(tenant.id, current.userId);
      await this.audit.record({
        actor: current,
        action: 'tenant.create',
        objectType: 'tenant',
        objectId: tenant.id,
        tenantId: tenant.id,
        data: { name },
      });
      return tenant;
    };
    return this.administration.change(caller, create, { capability: 'admin' });
  }

  async rename(caller: Principal, id: string, name: string): Promise<TenantEntity> {
    const rename = async (current: Principal): Promise<TenantEntity> => {
      const tenant = await this.find(id);
      const before = tenant.name;
      await this.named(() => this.work.manager.update(TenantEntity, { id }, { name }));
      await this.audit.record({
        actor: current,
        action: 'tenant.rename',
        objectType: 'tenant',
        objectId: id,
        tenantId: id,
        data: { before, after: name },
      });
      return { ...tenant, name };
    };
    return this.administration.change(caller, rename, { capability: 'admin', tenantId: id.toLowerCase() });
  }

  /** The tenant of that name, made when there is none; for setup. */
  async getOrCreate(name: string): Promise<TenantEntity> {
    return (await this.work.manager.findOneBy(TenantEntity, { name })) ?? this.insert(name);
  }

  async default(): Promise<TenantEntity> {
    const tenant = await this.work.manager.findOneBy(TenantEntity, { isDefault: true });
    if (!tenant) throw new Error('the Default tenant is missing');
    return tenant;
  }

  async find(id: string): Promise<TenantEntity> {
    const tenant = await this.work.manager.findOneBy(TenantEntity, { id });
    if (!tenant) throw tenantErrors.TENANT_NOT_FOUND();
    return tenant;
  }

  async ofUser(userId: string): Promise<TenantEntity[]> {
    return this.work.manager
      .createQueryBuilder(TenantEntity, 'tenant')
      .innerJoin(TenantMemberEntity, 'member', 'member.tenant_id = tenant.id AND member.user_id = :userId', {
        userId,
      })
      .orderBy('tenant.name')
      .getMany();
  }

  private async insert(name: string): Promise<TenantEntity> {
    const tenant = this.work.manager.create(TenantEntity, { name });
    await this.named(() => this.work.manager.insert(TenantEntity, tenant));
    return tenant;
  }

  private async named(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      throw isUniqueViolation(error) ? tenantErrors.TENANT_NAME_CONFLICT() : error;
    }
  }
}
