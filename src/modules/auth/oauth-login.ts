import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { Audit } from '../audit/index.js';
import { GroupRules } from '../capabilities/index.js';
import { authErrors } from './auth.errors.js';
import { type Identity, identityOf, isAllowedDomain } from './identity.rules.js';
import { OAuthProvider } from './oauth-provider.js';
import type { IdentityClaims } from './sign-in-client.js';
import { OAuthUsers } from './oauth-users.js';
import { Sessions } from './sessions.js';

/** Signs in people whom an identity provider has identified. */
@Injectable()
export class OAuthLogin {
  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly provider: OAuthProvider,
    private readonly users: OAuthUsers,
    private readonly rules: GroupRules,
    private readonly sessions: Sessions,
    private readonly audit: Audit,
  ) {}

  /** Answers the token of a new session; 401 for an identity that may not sign in. */
  async finish(claims: IdentityClaims): Promise<string> {
    const identity = await this.identifyOrRecord(claims);
    const ruleIds = await this.rules.matching(identity.groups);
    const method = `oauth:${this.provider.name}`;
    return this.work.run(async () => {
      const user = await this.users.resolve(this.provider.name ?? '', identity);
      await this.rules.retain(user.id, ruleIds);
      return this.sessions.begin(user, method, ruleIds);
    });
  }

  async recordRefusal(): Promise<void> {
    const data = { method: `oauth:${this.provider.name}` };
    await this.audit.record({ action: 'session.refuse', objectType: 'user', data });
  }

  private async identifyOrRecord(claims: IdentityClaims): Promise<Identity> {
    try {
      return this.identify(claims);
    } catch (error) {
      await this.recordRefusal();
      throw error;
    }
  }

  private identify(claims: IdentityClaims): Identity {
    const identity = identityOf(claims, this.config.get('SERVICE_OAUTH_GROUPS_CLAIM'));
    if (!identity) throw authErrors.LOGIN_FAILED('the provider sent no verified email address');
    const domain = this.config.get('SERVICE_OAUTH_EMAIL_DOMAIN');
    if (!isAllowedDomain(identity.email, domain))
      throw authErrors.LOGIN_FAILED('addresses of this domain may not sign in');
    // Some providers let people write any address into their profile.
    if (domain !== '*' && !identity.emailVerified)
      throw authErrors.LOGIN_FAILED('the provider does not confirm that the address belongs to you');
    return identity;
  }
}
