import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { cursorPage, DEFAULT_CURSOR_LIMIT, timeAndIdAfter } from '../../platform/http/cursor-page.js';
import { UserGrants } from '../capabilities/index.js';
import type { ListUsersQuery, UserPageView } from './dto/users.dto.js';
import { UserEntity } from './entities/user.entity.js';
import { toUserView } from './user.view.js';

@Injectable()
export class UserQueries {
  constructor(
    private readonly work: UnitOfWork,
    private readonly grants: UserGrants,
  ) {}

  /** Oldest first. */
  async list(query: ListUsersQuery): Promise<UserPageView> {
    const limit = query.limit ?? DEFAULT_CURSOR_LIMIT;
    const users = this.work.manager.createQueryBuilder(UserEntity, 'u').where('u.deleted_at IS NULL');
    if (query.type) users.andWhere('u.type = :type', { type: query.type });
    if (query.search) {
      const pattern = `%${query.search.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
      users.andWhere('(u.name ILIKE :pattern OR u.email ILIKE :pattern)', { pattern });
    }
    const total = await users.getCount();
    const after = timeAndIdAfter(query);
    if (after) users.andWhere('(u.created_at, u.id) > (:time::timestamptz, :id::uuid)', after);
    const rows = await users
      .orderBy('u.created_at')
      .addOrderBy('u.id')
      .limit(limit + 1)
      .getMany();
    const { rows: shown, ...page } = cursorPage(rows, limit, total, (user) => [
      user.createdAt.toISOString(),
      user.id,
    ]);
    const grants = await this.grants.ofMany(shown.map((user) => user.id));
    return { users: shown.map((user) => toUserView(user, grants.get(user.id) ?? {})), ...page };
  }
}
