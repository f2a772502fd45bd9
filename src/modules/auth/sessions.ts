import { Injectable } from '@nestjs/common';
import type { CookieOptions, Response } from 'express';
import { LessThan } from 'typeorm';
import { Config } from '../../platform/config/config.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { HandlesEvent } from '../../platform/events/index.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { Clock } from '../../platform/time/clock.js';
import { type Principal, ServiceTokens, SESSION_COOKIE } from '../access/index.js';
import { Audit } from '../audit/index.js';
import { GroupRulesReduced, LOSES_RULES, reductionOf, REMAINING_RULES } from '../capabilities/index.js';
import { EndedSessionEntity, SessionRulesEntity } from './entities/session.entities.js';
import type { UserEntity } from '../users/index.js';

/** 30 days (contract-notes.md section 2). */
const SESSION_SECONDS = 30 * 86_400;

/** Begins and ends sessions, and puts them into the browser's cookie. */
@Injectable()
export class Sessions {
  private readonly cookie: CookieOptions;

  constructor(
    config: Config,
    private readonly work: UnitOfWork,
    private readonly tokens: ServiceTokens,
    private readonly secrets: Secrets,
    private readonly audit: Audit,
    private readonly clock: Clock,
  ) {
    const secure = config.get('SERVICE_UI_BASE').startsWith('https:');
    this.cookie = { httpOnly: true, sameSite: 'lax', secure, path: '/' };
  }

  @HandlesEvent(GroupRulesReduced)
  async reduceRules(reduced: GroupRulesReduced): Promise<void> {
    await this.work.query(
      `UPDATE session_rules SET rule_ids = ${REMAINING_RULES} WHERE user_id = $1 AND ${LOSES_RULES}`,
      reductionOf(reduced),
    );
  }

  /** `method`: how the person proved who they are; it stands in the audit trail. */
  async begin(
    user: Pick<UserEntity, 'id' | 'name' | 'sessionEpoch'>,
    method: string,
    groupRuleIds: readonly string[] = [],
  ): Promise<string> {
    const id = this.secrets.uuid();
    if (groupRuleIds.length > 0) await this.storeRules(id, user, groupRuleIds);
    await this.audit.record({
      actor: { userId: user.id, userName: user.name, credentialId: `session:${id}` },
      action: 'session.begin',
      objectType: 'session',
      objectId: id,
      data: { method },
    });
    return this.tokens.sign({
      use: 'session',
      sub: user.id,
      jti: id,
      lifetimeSeconds: SESSION_SECONDS,
      claims: { epoch: user.sessionEpoch },
    });
  }

  /** Acts on every replica with the next request. */
  async end(caller: Principal): Promise<void> {
    if (caller.kind !== 'session') return;
    const id = caller.credentialId.slice('session:'.length);
    await this.work.run(async () => {
      const { manager } = this.work;
      await manager.delete(EndedSessionEntity, { expiresAt: LessThan(this.clock.now()) });
      await manager.upsert(EndedSessionEntity, { id, expiresAt: this.expiry() }, ['id']);
      await manager.delete(SessionRulesEntity, { sessionId: id });
      await this.audit.record({ actor: caller, action: 'session.end', objectType: 'session', objectId: id });
    });
  }

  private async storeRules(
    id: string,
    user: Pick<UserEntity, 'id' | 'sessionEpoch'>,
    ruleIds: readonly string[],
  ): Promise<void> {
    const { manager } = this.work;
    await manager.delete(SessionRulesEntity, { expiresAt: LessThan(this.clock.now()) });
    await manager.insert(SessionRulesEntity, {
      sessionId: id,
      userId: user.id,
      sessionEpoch: user.sessionEpoch,
      ruleIds: [...ruleIds],
      expiresAt: this.expiry(),
    });
  }

  private expiry(): Date {
    return new Date(this.clock.now().getTime() + SESSION_SECONDS * 1000);
  }

  setCookie(response: Response, token: string): void {
    response.cookie(SESSION_COOKIE, token, { ...this.cookie, maxAge: SESSION_SECONDS * 1000 });
  }

  clearCookie(response: Response): void {
    response.clearCookie(SESSION_COOKIE, this.cookie);
  }
}
