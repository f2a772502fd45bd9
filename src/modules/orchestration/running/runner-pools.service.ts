import { Injectable } from '@nestjs/common';
import { hashOfSecret, Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import type { CreatedPoolView, PoolView } from '../dto/runner.dto.js';
import { RunnerPoolEntity } from '../entities/run-artifact.entities.js';
import { VcsSettings } from '../../vcs/index.js';
import { orchestrationErrors } from '../orchestration.errors.js';
import { WorkTokens } from '../runs/work-tokens.js';
import { isUuid } from '../../../platform/text/uuid.js';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

@Injectable()
export class RunnerPools {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly secrets: Secrets,
    private readonly tokens: WorkTokens,
    private readonly audit: Audit,
    private readonly settings: VcsSettings,
  ) {}

  async create(caller: Principal, tenantId: string, name: string): Promise<CreatedPoolView> {
    if (!NAME.test(name))
      throw httpErrors.INVALID_REQUEST(
        'name must have 1 to 100 letters, digits, dots, dashes or underscores',
      );
    const token = this.tokens.createForPool();
    const id = this.secrets.uuid();
    await this.work.run(async () => {
      const rows = await this.work.query(
        `INSERT INTO runner_pools (id, tenant_id, name, token_hash, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (tenant_id, name) DO NOTHING RETURNING id`,
        [id, tenantId, name, hashOfSecret(token), this.clock.now()],
      );
      if (rows.length === 0) throw orchestrationErrors.POOL_EXISTS();
      await this.record(caller, tenantId, { action: 'runner-pool.create', id, name });
    });
    return { id, name, token };
  }

  async list(tenantId: string): Promise<PoolView[]> {
    if (!this.settings.isEnabled) return [];
    const pools = await this.work.manager.find(RunnerPoolEntity, {
      where: { tenantId },
      order: { name: 'ASC' },
    });
    return pools.map(({ id, name, createdAt, lastSeenAt }) => ({
      id,
      name,
      created_at: createdAt.toISOString(),
      ...(lastSeenAt ? { last_seen_at: lastSeenAt.toISOString() } : {}),
    }));
  }

  async remove(caller: Principal, tenantId: string, id: string): Promise<void> {
    if (!isUuid(id)) throw orchestrationErrors.POOL_NOT_FOUND();
    await this.work.run(async () => {
      const pool = await this.work.manager.findOneBy(RunnerPoolEntity, { id, tenantId });
      if (!pool) throw orchestrationErrors.POOL_NOT_FOUND();
      await this.work.manager.delete(RunnerPoolEntity, { id, tenantId });
      await this.record(caller, tenantId, { action: 'runner-pool.delete', id, name: pool.name });
    });
  }

  private async record(
    actor: Principal,
    tenantId: string,
    { action, id, name }: { action: string; id: string; name: string },
  ): Promise<void> {
    await this.audit.record({
      actor,
      action,
      objectType: 'runner-pool',
      objectId: id,
      tenantId,
      data: { name },
    });
  }
}
