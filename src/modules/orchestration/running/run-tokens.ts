import { Injectable } from '@nestjs/common';
import { hashOfSecret } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import {
  isUuid,
  type OriginLimits,
  type Principal,
  Principals,
  ResolvesToken,
  ServiceTokens,
  type TokenClaims,
  type TokenResolver,
} from '../../access/index.js';
import { InstallationEntity } from '../../vcs/index.js';
import { RunnerPoolEntity } from '../entities/run-artifact.entities.js';
import { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { RunStates } from '../runs/run-states.store.js';
import { RUN_TOKEN_SECONDS, runCredential } from '../runs/run-transactions.js';

/** A signed token outlives every run; its row says whether it is still good. */
const SIGNATURE_SECONDS = 48 * 3600;

/** Use of the tokens that open states only. */
const STATE_TOKEN = 'run-state';

interface RunClaims {
  run: string;
  nonce: string;
  /** the runner checks out with a credential of its own */
  hasCheckout?: true;
}

/** Tokens of runners. A run token opens the routes of its run, and ends with it. */
@ResolvesToken('run')
@Injectable()
export class RunTokens implements TokenResolver {
  constructor(
    private readonly tokens: ServiceTokens,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly principals: Principals,
    private readonly states: RunStates,
  ) {}

  sign(run: WorkManifestEntity, { hasCheckout = false } = {}): Promise<string> {
    return this.signAs('run', run, hasCheckout ? { hasCheckout } : {});
  }

  /** For Terraform and what it starts: it opens the states of the run, and none of the routes of its runner. */
  signForStates(run: WorkManifestEntity): Promise<string> {
    return this.signAs(STATE_TOKEN, run);
  }

  private signAs(use: string, { id, runNonce }: WorkManifestEntity, claims: object = {}): Promise<string> {
    return this.tokens.sign({
      use,
      sub: id,
      lifetimeSeconds: SIGNATURE_SECONDS,
      claims: { run: id, nonce: runNonce, ...claims },
    });
  }

  expiresAt(heartbeatAt: Date): Date {
    return new Date(heartbeatAt.getTime() + RUN_TOKEN_SECONDS * 1000);
  }

  /** Ended runs keep their principal for a while, so that they are told so instead of being strangers. */
  async principalOf(claims: TokenClaims): Promise<Principal | undefined> {
    const { run: id, nonce, hasCheckout } = claims as unknown as RunClaims;
    const run = await this.findLive(id);
    if (!run || run.runNonce !== nonce) return undefined;
    // Every call of a runner waits for these lookups.
    const [installation, plans] = await Promise.all([this.installationOf(run), this.plansOf(run.id)]);
    const tokenClaims = {
      run: id,
      ...(hasCheckout ? { hasCheckout } : {}),
      ...(installation ? { tags: transactionTags(run, installation) } : {}),
    };
    if (!installation || installation.systemUserId === null)
      return runnerPrincipal('run', run.id, tokenClaims);
    const [user, capabilities] = await Promise.all([
      this.systemUser(run, installation, tokenClaims),
      run.state === 'running' ? this.states.grants(run) : {},
    ]);
    if (!user) return runnerPrincipal('run', run.id, tokenClaims);
    return {
      ...user,
      capabilities,
      stateBound: true,
      actsFor: [run.id, ...plans].map(runCredential),
    };
  }

  /** What bundle and session tokens of a run are limited to. Of a run that was given up they still take what it reached. */
  async originOf(id: string): Promise<OriginLimits | undefined> {
    const run = await this.findLive(id);
    if (!run || run.state === 'completed') return undefined;
    const installation = await this.installationOf(run);
    if (!installation) return undefined;
    return {
      rule_ids: null,
      state_bound: true,
      tenant_ceiling: [installation.tenantId],
      held: await this.states.grants(run),
    };
  }

  /** Undefined once its token has expired, which it does some time after the run has ended. */
  private async findLive(id: string): Promise<WorkManifestEntity | undefined> {
    const run = isUuid(id) ? await this.work.manager.findOneBy(WorkManifestEntity, { id }) : null;
    const last = run?.completedAt ?? run?.heartbeatAt;
    return run && last && this.expiresAt(last) > this.clock.now() ? run : undefined;
  }

  /** Undefined once it is linked to no tenant. */
  private async installationOf({
    installationId,
  }: WorkManifestEntity): Promise<(InstallationEntity & { tenantId: string }) | undefined> {
    const found = await this.work.manager.findOneBy(InstallationEntity, { id: installationId });
    return found?.tenantId ? { ...found, tenantId: found.tenantId } : undefined;
  }

  private async systemUser(
    { id }: WorkManifestEntity,
    { systemUserId, tenantId }: InstallationEntity & { tenantId: string },
    claims: Record<string, unknown>,
  ): Promise<Principal | undefined> {
    if (systemUserId === null) return undefined;
    const credential = { kind: 'run', credentialId: runCredential(id), tenantCeiling: [tenantId], claims };
    return this.principals.ofUser(systemUserId, credential);
  }

  /** The runs whose plans it applies. */
  private async plansOf(id: string): Promise<string[]> {
    const rows = await this.work.query<{ id: string }>(
      'SELECT DISTINCT plan_from AS id FROM work_manifest_dirspaces WHERE work_manifest_id = $1 AND plan_from IS NOT NULL',
      [id],
    );
    return rows.map((row) => row.id);
  }

  /** By the token that stands in the CI input. 401 for an unknown one. */
  async findByWorkToken(token: string | undefined): Promise<WorkManifestEntity> {
    const run =
      token === undefined
        ? null
        : await this.work.manager.findOneBy(WorkManifestEntity, { workTokenHash: hashOfSecret(token) });
    if (!run) throw httpErrors.UNAUTHENTICATED('the work token is unknown');
    return run;
  }

  /** By the token of its runners. 401 for an unknown one. */
  async findPool(token: string | undefined): Promise<RunnerPoolEntity> {
    const pool =
      token === undefined
        ? null
        : await this.work.manager.findOneBy(RunnerPoolEntity, { tokenHash: hashOfSecret(token) });
    if (!pool) throw httpErrors.UNAUTHENTICATED('the pool token is unknown');
    return pool;
  }
}

/** What the code of a plan can read: its principal is that of the run, of a kind that no route of runners takes. */
@ResolvesToken(STATE_TOKEN)
@Injectable()
export class RunStateTokens implements TokenResolver {
  constructor(private readonly tokens: RunTokens) {}

  async principalOf(claims: TokenClaims): Promise<Principal | undefined> {
    const principal = await this.tokens.principalOf(claims);
    return principal && { ...principal, kind: STATE_TOKEN };
  }
}

/** Tags of every transaction of a run; the client adds `dir` and `workspace`. */
function transactionTags(
  run: WorkManifestEntity,
  { provider }: InstallationEntity,
): Record<string, string | number> {
  return {
    provider,
    repo: `${run.owner}/${run.repo}`,
    ...(run.pullNumber === null ? {} : { pull_number: run.pullNumber }),
    work_manifest_id: run.id,
    sha: run.branchRef,
  };
}

/** A machine: it is nobody, is a member of nothing, and holds no capability. */
function runnerPrincipal(kind: string, id: string, claims: Record<string, unknown>): Principal {
  return {
    kind,
    credentialId: `${kind}:${id}`,
    userId: id,
    userName: kind,
    userType: 'system',
    sessionEpoch: 0,
    capabilities: {},
    stateBound: true,
    tenantIds: [],
    homeTenantIds: [],
    ruleAdminTenantIds: [],
    tenantCeiling: [],
    groupRuleIds: [],
    claims,
  };
}
