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

  /** The tenants that an account belongs to, besides those whose administrators merely added it. */
  async homesOf(userId: string): Promise<string[]> {
    const rows = await this.work.manager.findBy(TenantMemberEntity, { userId, guest: false });
    return rows.map((row) => row.tenantId);
  }

  async has(tenantId: string, userId: string): Promise<boolean> {
    return this.work.manager.existsBy(TenantMemberEntity, { tenantId, userId });
  }

  /** False when the user was a member already; a guest who is added as more than that no longer is one. */
  async add(tenantId: string, userId: string, as: 'member' | 'guest' = 'member'): Promise<boolean> {
    const rows = await this.work.query<{ is_new: boolean }>(
      `INSERT INTO tenant_members (tenant_id, user_id, joined_at, guest) VALUES ($1, $2, $3, $4)
       ON CONFLICT (user_id, tenant_id) DO UPDATE SET guest = tenant_members.guest AND EXCLUDED.guest
       RETURNING xmax = 0 AS is_new`,
      [tenantId, userId, this.clock.now(), as === 'guest'],
    );
    return rows[0]?.is_new === true;
  }

  async remove(tenantId: string, userId: string): Promise<void> {
    await this.work.manager.delete(TenantMemberEntity, { tenantId, userId });
  }
}
