import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { UserDeleted } from '../../users/index.js';
import type { Provider } from '../entities/installation.entity.js';
import type { LinkedAccountEntity } from '../entities/linked-account.entity.js';
import type { ProviderAnswer } from '../hosts/provider-requests.js';
import { GrantRefused, ProviderOAuth } from '../hosts/provider-oauth.js';
import { VcsSettings } from '../hosts/vcs-settings.js';
import { LinkedAccountsStore } from './linked-accounts.store.js';

const REFRESHED_BEFORE_MS = 60_000;

/** The caller's account at a code host, and requests in that person's name. */
@Injectable()
export class LinkedAccountsService {
  constructor(
    private readonly settings: VcsSettings,
    private readonly accounts: LinkedAccountsStore,
    private readonly oauth: ProviderOAuth,
    private readonly work: UnitOfWork,
    private readonly audit: Audit,
    private readonly clock: Clock,
  ) {}

  /** 403 without a linked account, and while orchestration is off. */
  async require(caller: Principal, provider: Provider): Promise<LinkedAccountEntity> {
    const account = this.settings.isEnabled ? await this.accounts.find(caller.userId, provider) : null;
    if (!account) throw notLinked();
    return account;
  }

  async unlink(caller: Principal, provider: Provider): Promise<void> {
    await this.work.run(async () => {
      if (!(await this.accounts.remove(caller.userId, provider))) return;
      await this.record(caller.userId, 'account.unlink', provider, { actor: caller });
    });
  }

  /** An answer to the person's own token; 403 once the provider says that the grant is gone. */
  async ask(
    caller: Principal,
    provider: Provider,
    call: { path: string; route?: string; query?: Record<string, string> },
  ): Promise<ProviderAnswer> {
    const answer = await this.oauth.ask(provider, { ...call, token: await this.findToken(caller, provider) });
    if (answer.status === 401) await this.forget(caller.userId, provider);
    return answer;
  }

  async list(
    caller: Principal,
    provider: Provider,
    call: { path: string; query?: Record<string, string> },
  ): Promise<unknown[]> {
    try {
      return await this.oauth.list(provider, { ...call, token: await this.findToken(caller, provider) });
    } catch (error) {
      if (error instanceof GrantRefused) return this.forget(caller.userId, provider);
      throw error;
    }
  }

  @HandlesEvent(UserDeleted)
  async removeAll({ userId }: UserDeleted): Promise<void> {
    await this.accounts.remove(userId);
  }

  /** A token that is about to end is refreshed once, however many ask: a refresh token is good once. */
  private async findToken(caller: Principal, provider: Provider): Promise<string> {
    const account = await this.require(caller, provider);
    if (!this.isEnding(account)) return this.accounts.openAccessToken(account);
    const token = await this.work.run(async () => {
      const current = await this.accounts.lock(caller.userId, provider);
      if (!current) return undefined;
      if (!this.isEnding(current)) return this.accounts.openAccessToken(current);
      return this.refresh(current);
    });
    if (token === undefined) throw notLinked();
    return token;
  }

  private async refresh(account: LinkedAccountEntity): Promise<string | undefined> {
    const { provider, userId } = account;
    const refreshToken = this.accounts.openRefreshToken(account);
    try {
      if (refreshToken === undefined) throw new GrantRefused('expired');
      const tokens = await this.oauth.refresh(provider, refreshToken);
      await this.accounts.replaceTokens(account, tokens);
      return tokens.accessToken;
    } catch (error) {
      if (!(error instanceof GrantRefused)) throw error;
      await this.drop(userId, provider);
      return undefined;
    }
  }

  private isEnding({ expiresAt }: LinkedAccountEntity): boolean {
    return expiresAt !== null && expiresAt.getTime() - REFRESHED_BEFORE_MS < this.clock.now().getTime();
  }

  private async forget(userId: string, provider: Provider): Promise<never> {
    await this.work.run(() => this.drop(userId, provider));
    throw notLinked();
  }

  private async drop(userId: string, provider: Provider): Promise<void> {
    if (await this.accounts.remove(userId, provider))
      await this.record(userId, 'account.unlink', provider, { reason: 'the provider ended the grant' });
  }

  private async record(
    userId: string,
    action: string,
    provider: Provider,
    { actor, reason }: { actor?: Principal; reason?: string },
  ): Promise<void> {
    await this.audit.record({
      ...(actor ? { actor } : {}),
      action,
      objectType: 'user',
      objectId: userId,
      data: { provider, ...(reason === undefined ? {} : { reason }) },
    });
  }
}

function notLinked(): Error {
  return httpErrors.FORBIDDEN('no account of this provider is linked');
}
