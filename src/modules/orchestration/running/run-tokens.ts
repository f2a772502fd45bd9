import { Injectable } from '@nestjs/common';
import { hashOfSecret } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import {
  ResolvesToken,
  type Principal,
  ServiceTokens,
  type TokenClaims,
  type TokenResolver,
} from '../../access/index.js';
import { RunnerPoolEntity } from '../entities/run-artifact.entities.js';
import { WorkManifestEntity } from '../entities/work-manifest.entity.js';

/** A run token is good for so long after the last heartbeat. */
export const RUN_TOKEN_SECONDS = 900;
/** A signed token outlives every run; its row says whether it is still good. */
const SIGNATURE_SECONDS = 48 * 3600;

interface RunClaims {
  run: string;
  nonce: string;
}

/** Tokens of runners. A run token opens the routes of its run, and ends with it. */
@ResolvesToken('run')
@Injectable()
export class RunTokens implements TokenResolver {
  constructor(
    private readonly tokens: ServiceTokens,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  sign(run: WorkManifestEntity): Promise<string> {
    return this.tokens.sign({
      use: 'run',
      sub: run.id,
      lifetimeSeconds: SIGNATURE_SECONDS,
      claims: { run: run.id, nonce: run.runNonce },
    });
  }

  expiresAt(heartbeatAt: Date): Date {
    return new Date(heartbeatAt.getTime() + RUN_TOKEN_SECONDS * 1000);
  }

  /** Ended runs keep their principal for a while, so that they are told so instead of being strangers. */
  async principalOf(claims: TokenClaims): Promise<Principal | undefined> {
    const { run: id, nonce } = claims as unknown as RunClaims;
    const run = await this.work.manager.findOneBy(WorkManifestEntity, { id });
    if (!run || run.runNonce !== nonce) return undefined;
    const last = run.completedAt ?? run.heartbeatAt;
    if (!last || this.expiresAt(last) <= this.clock.now()) return undefined;
    return runnerPrincipal('run', run.id, { run: id });
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

  async findPool(token: string | undefined): Promise<RunnerPoolEntity> {
    const pool =
      token === undefined
        ? null
        : await this.work.manager.findOneBy(RunnerPoolEntity, { tokenHash: hashOfSecret(token) });
    if (!pool) throw httpErrors.UNAUTHENTICATED('the pool token is unknown');
    return pool;
  }
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
