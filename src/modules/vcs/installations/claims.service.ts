import { Injectable, Logger } from '@nestjs/common';
import { describeFailure } from '../../../platform/errors/index.js';
import { consoleAddress } from '../../../platform/http/index.js';
import { AccessDecisions, Administration, type Principal } from '../../access/index.js';
import { type AuthorizationAttempt, AuthorizationAttempts } from '../accounts/authorization-attempts.js';
import { returnAddress } from '../accounts/return-address.rules.js';
import type { InstallationEntity } from '../entities/installation.entity.js';
import { type AppInstallation, toAppInstallation } from '../hosts/github-app.js';
import { textAt } from '../hosts/json-fields.js';
import { presentItems } from '../hosts/present.js';
import { ProviderOAuth } from '../hosts/provider-oauth.js';
import { VcsSettings } from '../hosts/vcs-settings.js';
import { vcsErrors } from '../vcs.errors.js';
import { ClaimProofs } from './claim-proof.js';
import { ClaimRecords } from './claim-records.js';
import { isUuid } from '../../../platform/text/uuid.js';

type Failure = 'unavailable' | 'not_member' | 'error';

/**
 * Claims in three requests: `start` sends the browser to the provider, `finish` asks there what the person administers
 * and answers with a proof, `claim` links one of those installations. Only the last one changes something.
 */
@Injectable()
export class ClaimsService {
  private readonly logger = new Logger('Claims');

  constructor(
    private readonly settings: VcsSettings,
    private readonly access: AccessDecisions,
    private readonly administration: Administration,
    private readonly attempts: AuthorizationAttempts,
    private readonly proofs: ClaimProofs,
    private readonly records: ClaimRecords,
    private readonly oauth: ProviderOAuth,
  ) {}

  start(caller: Principal, tenantId: string, rd: string | undefined): { location: string; sealed?: string } {
    if (!this.isConfigured) return { location: this.failed(rd, tenantId, 'unavailable') };
    if (!this.administers(caller, tenantId)) return { location: this.failed(rd, tenantId, 'not_member') };
    const further = { tenantId: tenantId.toLowerCase(), ...(rd === undefined ? {} : { rd }) };
    const { attempt, sealed } = this.attempts.begin('claim', caller.userId, further);
    const { state, verifier } = attempt;
    const { redirectUri } = this;
    return { location: this.oauth.authorizeAddress('github', { state, verifier, redirectUri }), sealed };
  }

  /** Where to send the browser afterwards; with a proof when the provider answered. */
  async finish(
    caller: Principal,
    query: { code?: unknown; state?: unknown },
    sealed: unknown,
  ): Promise<{ location: string; proof?: { tenantId: string; sealed: string } }> {
    const attempt = this.attempts.open('claim', caller.userId, sealed);
    const { rd, tenantId } = attempt ?? {};
    if (!this.isConfigured) return { location: this.failed(rd, tenantId, 'unavailable') };
    if (!attempt || tenantId === undefined || !(await this.attempts.use(attempt, query.state)))
      return { location: this.failed(rd, tenantId, 'error') };
    if (!this.administers(caller, tenantId)) return { location: this.failed(rd, tenantId, 'not_member') };
    if (typeof query.code !== 'string' || query.code === '')
      return { location: this.failed(rd, tenantId, 'error') };
    try {
      const proved = await this.prove(attempt, query.code);
      const ids = proved.map(({ installationId }) => installationId);
      return {
        location: this.destination(rd, tenantId),
        proof: { tenantId, sealed: this.proofs.seal(caller.userId, tenantId, ids) },
      };
    } catch (error) {
      this.logger.warn({ msg: 'a claim was not proved', ...describeFailure(error) });
      return { location: this.failed(rd, tenantId, 'error') };
    }
  }

  async listClaimable(caller: Principal, tenantId: string, proof: unknown): Promise<InstallationEntity[]> {
    const proved = await this.records.list(this.requireProof(caller, tenantId, proof));
    return proved.filter(
      (installation) => installation.tenantId === null && installation.state !== 'uninstalled',
    );
  }

  async claim(caller: Principal, tenantId: string, id: string, proof: unknown): Promise<InstallationEntity> {
    const proved = this.requireProof(caller, tenantId, proof);
    const own = tenantId.toLowerCase();
    return this.administration.change(
      caller,
      (current) => this.records.claim(current, { tenantId: own, id, proved }),
      { capability: 'admin', tenantId: own },
    );
  }

  private requireProof(caller: Principal, tenantId: string, proof: unknown): string[] {
    if (!this.isConfigured) throw vcsErrors.CLAIM_NOT_CONFIGURED();
    const proved = this.proofs.open(caller.userId, tenantId.toLowerCase(), proof);
    if (!proved) throw vcsErrors.CLAIM_PROOF_MISSING();
    return proved;
  }

  /** The installations that the person administers: organizations by the role there, accounts by being that person. */
  private async prove(attempt: AuthorizationAttempt, code: string): Promise<AppInstallation[]> {
    const { redirectUri } = this;
    const { verifier } = attempt;
    const { accessToken: token } = await this.oauth.exchangeCode('github', { code, verifier, redirectUri });
    const person = await this.oauth.findUser('github', token);
    const listed = await this.oauth.list('github', {
      path: '/user/installations',
      token,
      key: 'installations',
    });
    // Nobody proves by a role in an organization that an enterprise is theirs.
    const visible = presentItems(listed.map(toAppInstallation)).filter(({ isEnterprise }) => !isEnterprise);
    const checked = await Promise.all(
      visible.map(async (installation) => {
        const isTheirs =
          installation.targetType === 'user'
            ? installation.name.toLowerCase() === person.username.toLowerCase()
            : await this.isOrganizationAdmin(installation.name, token);
        return isTheirs ? installation : undefined;
      }),
    );
    const proved = presentItems(checked);
    await this.records.record(proved);
    return proved;
  }

  private async isOrganizationAdmin(organization: string, token: string): Promise<boolean> {
    const answer = await this.oauth.ask('github', {
      path: `/user/memberships/orgs/${encodeURIComponent(organization)}`,
      route: '/user/memberships/orgs/{org}',
      token,
    });
    if (answer.status === 403 || answer.status === 404) return false;
    const { json } = answer.orRefused();
    return textAt(json, 'role') === 'admin' && textAt(json, 'state') === 'active';
  }

  private administers(caller: Principal, tenantId: string): boolean {
    return isUuid(tenantId) && this.access.may(caller, 'admin', { tenantId: tenantId.toLowerCase() });
  }

  private get isConfigured(): boolean {
    return this.settings.oauthClient('github') !== undefined;
  }

  private get redirectUri(): string {
    return this.settings.apiAddress('/vcs-installations/github/claim/callback');
  }

  private destination(rd: string | undefined, tenantId: string | undefined): string {
    return returnAddress(rd ?? this.page(tenantId), this.settings.uiBase);
  }

  private failed(rd: string | undefined, tenantId: string | undefined, value: Failure): string {
    return returnAddress(rd ?? this.page(tenantId), this.settings.uiBase, {
      parameter: 'github_claim',
      value,
    });
  }

  private page(tenantId: string | undefined): string | undefined {
    if (tenantId === undefined || !isUuid(tenantId)) return undefined;
    return consoleAddress(this.settings.uiBase, `tenants/${tenantId}/installations`);
  }
}
