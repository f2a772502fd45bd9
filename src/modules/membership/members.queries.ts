import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import {
  type CursorQuery,
  cursorPage,
  DEFAULT_CURSOR_LIMIT,
  timeAndIdAfter,
} from '../../platform/http/cursor-page.js';
import { type UserType } from '../access/index.js';
import { UserGrants } from '../capabilities/index.js';
import type { MemberPageView, MemberView } from './dto/members.dto.js';
import { scopeSeenFrom } from './member-scope.rules.js';
import { membershipErrors } from './membership.errors.js';
import { isUuid } from '../../platform/text/uuid.js';

interface MemberRow {
  user_id: string;
  name: string;
  email: string | null;
  type: UserType;
  joined_at: Date;
}

const ACTIVE = `FROM tenant_members m JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL WHERE m.tenant_id = $1`;
const COLUMNS = 'u.id AS user_id, u.name, u.email, u.type, m.joined_at';

@Injectable()
export class MemberQueries {
  constructor(
    private readonly work: UnitOfWork,
    private readonly grants: UserGrants,
  ) {}

  /** Active members, oldest membership first. */
  async list(tenantId: string, query: CursorQuery): Promise<MemberPageView> {
    const limit = query.limit ?? DEFAULT_CURSOR_LIMIT;
    const after = timeAndIdAfter(query);
    const [count] = await this.work.query<{ count: number }>(`SELECT count(*)::int AS count ${ACTIVE}`, [
      tenantId,
    ]);
    const rows = await this.work.query<MemberRow>(
      `SELECT ${COLUMNS} ${ACTIVE}
          AND ($2::timestamptz IS NULL OR (m.joined_at, u.id) > ($2::timestamptz, $3::uuid))
        ORDER BY m.joined_at, u.id LIMIT $4`,
      [tenantId, after?.time ?? null, after?.id ?? null, limit + 1],
    );
    const keys = (row: MemberRow) => [row.joined_at.toISOString(), row.user_id];
    const { rows: shown, ...page } = cursorPage(rows, limit, count?.count ?? 0, keys);
    return { members: await this.views(tenantId, shown), ...page };
  }

  async one(tenantId: string, userId: string | undefined): Promise<MemberView> {
    const rows = isUuid(userId)
      ? await this.work.query<MemberRow>(`SELECT ${COLUMNS} ${ACTIVE} AND u.id = $2`, [tenantId, userId])
      : [];
    const [view] = await this.views(tenantId, rows);
    if (!view) throw membershipErrors.MEMBER_NOT_FOUND();
    return view;
  }

  private async views(tenantId: string, rows: readonly MemberRow[]): Promise<MemberView[]> {
    const grants = await this.grants.ofMany(rows.map((row) => row.user_id));
    const tenant = tenantId.toLowerCase();
    return rows.map((row) => {
      const held = grants.get(row.user_id) ?? {};
      return {
        user_id: row.user_id,
        name: row.name,
        ...(row.email === null ? {} : { email: row.email }),
        type: row.type,
        joined_at: row.joined_at.toISOString(),
        admin_scope: scopeSeenFrom(held, 'admin', tenant),
        users_manage_scope: scopeSeenFrom(held, 'users-manage', tenant),
      };
    });
  }
}
