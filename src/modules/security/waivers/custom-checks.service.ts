import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { Administration, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import type { CheckView } from '../dto/security.dto.js';
import type { SaveCheckBody } from '../dto/waiver.dto.js';
import { CatchUpTasks } from '../findings/catch-up-tasks.js';
import { CustomChecks } from '../findings/custom-checks.store.js';
import { toCheckView } from '../findings/finding.view.js';
import { TenantLock } from '../findings/tenant-lock.js';
import { securityErrors } from '../security.errors.js';
import { parseCondition } from './custom-condition.rules.js';

const ID = /^CUSTOM-[A-Z0-9][A-Z0-9-]{0,60}$/;
const MAX_CHECKS_PER_TENANT = 200;

/** Checks that a tenant writes itself, in the language of the built-in ones. */
@Injectable()
export class CustomChecksService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly audit: Audit,
    private readonly administration: Administration,
    private readonly catchUps: CatchUpTasks,
    private readonly tenantLock: TenantLock,
    private readonly checks: CustomChecks,
  ) {}

  async save(
    caller: Principal,
    of: { tenantId: string; checkId: string },
    body: SaveCheckBody,
  ): Promise<CheckView> {
    if (!ID.test(of.checkId)) throw httpErrors.INVALID_REQUEST('check_id must look like CUSTOM-NAME');
    const fail = parseCondition(body.fail, 'fail');
    const applies = body.when === undefined ? null : parseCondition(body.when, 'when');
    return this.work.run(async () => {
      await this.tenantLock.acquire(of.tenantId);
      await this.confirm(caller, of.tenantId);
      const known = await this.checks.find(of.tenantId, of.checkId);
      if (known === undefined && (await this.checks.count(of.tenantId)) >= MAX_CHECKS_PER_TENANT)
        throw httpErrors.INVALID_REQUEST(`a tenant has at most ${MAX_CHECKS_PER_TENANT} custom checks`);
      await this.checks.save({
        ...of,
        title: body.title,
        severity: body.severity,
        category: body.category ?? 'hygiene',
        resourceTypes: [...new Set(body.resource_types)],
        applies,
        fail,
        remediation: body.remediation ?? null,
        updatedAt: this.clock.now(),
        updatedBy: caller.userId,
      });
      await this.afterChange(caller, of, 'security-check.save');
      const saved = await this.checks.find(of.tenantId, of.checkId);
      if (saved === undefined) throw securityErrors.CHECK_NOT_FOUND();
      return toCheckView(saved, { custom: true });
    });
  }

  async delete(caller: Principal, of: { tenantId: string; checkId: string }): Promise<void> {
    await this.work.run(async () => {
      await this.tenantLock.acquire(of.tenantId);
      await this.confirm(caller, of.tenantId);
      if (!(await this.checks.delete(of.tenantId, of.checkId))) throw securityErrors.CHECK_NOT_FOUND();
      await this.afterChange(caller, of, 'security-check.delete');
    });
  }

  /** The lock takes its time: the caller still has to administer the tenant. */
  private async confirm(caller: Principal, tenantId: string): Promise<void> {
    await this.administration.confirmCapability(caller, 'admin', { tenantId: tenantId.toLowerCase() });
  }

  private async afterChange(
    caller: Principal,
    { tenantId, checkId }: { tenantId: string; checkId: string },
    action: string,
  ): Promise<void> {
    await this.audit.record({
      actor: caller,
      action,
      objectType: 'security-check',
      objectId: checkId,
      tenantId,
    });
    await this.work.query(`UPDATE security_states SET scanner_version = '' WHERE tenant_id = $1`, [tenantId]);
    await this.catchUps.start(tenantId, caller.userId);
  }
}
