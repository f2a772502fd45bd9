import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { decodeTimeAndId, encodePageToken } from '../../platform/http/index.js';
import { Clock } from '../../platform/time/clock.js';
import {
  Administration,
  isInstallationAdmin,
  type Principal,
  Principals,
  ServiceTokens,
} from '../access/index.js';
import { Audit } from '../audit/index.js';
import { RefreshTokenEntity, type Vcs } from './entities/refresh-token.entity.js';
import {
  grantable,
  isForProvider,
  parseTokenCapabilities,
  tokenCapabilitiesOf,
} from './token-capabilities.rules.js';
import { tokenErrors } from './token.errors.js';
import { isUuid } from '../../platform/text/uuid.js';

/** A token without a stored id lives no longer than this (contract-notes.md section 2). */
const ACCESS_TOKEN_SECONDS = 60;
const PAGE = 25;

type RecordedToken = Pick<RefreshTokenEntity, 'id' | 'name' | 'vcs' | 'capabilities'>;

/** Refresh tokens (enterprise): good for access tokens and nothing else. */
@Injectable()
export class RefreshTokensService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly administration: Administration,
    private readonly principals: Principals,
    private readonly tokens: ServiceTokens,
    private readonly secrets: Secrets,
    private readonly audit: Audit,
    private readonly clock: Clock,
  ) {}

  async create(caller: Principal, vcs: Vcs, name: string, requested: unknown): Promise<string> {
    const wanted = parseTokenCapabilities(requested);
    if (!wanted) throw httpErrors.INVALID_REQUEST('capabilities must be a list of token capabilities');
    this.checkProvider(caller, vcs);
    return this.administration.change(caller, async (current) => {
      const held = tokenCapabilitiesOf(current);
      const capabilities = grantable(wanted, held);
      if (!capabilities || !held.includes('access_token_create')) throw httpErrors.FORBIDDEN();
      const id = this.secrets.uuid();
      const row = {
        id,
        ownerId: current.userId,
        vcs,
        name,
        capabilities,
        createdAt: this.clock.now(),
        revokedAt: null,
        tenantCeiling: await this.ceilingOf(current),
        parentId: parentOf(current),
      };
      await this.work.manager.insert(RefreshTokenEntity, row);
      await this.record(current, 'refresh-token.create', row);
      return this.tokens.sign({ use: 'refresh', sub: current.userId, jti: id });
    });
  }

  /** One's own, oldest first; an installation administrator sees all. */
  async list(
    caller: Principal,
    vcs: Vcs,
    limit = PAGE,
    page?: string,
  ): Promise<{ rows: RefreshTokenEntity[]; next: string | undefined }> {
    this.checkProvider(caller, vcs);
    const tokens = this.work.manager
      .createQueryBuilder(RefreshTokenEntity, 't')
      .where('t.vcs = :vcs AND t.revoked_at IS NULL', { vcs });
    if (!isInstallationAdmin(caller.capabilities))
      tokens.andWhere('t.owner_id = :owner', { owner: caller.userId });
    if (page !== undefined)
      tokens.andWhere('(t.created_at, t.id) > (:time::timestamptz, :id::uuid)', decodeTimeAndId(page));
    const found = await tokens
      .orderBy('t.created_at')
      .addOrderBy('t.id')
      .limit(limit + 1)
      .getMany();
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const more = found.length > limit && last !== undefined;
    return { rows, next: more ? encodePageToken([last.createdAt.toISOString(), last.id]) : undefined };
  }

  async revoke(caller: Principal, vcs: Vcs, id: string | undefined): Promise<void> {
    this.checkProvider(caller, vcs);
    await this.administration.change(caller, async (current) => {
      const owner = isInstallationAdmin(current.capabilities) ? {} : { ownerId: current.userId };
      const token = isUuid(id)
        ? await this.work.manager.findOneBy(RefreshTokenEntity, { id, vcs, revokedAt: IsNull(), ...owner })
        : null;
      if (!token) throw tokenErrors.TOKEN_NOT_FOUND();
      for (const ended of await this.endWithChildren(token.id))
        await this.record(current, 'refresh-token.revoke', ended);
    });
  }

  /** Ends a token and those that were made through it; returns those that were live. */
  private async endWithChildren(id: string): Promise<RecordedToken[]> {
    return this.work.query<RecordedToken>(
      `WITH RECURSIVE family AS (
         SELECT id FROM refresh_tokens WHERE id = $1
         UNION SELECT c.id FROM refresh_tokens c JOIN family f ON c.parent_id = f.id)
       UPDATE refresh_tokens SET revoked_at = $2 WHERE id IN (SELECT id FROM family) AND revoked_at IS NULL
       RETURNING id, name, vcs, capabilities`,
      [id, this.clock.now()],
    );
  }

  /** An access token with the refresh token's capabilities. */
  async refresh(caller: Principal): Promise<string> {
    return this.tokens.sign({
      use: 'access',
      sub: caller.userId,
      lifetimeSeconds: ACCESS_TOKEN_SECONDS,
      claims: {
        capabilities: caller.claims['capabilities'],
        refresh_token_id: caller.claims['refresh_token_id'],
      },
    });
  }

  /** An access token manages tokens of its own provider, as far as its limits reach. */
  private checkProvider(caller: Principal, vcs: Vcs): void {
    if (!isForProvider(caller, vcs)) throw httpErrors.FORBIDDEN();
  }

  /**
   * The tenants that a token may be used in; null: those of its owner. A key that was not given its owner's
   * administration, of the installation or of a tenant, hands down its own tenants, because an access token acts for
   * the owner.
   */
  private async ceilingOf(creator: Principal): Promise<string[] | null> {
    if (creator.tenantCeiling) return [...creator.tenantCeiling];
    if (creator.kind !== 'key' || isInstallationAdmin(creator.capabilities)) return null;
    const held = await this.principals.heldBy(creator.userId);
    const own: readonly string[] = creator.capabilities.admin?.tenants ?? [];
    const isLess = isInstallationAdmin(held) || held.admin?.tenants?.some((id) => !own.includes(id));
    return isLess === true ? [...creator.tenantIds] : null;
  }

  private async record(
    caller: Principal,
    action: string,
    { id, name, vcs, capabilities }: RecordedToken,
  ): Promise<void> {
    const data = { name, vcs, capabilities };
    await this.audit.record({ actor: caller, action, objectType: 'refresh-token', objectId: id, data });
  }
}

function parentOf({ kind, claims }: Principal): string | null {
  const parent = kind === 'access' ? claims['refresh_token_id'] : undefined;
  return isUuid(parent) ? parent : null;
}
