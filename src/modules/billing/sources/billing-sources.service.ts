import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { isUniqueViolation } from '../../../platform/database/unique-violation.js';
import { Clock } from '../../../platform/time/clock.js';
import { isInstallationAdmin, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { billingErrors } from '../billing.errors.js';
import type { CreateBillingSourceBody, UpdateBillingSourceBody } from '../dto/billing-source.dto.js';
import { BillingAttributionEntity } from '../entities/attribution.entities.js';
import { BillingSourceEntity } from '../entities/billing-source.entity.js';
import { SourcePermissions } from './source-permissions.js';
import { isUuid } from '../../../platform/text/uuid.js';

const DEFAULT_WINDOW_MONTHS = 2;

/** Where a tenant's bills are read from. */
@Injectable()
export class BillingSourcesService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly secrets: Secrets,
    private readonly audit: Audit,
    private readonly permissions: SourcePermissions,
  ) {}

  async list(tenantId: string): Promise<BillingSourceEntity[]> {
    return this.work.manager.find(BillingSourceEntity, {
      where: { tenantId },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
  }

  async create(
    caller: Principal,
    tenantId: string,
    body: CreateBillingSourceBody,
  ): Promise<BillingSourceEntity> {
    const isOperators = isInstallationAdmin(caller.capabilities);
    this.permissions.require({ tenantId, uri: body.source_uri, isOperators });
    const now = this.clock.now();
    const source: BillingSourceEntity = {
      id: this.secrets.uuid(),
      tenantId,
      provider: body.provider,
      sourceUri: body.source_uri,
      region: body.region ?? null,
      windowMonths: body.window_months ?? DEFAULT_WINDOW_MONTHS,
      enabled: body.enabled ?? true,
      namedByOperator: isOperators,
      ...{ lastStatus: null, lastError: null, lastStartedAt: null, lastSyncedAt: null, lastRowCount: null },
      ...{ lastTaskId: null, requestedWindowStart: null },
      createdAt: now,
      updatedAt: now,
    };
    return this.saving(async () => {
      await this.work.manager.insert(BillingSourceEntity, source);
      await this.record(caller, 'billing-source.create', source);
      return source;
    });
  }

  async update(
    caller: Principal,
    { tenantId, id }: { tenantId: string; id: string },
    body: UpdateBillingSourceBody,
  ): Promise<BillingSourceEntity> {
    return this.saving(async () => {
      const source = await this.lock(tenantId, id);
      const uri = body.source_uri ?? source.sourceUri;
      // Whoever names another address answers for it; the rest of a source may be changed by any admin.
      if (uri !== source.sourceUri) source.namedByOperator = isInstallationAdmin(caller.capabilities);
      if (body.source_uri !== undefined)
        this.permissions.require({ tenantId, uri, isOperators: source.namedByOperator });
      const changed: BillingSourceEntity = {
        ...source,
        provider: body.provider ?? source.provider,
        sourceUri: uri,
        region: body.region === undefined ? source.region : body.region,
        windowMonths: body.window_months ?? source.windowMonths,
        enabled: body.enabled ?? source.enabled,
        updatedAt: this.clock.now(),
      };
      await this.work.manager.update(BillingSourceEntity, { id: source.id }, changed);
      await this.record(caller, 'billing-source.update', changed);
      return changed;
    });
  }

  /** With its loaded rows, which the database deletes. */
  async delete(caller: Principal, { tenantId, id }: { tenantId: string; id: string }): Promise<void> {
    await this.work.run(async () => {
      const source = await this.lock(tenantId, id);
      await this.work.manager.delete(BillingSourceEntity, { id: source.id });
      await this.work.manager.update(BillingAttributionEntity, { tenantId }, { sums: null });
      await this.record(caller, 'billing-source.delete', source);
    });
  }

  /** In a transaction: nobody else changes, syncs or deletes it until the end. */
  async lock(tenantId: string, id: string): Promise<BillingSourceEntity> {
    const source = isUuid(id)
      ? await this.work.manager.findOne(BillingSourceEntity, {
          where: { id, tenantId },
          lock: { mode: 'pessimistic_write' },
        })
      : null;
    if (!source) throw billingErrors.BILLING_SOURCE_NOT_FOUND();
    return source;
  }

  private async saving(task: () => Promise<BillingSourceEntity>): Promise<BillingSourceEntity> {
    try {
      return await this.work.run(task);
    } catch (error) {
      if (isUniqueViolation(error, 'billing_sources_by_address')) throw billingErrors.BILLING_SOURCE_EXISTS();
      throw error;
    }
  }

  private async record(caller: Principal, action: string, source: BillingSourceEntity): Promise<void> {
    const { id, tenantId, provider, sourceUri, enabled, windowMonths } = source;
    const data = { provider, sourceUri, enabled, windowMonths };
    await this.audit.record({
      actor: caller,
      action,
      objectType: 'billing-source',
      objectId: id,
      tenantId,
      data,
    });
  }
}
