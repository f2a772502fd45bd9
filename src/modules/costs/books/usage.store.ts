import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { UsageDocument } from '../../pricing/index.js';
import { CostUsageEntity } from '../entities/cost.entities.js';
import { hashUuid } from './hash-uuid.js';

/** Whose usage it is: a tenant's, or that of one of its states. */
export interface UsageOwner {
  tenantId: string;
  stateId?: string;
}

/** Table `cost_usage`. */
@Injectable()
export class UsageDocuments {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async find({ tenantId, stateId }: UsageOwner): Promise<UsageDocument | undefined> {
    const row = await this.work.manager.findOneBy(CostUsageEntity, { id: stateId ?? tenantId, tenantId });
    return row === null ? undefined : (JSON.parse(row.document) as UsageDocument);
  }

  async save({ tenantId, stateId }: UsageOwner, document: UsageDocument): Promise<void> {
    const text = JSON.stringify(document);
    await this.work.manager.upsert(
      CostUsageEntity,
      {
        id: stateId ?? tenantId,
        tenantId,
        stateId: stateId ?? null,
        document: text,
        mark: hashUuid(text),
        updatedAt: this.clock.now(),
      },
      ['id'],
    );
  }

  async delete({ tenantId, stateId }: UsageOwner): Promise<void> {
    await this.work.manager.delete(CostUsageEntity, { id: stateId ?? tenantId, tenantId });
  }

  /** The documents that hold for a state, its own first, and a mark that differs whenever they do. */
  async ofState(
    tenantId: string,
    stateId: string,
  ): Promise<{ documents: (UsageDocument | undefined)[]; mark: string }> {
    const rows = await this.work.query<{ id: string; document: string; mark: string }>(
      'SELECT id, document, mark FROM cost_usage WHERE id = ANY($1::uuid[]) AND tenant_id = $2',
      [[stateId, tenantId], tenantId],
    );
    const [own, shared] = [stateId, tenantId].map((id) => rows.find((row) => row.id === id));
    const parsed = (row: { document: string } | undefined): UsageDocument | undefined =>
      row && (JSON.parse(row.document) as UsageDocument);
    return {
      documents: [parsed(own), parsed(shared)],
      mark: `${own?.mark ?? '-'} ${shared?.mark ?? '-'}`,
    };
  }
}
