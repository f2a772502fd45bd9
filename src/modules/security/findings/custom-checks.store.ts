import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { Check } from '../engine/check.js';
import { CustomCheckEntity } from '../entities/custom-check.entity.js';

/** A tenant's own checks. */
@Injectable()
export class CustomChecks {
  constructor(private readonly work: UnitOfWork) {}

  async list(tenantId: string): Promise<Check[]> {
    const rows = await this.work.manager.find(CustomCheckEntity, {
      where: { tenantId },
      order: { checkId: 'ASC' },
    });
    return rows.map(toCheck);
  }

  async find(tenantId: string, checkId: string): Promise<Check | undefined> {
    const row = await this.work.manager.findOneBy(CustomCheckEntity, { tenantId, checkId });
    return row === null ? undefined : toCheck(row);
  }

  async count(tenantId: string): Promise<number> {
    return this.work.manager.countBy(CustomCheckEntity, { tenantId });
  }

  async save(row: CustomCheckEntity): Promise<void> {
    await this.work.manager.upsert(CustomCheckEntity, row, ['tenantId', 'checkId']);
  }

  async delete(tenantId: string, checkId: string): Promise<boolean> {
    const { affected } = await this.work.manager.delete(CustomCheckEntity, { tenantId, checkId });
    return (affected ?? 0) > 0;
  }
}

function toCheck(row: CustomCheckEntity): Check {
  return {
    id: row.checkId,
    title: row.title,
    severity: row.severity,
    category: row.category,
    aliases: [],
    types: row.resourceTypes,
    ...(row.applies === null ? {} : { when: row.applies }),
    fail: row.fail,
    remediation: row.remediation ?? '',
  };
}
