import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { Administration, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { stateErrors } from '../../states/index.js';
import type { CreateWaiverBody, WaiverView } from '../dto/waiver.dto.js';
import { WaiverEntity } from '../entities/waiver.entity.js';
import { CheckSets } from '../findings/check-sets.js';
import { TenantLock } from '../findings/tenant-lock.js';
import { securityErrors } from '../security.errors.js';
import { Waivers } from './waivers.store.js';
import { isUuid } from '../../../platform/text/uuid.js';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$|^\d{4}-\d\d-\d\d$/;

/** Accepted risks: in force from their creation to their end or deletion, without a scan. */
@Injectable()
export class WaiversService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly secrets: Secrets,
    private readonly audit: Audit,
    private readonly administration: Administration,
    private readonly checks: CheckSets,
    private readonly tenantLock: TenantLock,
    private readonly waivers: Waivers,
  ) {}

  async list(tenantId: string): Promise<WaiverView[]> {
    const matches = await this.waivers.matches(tenantId);
    return (await this.waivers.list(tenantId)).map((waiver) => toView(waiver, matches.get(waiver.id) ?? 0));
  }

  async create(caller: Principal, tenantId: string, body: CreateWaiverBody): Promise<WaiverView> {
    const now = this.clock.now();
    const expiresAt = this.endOf(body.expires_at, now);
    if (body.check_id === '*' && body.address === undefined)
      throw httpErrors.INVALID_REQUEST('address is required when check_id is *');
    return this.work.run(async () => {
      const waiver: WaiverEntity = {
        id: this.secrets.uuid(),
        tenantId,
        checkId: body.check_id,
        matchedId: await this.matchedId(tenantId, body.check_id),
        stateId: body.state_id?.toLowerCase() ?? null,
        address: body.address ?? null,
        reason: body.reason,
        expiresAt,
        createdAt: now,
        createdBy: caller.userId,
        createdByName: caller.userName,
      };
      await this.tenantLock.acquire(tenantId);
      await this.administration.confirmCapability(caller, 'admin', { tenantId: tenantId.toLowerCase() });
      await this.requireState(tenantId, waiver.stateId);
      await this.waivers.insert(waiver);
      await this.audit.record({
        actor: caller,
        action: 'security-waiver.create',
        objectType: 'security-waiver',
        objectId: waiver.id,
        tenantId,
        data: { checkId: waiver.checkId, stateId: waiver.stateId, address: waiver.address, expiresAt },
      });
      return toView(waiver, (await this.waivers.matches(tenantId)).get(waiver.id) ?? 0);
    });
  }

  async delete(caller: Principal, tenantId: string, id: string): Promise<void> {
    if (!isUuid(id)) throw securityErrors.WAIVER_NOT_FOUND();
    await this.work.run(async () => {
      await this.tenantLock.acquire(tenantId);
      await this.administration.confirmCapability(caller, 'admin', { tenantId: tenantId.toLowerCase() });
      if (!(await this.waivers.delete(tenantId, id))) throw securityErrors.WAIVER_NOT_FOUND();
      await this.audit.record({
        actor: caller,
        action: 'security-waiver.delete',
        objectType: 'security-waiver',
        objectId: id,
        tenantId,
      });
    });
  }

  private async matchedId(tenantId: string, checkId: string): Promise<string> {
    if (checkId === '*') return checkId;
    const known =
      this.checks.registry.find(checkId)?.id ?? (await this.checks.ofTenant(tenantId)).byId.get(checkId)?.id;
    if (known === undefined) throw httpErrors.INVALID_REQUEST('check_id must name a check, an alias or *');
    return known;
  }

  private async requireState(tenantId: string, stateId: string | null): Promise<void> {
    if (stateId === null) return;
    const rows = await this.work.query('SELECT 1 FROM states WHERE id = $1 AND tenant_id = $2', [
      stateId,
      tenantId,
    ]);
    if (rows.length === 0) throw stateErrors.STATE_NOT_FOUND();
  }

  private endOf(text: string | undefined, now: Date): Date | null {
    if (text === undefined) return null;
    const end = TIME.test(text) ? new Date(text) : undefined;
    if (end === undefined || Number.isNaN(end.getTime()))
      throw httpErrors.INVALID_REQUEST('expires_at must be an ISO 8601 timestamp');
    if (end <= now) throw httpErrors.INVALID_REQUEST('expires_at must be in the future');
    return end;
  }
}

function toView(waiver: WaiverEntity, matches: number): WaiverView {
  return {
    id: waiver.id,
    check_id: waiver.checkId,
    ...(waiver.stateId === null ? {} : { state_id: waiver.stateId }),
    ...(waiver.address === null ? {} : { address: waiver.address }),
    reason: waiver.reason,
    ...(waiver.expiresAt === null ? {} : { expires_at: waiver.expiresAt.toISOString() }),
    created_at: waiver.createdAt.toISOString(),
    ...(waiver.createdBy === null ? {} : { created_by: waiver.createdBy }),
    ...(waiver.createdByName === null ? {} : { created_by_name: waiver.createdByName }),
    matches,
  };
}
