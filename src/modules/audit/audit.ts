import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { currentRequestId } from '../../platform/http/index.js';
import { Clock } from '../../platform/time/clock.js';
import type { Principal } from '../access/index.js';
import { AuditEntryEntity } from './entities/audit-entry.entity.js';

export interface AuditRecord {
  /** who did it; absent when nobody was signed in, or the service itself acted */
  actor?: Pick<Principal, 'userId' | 'userName' | 'credentialId'>;
  /** `<object>.<verb>`: `user.create`, `key.revoke` */
  action: string;
  objectType: string;
  objectId?: string;
  tenantId?: string;
  /** what changed; ids, names and flags, never a secret */
  data?: Record<string, unknown>;
  /** absent: the one that is being served */
  requestId?: string | undefined;
}

/** The audit trail. Call it inside the unit of work of the change, so that neither exists without the other. */
@Injectable()
export class Audit {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async record(record: AuditRecord): Promise<void> {
    await this.recordAll([record]);
  }

  async recordAll(records: readonly AuditRecord[]): Promise<void> {
    await this.work.manager.insert(
      AuditEntryEntity,
      records.map((record) => this.row(record)),
    );
  }

  private row(record: AuditRecord) {
    const { actor, action, objectType, objectId, tenantId, data } = record;
    return {
      createdAt: this.clock.now(),
      actorId: actor?.userId ?? null,
      actorName: actor?.userName ?? null,
      credential: actor?.credentialId ?? null,
      action,
      objectType,
      objectId: objectId ?? null,
      tenantId: tenantId ?? null,
      requestId: record.requestId ?? currentRequestId() ?? null,
      data: (data ?? {}) as Record<string, never>,
    };
  }
}
