import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import {
  type CursorQuery,
  cursorPage,
  DEFAULT_CURSOR_LIMIT,
  timeAndIdAfter,
} from '../../platform/http/cursor-page.js';
import { Clock } from '../../platform/time/clock.js';
import type { InvitationPageView, InvitationView } from './dto/invitations.dto.js';
import { InvitationEntity } from './entities/invitation.entity.js';
import { statusAt } from './invitation.rules.js';

@Injectable()
export class InvitationQueries {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Newest first. */
  async list(tenantId: string, query: CursorQuery): Promise<InvitationPageView> {
    const limit = query.limit ?? DEFAULT_CURSOR_LIMIT;
    const after = timeAndIdAfter(query);
    const found = this.work.manager
      .createQueryBuilder(InvitationEntity, 'i')
      .where('i.tenant_id = :tenantId', { tenantId });
    const total = await found.getCount();
    if (after) found.andWhere('(i.created_at, i.id) < (:time::timestamptz, :id::uuid)', after);
    const rows = await found
      .orderBy('i.created_at', 'DESC')
      .addOrderBy('i.id', 'DESC')
      .limit(limit + 1)
      .getMany();
    const { rows: shown, ...page } = cursorPage(rows, limit, total, (row) => [
      row.createdAt.toISOString(),
      row.id,
    ]);
    const names = await this.namesOf(shown.map((row) => row.invitedBy));
    return { invitations: shown.map((row) => this.view(row, names.get(row.invitedBy) ?? '')), ...page };
  }

  view(invitation: InvitationEntity, inviterName: string): InvitationView {
    return {
      id: invitation.id,
      email: invitation.email,
      role: invitation.role,
      status: statusAt(invitation, this.clock.now()),
      invited_by_name: inviterName,
      created_at: invitation.createdAt.toISOString(),
      expires_at: invitation.expiresAt.toISOString(),
      send_count: invitation.sendCount,
      ...(invitation.delivered === null ? {} : { delivered: invitation.delivered }),
    };
  }

  async nameOf(userId: string): Promise<string> {
    return (await this.namesOf([userId])).get(userId) ?? '';
  }

  private async namesOf(userIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.work.query<{ id: string; name: string }>(
      'SELECT id, name FROM users WHERE id = ANY ($1::uuid[])',
      [userIds],
    );
    return new Map(rows.map((row) => [row.id, row.name]));
  }
}
