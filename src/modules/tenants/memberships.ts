import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { Clock } from '../../platform/time/clock.js';
import { TenantMemberEntity } from './entities/tenant-member.entity.js';

/** Who belongs to which tenant. */
@Injectable()
export class Memberships {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async tenantsOf(userId: string): Promise<string[]> {
    const rows = await this.work.manager.findBy(TenantMemberEntity, { userId });
    return rows.map((row) => row.tenantId);
  }

  async has(tenantId: string, userId: string): Promise<boolean> {
    return this.work.manager.existsBy(TenantMemberEntity, { tenantId, userId });
  }

  /** False when the user was a member already. */
  async add(tenantId: string, userId: string): Promise<boolean> {
    const rows = await this.work.query<{ user_id: string }>(
      `INSERT INTO tenant_members (tenant_id, user_id, joined_at) VALUES ($1, $2, $3)
       ON CONFLICT DO NOTHING RETURNING user_id`,
      [tenantId, userId, this.clock.now()],
    );
    return rows.length > 0;
  }

  async remove(tenantId: string, userId: string): Promise<void> {
    await this.work.manager.delete(TenantMemberEntity, { tenantId, userId });
  }
}
