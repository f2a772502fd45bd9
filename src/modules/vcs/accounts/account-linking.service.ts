import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { describeFailure } from '../../../platform/errors/index.js';
import type { Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import type { Provider } from '../entities/installation.entity.js';
import { ProviderOAuth } from '../hosts/provider-oauth.js';
import { VcsSettings } from '../hosts/vcs-settings.js';
import { vcsErrors } from '../vcs.errors.js';
import { AuthorizationAttempts } from './authorization-attempts.js';
import { LinkedAccountsStore } from './linked-accounts.store.js';
import { returnAddress } from './return-address.rules.js';

export interface CallbackQuery {
  code?: unknown;
  state?: unknown;
}

/** Links the caller's account at a code host: to the provider and back, in one browser. */
@Injectable()
export class AccountLinkingService {
  private readonly logger = new Logger('AccountLinking');

  constructor(
    private readonly settings: VcsSettings,
    private readonly attempts: AuthorizationAttempts,
    private readonly oauth: ProviderOAuth,
    private readonly accounts: LinkedAccountsStore,
    private readonly work: UnitOfWork,
    private readonly audit: Audit,
  ) {}

  /** Whether browsers reach this service by https. */
  get usesTls(): boolean {
    return this.settings.usesTls;
  }

  /** Where to send the browser, and what it keeps meanwhile. */
  start(caller: Principal, provider: Provider, rd: string | undefined): { location: string; sealed: string } {
    if (!this.settings.oauthClient(provider)) throw vcsErrors.LINKING_NOT_CONFIGURED();
    const { attempt, sealed } = this.attempts.begin(
      `link ${provider}`,
      caller.userId,
      rd === undefined ? {} : { rd },
    );
    const { state, verifier } = attempt;
    const redirectUri = this.redirectUri(provider);
    return { location: this.oauth.authorizeAddress(provider, { state, verifier, redirectUri }), sealed };
  }

  /** Where to send the browser afterwards, whatever became of the attempt. */
  async finish(
    caller: Principal,
    provider: Provider,
    query: CallbackQuery,
    sealed: unknown,
  ): Promise<string> {
    const attempt = this.attempts.open(`link ${provider}`, caller.userId, sealed);
    const failed = returnAddress(attempt?.rd, this.settings.uiBase, {
      parameter: `${provider}_link`,
      value: 'error',
    });
    if (!attempt || !(await this.attempts.use(attempt, query.state))) return failed;
    if (typeof query.code !== 'string' || query.code === '') return failed;
    try {
      const { verifier } = attempt;
      const redirectUri = this.redirectUri(provider);
      const tokens = await this.oauth.exchangeCode(provider, { code: query.code, verifier, redirectUri });
      const user = await this.oauth.findUser(provider, tokens.accessToken);
      await this.work.run(async () => {
        await this.accounts.replace(caller.userId, provider, { ...user, tokens });
        await this.audit.record({
          actor: caller,
          action: 'account.link',
          objectType: 'user',
          objectId: caller.userId,
          data: { provider, account_id: user.accountId, username: user.username },
        });
      });
      return returnAddress(attempt.rd, this.settings.uiBase);
    } catch (error) {
      this.logger.warn({ msg: 'an account was not linked', provider, ...describeFailure(error) });
      return failed;
    }
  }

  private redirectUri(provider: Provider): string {
    return this.settings.apiAddress(`/${provider}/link/callback`);
  }
}
