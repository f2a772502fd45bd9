import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { isUnscoped, type Principal, scopeOf, type UserType } from '../access/index.js';
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
 * The key is the one at hand ($4), or the caller may look at others ($4 is null) and its owner is the caller ($1) or
 * belongs to nothing but tenants that the grant reaches ($2: null = none, $3: all). A service account belongs to the
 * tenant it was made in, whatever became of its memberships.
 */
const HOMES = `(SELECT m.tenant_id FROM tenant_members m
  WHERE m.user_id = u.id AND NOT m.guest AND u.home_tenant_id IS NULL
  UNION ALL SELECT u.home_tenant_id WHERE u.home_tenant_id IS NOT NULL)`;
const VISIBLE = `u.deleted_at IS NULL AND k.revoked_at IS NULL AND ($4::uuid IS NULL OR k.id = $4::uuid) AND (
  u.id = $1 OR $3
  OR ($2::uuid[] IS NOT NULL
      AND EXISTS (SELECT FROM ${HOMES} home)
      AND NOT EXISTS (SELECT FROM ${HOMES} home WHERE NOT home.tenant_id = ANY ($2::uuid[]))))`;

@Injectable()
export class ApiKeyQueries {
  constructor(private readonly work: UnitOfWork) {}

  /** Newest first. */
  async list(caller: Principal): Promise<ApiKeyView[]> {
    const rows = await this.work.query<KeyRow>(
      `SELECT k.id, k.name, k.created_at, u.id AS owner_id, u.name AS owner_name, u.type AS owner_type
         FROM api_keys k JOIN users u ON u.id = k.owner_id
        WHERE ${VISIBLE}
        ORDER BY k.created_at DESC, k.id`,
      reachOf(caller),
    );
    return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }));
  }

  async isVisible(keyId: string, caller: Principal): Promise<boolean> {
    const rows = await this.work.query(
      `SELECT k.id FROM api_keys k JOIN users u ON u.id = k.owner_id WHERE k.id = $5 AND ${VISIBLE}`,
      [...reachOf(caller), keyId],
    );
    return rows.length > 0;
  }
}

function reachOf(caller: Principal): [string, readonly string[] | null, boolean, string | null] {
  const scope = scopeOf(caller.capabilities, 'users-manage');
  const only = isLimitedToItself(caller) ? caller.credentialId.slice('key:'.length) : null;
  return [caller.userId, scope?.tenants ?? null, isUnscoped(scope), only];
}

/** A key for a purpose, which may not make keys, is no key to manage others with. */
function isLimitedToItself({ kind, capabilities, stateBound }: Principal): boolean {
  return kind === 'key' && (stateBound || scopeOf(capabilities, 'access-token-create') === undefined);
}
