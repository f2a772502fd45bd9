import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { checkUsage, InvalidUsage, type UsageDocument } from '../../pricing/index.js';
import { type UsageOwner, UsageDocuments } from '../books/usage.store.js';
import { DueStates } from './due-states.queries.js';
import { PricingJobs } from './price-states.job.js';

/** Usage documents: what components that depend on use are counted with. A change prices the states again. */
@Injectable()
export class UsageService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly documents: UsageDocuments,
    private readonly due: DueStates,
    private readonly jobs: PricingJobs,
  ) {}

  /** An empty document when there is none. */
  async find(owner: UsageOwner): Promise<UsageDocument> {
    return (await this.documents.find(owner)) ?? {};
  }

  async save(owner: UsageOwner, body: unknown): Promise<UsageDocument> {
    const document = acceptable(body);
    await this.change(owner, () => this.documents.save(owner, document));
    return document;
  }

  async delete(owner: UsageOwner): Promise<void> {
    await this.change(owner, () => this.documents.delete(owner));
  }

  private async change(owner: UsageOwner, write: () => Promise<void>): Promise<void> {
    await this.work.run(async () => {
      await write();
      const { stateId, tenantId } = owner;
      this.jobs.enqueueAfterCommit(stateId === undefined ? await this.due.ofTenant(tenantId) : [stateId]);
    });
  }
}

function acceptable(body: unknown): UsageDocument {
  try {
    return checkUsage(body);
  } catch (error) {
    if (error instanceof InvalidUsage) throw httpErrors.INVALID_REQUEST(error.message);
    throw error;
  }
}
