import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { isUnscoped, type Principal, type Scope, scopeOf, type UserType } from '../access/index.js';
import type { ApiKeyView } from './dto/tokens.dto.js';

interface KeyRow {
  id: string;
  name: string;
  created_at: Date;
  owner_id: string;
  owner_name: string;
  owner_type: UserType;
}

/**
 * The owner is the caller ($1), or a member of nothing but tenants that the grant reaches ($2: null = none, $3: all).
 */
const VISIBLE = `u.deleted_at IS NULL AND (
  u.id = $1 OR $3
  OR ($2::uuid[] IS NOT NULL
      AND EXISTS (SELECT FROM tenant_members m WHERE m.user_id = u.id)
      AND NOT EXISTS (SELECT FROM tenant_members m WHERE m.user_id = u.id AND NOT m.tenant_id = ANY ($2::uuid[]))))`;

@Injectable()
export class ApiKeyQueries {
  constructor(private readonly work: UnitOfWork) {}

  /** Newest first. */
  async list(caller: Principal): Promise<ApiKeyView[]> {
    const rows = await this.work.query<KeyRow>(
      `SELECT k.id, k.name, k.created_at, u.id AS owner_id, u.name AS owner_name, u.type AS owner_type
         FROM api_keys k JOIN users u ON u.id = k.owner_id
        WHERE k.revoked_at IS NULL AND ${VISIBLE}
        ORDER BY k.created_at DESC, k.id`,
      reach(caller.userId, scopeOf(caller.capabilities, 'users-manage')),
    );
    return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }));
  }

  async isVisible(key: { ownerId: string }, callerId: string, scope: Scope | undefined): Promise<boolean> {
    const rows = await this.work.query(`SELECT u.id FROM users u WHERE u.id = $4 AND ${VISIBLE}`, [
      ...reach(callerId, scope),
      key.ownerId,
    ]);
    return rows.length > 0;
  }
}

function reach(callerId: string, scope: Scope | undefined): [string, readonly string[] | null, boolean] {
  return [callerId, scope?.tenants ?? null, isUnscoped(scope)];
}
