import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import type { Capability, Grants, Scope } from './grants.js';
import type { UserType } from './principal.js';

/** Everything about a user that decides what a credential of theirs allows, read by one statement. */
export interface UserAccessRow {
  user_id: string;
  user_name: string;
  user_type: UserType;
  session_epoch: number;
  tenant_ids: string[] | null;
  home_tenant_ids: string[] | null;
  /** the user's own grants: capability to tenant list, null = unscoped */
  own: Partial<Record<Capability, string[] | null>> | null;
  /** default session capabilities of the installation; they hold for people, not for service accounts */
  defaults: Grants;
  /** grants of the group rules that matched and are still active */
  rules: Grants[] | null;
}

export interface KeyAccessRow extends UserAccessRow {
  key_id: string;
  capabilities: Grants;
  state_bound: boolean;
  state_tenants: Record<string, string>;
  rule_ids: string[];
  tenant_ceiling: string[] | null;
}

export interface SessionAccessRow extends UserAccessRow {
  /** null when no rule matched */
  rule_ids: string[] | null;
}

/** The key or session that a token was made with. */
export interface Origin {
  credentialId: string;
  userId: string;
  /** the user's session epoch at that time; it counts for sessions only */
  epoch: number;
}

interface OriginRow {
  /** null when no rule matched */
  rule_ids: string[] | null;
  state_bound: boolean;
  tenant_ceiling: string[] | null;
}

const ACCESS_OF_USER = `
  u.id AS user_id, u.name AS user_name, u.type AS user_type, u.session_epoch,
  (SELECT array_agg(m.tenant_id) FROM tenant_members m WHERE m.user_id = u.id) AS tenant_ids,
  (SELECT array_agg(m.tenant_id) FROM tenant_members m WHERE m.user_id = u.id AND NOT m.guest) AS home_tenant_ids,
  (SELECT jsonb_object_agg(g.capability, g.tenants) FROM user_grants g WHERE g.user_id = u.id) AS own,
  (SELECT d.capabilities FROM capability_defaults d) AS defaults`;

const RULES = (ids: string) =>
  `(SELECT jsonb_agg(r."grant") FROM capability_group_rules r WHERE r.id = ANY (${ids}) AND r.deleted_at IS NULL) AS rules`;

const RULES_IN_USE = `ARRAY(
  SELECT unnest(s.rule_ids) FROM session_rules s
   WHERE s.user_id = u.id AND s.session_epoch = u.session_epoch AND s.expires_at > $2
  UNION SELECT unnest(k.rule_ids) FROM api_keys k WHERE k.owner_id = u.id AND k.revoked_at IS NULL)`;

const RULES_IN_OWN_TENANTS = `ARRAY(
  SELECT own.id FROM capability_group_rules own JOIN tenant_members m USING (tenant_id)
   WHERE m.user_id = u.id AND own.id = ANY (${RULES_IN_USE}))`;

const LIVE_KEY = `SELECT k.id AS key_id, k.capabilities, k.state_bound, k.state_tenants, k.rule_ids, k.tenant_ceiling,
                ${RULES('k.rule_ids')}, ${ACCESS_OF_USER}
           FROM api_keys k JOIN users u ON u.id = k.owner_id
          WHERE k.revoked_at IS NULL AND u.deleted_at IS NULL`;
const BY_KEY_HASH = { name: 'principal-by-key-hash', text: `${LIVE_KEY} AND k.token_hash = $1` };
const BY_KEY_ID = { name: 'principal-by-key-id', text: `${LIVE_KEY} AND k.id = $1` };

@Injectable()
export class PrincipalQueries {
  constructor(private readonly work: UnitOfWork) {}

  async byKeyHash(hash: Buffer): Promise<KeyAccessRow | undefined> {
    const [row] = await this.work.prepared<KeyAccessRow>(BY_KEY_HASH, [hash]);
    return row;
  }

  async byKeyId(id: string): Promise<KeyAccessRow | undefined> {
    const [row] = await this.work.prepared<KeyAccessRow>(BY_KEY_ID, [id]);
    return row;
  }

  /** Undefined for a deleted user and for a session that was ended. */
  async bySession(userId: string, sessionId: string): Promise<SessionAccessRow | undefined> {
    const [row] = await this.work.query<SessionAccessRow>(
      `SELECT s.rule_ids, ${RULES('s.rule_ids')}, ${ACCESS_OF_USER}
         FROM users u LEFT JOIN session_rules s ON s.session_id = $2 AND s.user_id = u.id
        WHERE u.id = $1 AND u.deleted_at IS NULL
          AND NOT EXISTS (SELECT FROM ended_sessions e WHERE e.id = $2)`,
      [userId, sessionId],
    );
    return row;
  }

  /** Undefined for a key that was revoked and for a session that has ended in whatever way. */
  async origin({ credentialId, userId, epoch }: Origin): Promise<OriginRow | undefined> {
    const [kind, id] = credentialId.split(':');
    const [row] =
      kind === 'key'
        ? await this.work.query<OriginRow>(
            `SELECT rule_ids, state_bound, tenant_ceiling FROM api_keys WHERE id = $1 AND owner_id = $2 AND revoked_at IS NULL`,
            [id, userId],
          )
        : await this.work.query<OriginRow>(
            `SELECT s.rule_ids, false AS state_bound, NULL AS tenant_ceiling
               FROM users u LEFT JOIN session_rules s ON s.session_id = $1 AND s.user_id = u.id
              WHERE u.id = $2 AND u.session_epoch = $3
                AND NOT EXISTS (SELECT FROM ended_sessions e WHERE e.id = $1)`,
            [id, userId, epoch],
          );
    return kind === 'key' || kind === 'session' ? row : undefined;
  }

  /** Rules belong to sessions and keys: they are named by whoever acts for one. */
  async byUser(userId: string, ruleIds: readonly string[] = []): Promise<UserAccessRow | undefined> {
    const [row] = await this.work.query<UserAccessRow>(
      `SELECT ${RULES('$2::uuid[]')}, ${ACCESS_OF_USER} FROM users u WHERE u.id = $1 AND u.deleted_at IS NULL`,
      [userId, ruleIds],
    );
    return row;
  }

  /** With the rules of every session that has not ended and of every key that was not revoked. */
  async byUserAndCredentials(
    userId: string,
    now: Date,
    rules: 'all' | 'of own tenants',
  ): Promise<UserAccessRow | undefined> {
    const [row] = await this.work.query<UserAccessRow>(
      `SELECT ${RULES(rules === 'all' ? RULES_IN_USE : RULES_IN_OWN_TENANTS)}, ${ACCESS_OF_USER}
         FROM users u WHERE u.id = $1 AND u.deleted_at IS NULL`,
      [userId, now],
    );
    return row;
  }
}

/** `null` in a grant's tenant list is unscoped. */
export function scopeOfTenants(tenants: readonly string[] | null): Scope {
  return tenants === null ? {} : { tenants };
}
