import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { WaiverEntity } from '../entities/waiver.entity.js';
import { type ActiveWaiver, matchingWaiver, waiverMatches } from '../findings/waiver-match.rules.js';

interface WaivableRow {
  id: string;
  stateId: string;
  checkId: string;
  address: string;
}

/** Table `security_waivers`, and what waivers say of the findings. Writers hold the tenant's lock. */
@Injectable()
export class Waivers {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async list(tenantId: string): Promise<WaiverEntity[]> {
    return this.work.manager.find(WaiverEntity, {
      where: { tenantId },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
  }

  /** Those that have not ended. */
  async active(tenantId: string): Promise<ActiveWaiver[]> {
    const now = this.clock.now();
    const rows = await this.work.manager.findBy(WaiverEntity, { tenantId });
    return rows.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  }

  /** Inserts it and marks the open findings that it matches. */
  async insert(waiver: WaiverEntity): Promise<void> {
    await this.work.manager.insert(WaiverEntity, waiver);
    const ids = await this.matchedBy(waiver);
    await this.work.query(
      `UPDATE security_findings SET waiver_id = $2, waived_until = $3 WHERE id = ANY($1::uuid[]) AND waived_until < $3`,
      [ids, waiver.id, waiver.expiresAt?.toISOString() ?? 'infinity'],
    );
  }

  /** False when the tenant has no such waiver. Findings that it held are matched with those that are left. */
  async delete(tenantId: string, id: string): Promise<boolean> {
    const { affected } = await this.work.manager.delete(WaiverEntity, { tenantId, id });
    if (affected !== 1) return false;
    const rows = await this.work.query<WaivableRow>(
      `SELECT id, state_id AS "stateId", check_id AS "checkId", address FROM security_findings WHERE waiver_id = $1`,
      [id],
    );
    const left = await this.active(tenantId);
    const matches = rows.map((row) => matchingWaiver(left, row));
    await this.work.query(
      `UPDATE security_findings f SET waiver_id = w.waiver, waived_until = w.until
       FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS w (id, waiver, until) WHERE f.id = w.id`,
      [
        rows.map((row) => row.id),
        matches.map((waiver) => waiver?.id ?? null),
        matches.map((waiver) => (waiver ? (waiver.expiresAt?.toISOString() ?? 'infinity') : '-infinity')),
      ],
    );
    return true;
  }

  /** How many open findings each waiver suppresses now. */
  async matches(tenantId: string): Promise<Map<string, number>> {
    const rows = await this.work.query<{ id: string; count: number }>(
      `SELECT w.id, count(f.id)::int AS count FROM security_waivers w
       JOIN security_findings f ON f.waiver_id = w.id AND f.resolved_at IS NULL AND f.waived_until > now()
       WHERE w.tenant_id = $1 GROUP BY w.id`,
      [tenantId],
    );
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  private async matchedBy(waiver: WaiverEntity): Promise<string[]> {
    const rows = await this.work.query<WaivableRow>(
      `SELECT id, state_id AS "stateId", check_id AS "checkId", address FROM security_findings
       WHERE tenant_id = $1 AND resolved_at IS NULL AND ($2 = '*' OR check_id = $2) AND ($3::uuid IS NULL OR state_id = $3)
         AND ($4::text IS NULL OR address LIKE $4)`,
      [
        waiver.tenantId,
        waiver.matchedId,
        waiver.stateId,
        waiver.address === null ? null : likePattern(waiver.address),
      ],
    );
    return rows.filter((row) => waiverMatches(waiver, row)).map(({ id }) => id);
  }
}

/** What an address with `*` must look like; the rules then decide exactly. */
function likePattern(address: string): string {
  return address.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
}
