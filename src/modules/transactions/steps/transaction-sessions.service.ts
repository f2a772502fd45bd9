import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { defineJob, HandlesJob, type JobRun } from '../../../platform/queue/index.js';
import {
  AccessDecisions,
  type Grants,
  type Principal,
  Principals,
  ResolvesToken,
  scopeOf,
  ScopeResolvers,
  ServiceTokens,
  type TokenClaims,
  type TokenResolver,
  within,
} from '../../access/index.js';
import { Tasks } from '../../tasks/index.js';
import { BundleTokens } from '../bundle-tokens.js';
import { oneByOne } from './one-by-one.js';
import type { BegunStep } from './transaction-steps.service.js';
import { TransactionRights } from '../transaction-rights.service.js';
import { transactionErrors } from '../transactions.errors.js';
import { TransactionsService } from '../transactions.service.js';

/** Every few minutes: sessions that were left open. */
export const CloseSessionsJob = defineJob('close-transaction-sessions', {
  everyMs: 5 * 60_000,
  attempts: 1,
  concurrency: 1,
});

const LEFT_AFTER = '24 hours';

interface SessionClaims {
  tx: string;
  tenant: string;
  /** of a token from before they were kept with the transaction */
  grants?: Grants;
  credential: string;
  epoch: number;
}

/** Transactions that several runs of Terraform write into, each with the session's token. */
@ResolvesToken('tx')
@Injectable()
export class TransactionSessions implements TokenResolver {
  private readonly logger = new Logger('TransactionSessions');

  constructor(
    private readonly work: UnitOfWork,
    private readonly access: AccessDecisions,
    private readonly principals: Principals,
    private readonly tokens: ServiceTokens,
    private readonly tasks: Tasks,
    private readonly transactions: TransactionsService,
    private readonly scopes: ScopeResolvers,
    private readonly rights: TransactionRights,
    private readonly bundles: BundleTokens,
  ) {}

  /** Takes a right to preview or commit something. The token allows what the caller may do in the one tenant, for as long as the transaction is open. */
  async create(
    caller: Principal,
    { tenantId, tags }: { tenantId: string | undefined; tags: Record<string, unknown> | undefined },
  ): Promise<{ txId: string; token: string }> {
    const tenant = await this.tenantFor(caller, tenantId);
    const ownStates = await this.statesOf(caller, tenant);
    const grants = within(caller.capabilities, tenant, (id) => (ownStates.has(id) ? tenant : undefined));
    if (!scopeOf(grants, 'commit') && !scopeOf(grants, 'preview')) throw httpErrors.FORBIDDEN();
    const txId = await this.transactions.create(caller, { kind: 'session', tenantId: tenant, tags, grants });
    const claims: SessionClaims = {
      tx: txId,
      tenant,
      credential: caller.credentialId,
      epoch: caller.sessionEpoch,
    };
    const token = await this.tokens.sign({ use: 'tx', sub: caller.userId, claims: { ...claims } });
    return { txId, token };
  }

  async principalOf(claims: TokenClaims): Promise<Principal | undefined> {
    const { tx, tenant, grants: claimed, credential, epoch } = claims as unknown as SessionClaims;
    const [open] = await this.work.query<{ grants: Grants | null }>(
      "SELECT grants FROM transactions WHERE id = $1 AND created_by = $2 AND kind = 'session' AND state = 'open'",
      [tx, claims.sub],
    );
    const grants = open?.grants ?? claimed;
    if (!open || !grants) return undefined;
    const states = new Set(Object.values(grants).flatMap((scope) => Object.keys(scope.states ?? {})));
    const principal = await this.principals.ofUser(claims.sub, {
      kind: 'tx',
      credentialId: `tx:${tx}`,
      limit: grants,
      // Whoever revokes the key that a session was made with means the session too.
      madeWith: { credentialId: credential, epoch },
      tenantOf: (id) => (states.has(id) ? tenant : undefined),
      claims: { tx },
    });
    const inTenant = (ids: readonly string[]) => ids.filter((id) => id === tenant);
    return (
      principal && {
        ...principal,
        tenantIds: inTenant(principal.tenantIds),
        homeTenantIds: inTenant(principal.homeTenantIds),
      }
    );
  }

  async isSession(txId: string): Promise<boolean> {
    const rows = await this.work.query("SELECT FROM transactions WHERE id = $1 AND kind = 'session'", [txId]);
    return rows.length > 0;
  }

  /** Its writes are stored already: the commit only says that there will be no more, and leaves nothing to report. */
  async commit(caller: Principal, txId: string): Promise<BegunStep> {
    return this.work.run(async () => {
      const tx = await this.transactions.lock(txId);
      const { tenantId, state } = tx;
      await this.rights.requireStep(caller, 'commit', tx);
      if (state !== 'open') throw transactionErrors.TX_NOT_ACTIVE();
      await this.transactions.move(txId, 'apply-done', caller.userId);
      await this.transactions.recordAudit(caller, 'tx.commit', { txId, tenantId, data: {} });
      const taskId = await this.tasks.note({
        kind: 'commit-session',
        tenantId,
        createdBy: caller.userId,
        payload: { tx_id: txId },
      });
      await this.tasks.complete(taskId);
      return { taskId, token: await this.bundles.sign(caller, { task: taskId, tx: txId, kind: 'commit' }) };
    });
  }

  /** One that has writes is committed, for they are stored; one that has none is aborted. */
  @HandlesJob(CloseSessionsJob)
  async closeLeft(_payload: object, _run: JobRun): Promise<void> {
    const left = await this.work.query<{ id: string }>(
      `SELECT id FROM transactions WHERE kind = 'session' AND state = 'open'
         AND coalesce(written_at, created_at) < now() - interval '${LEFT_AFTER}'`,
    );
    const txIds = left.map(({ id }) => id);
    await oneByOne(txIds, this.logger, (id) =>
      this.work.run(async () => {
        const { tenantId } = await this.transactions.lock(id);
        const trigger = (await this.transactions.hasWrites(id)) ? 'apply-done' : 'abort';
        if (await this.transactions.move(id, trigger, undefined))
          await this.transactions.recordAudit(undefined, 'tx.close', { txId: id, tenantId, data: {} });
      }),
    );
  }

  private async tenantFor(caller: Principal, wanted: string | undefined): Promise<string> {
    if (wanted !== undefined) {
      const tenantId = wanted.toLowerCase();
      // Whoever administers the installation reaches every tenant, those that do not exist as well.
      const isKnown = (await this.scopes.rowOf('tenant', tenantId)) !== undefined;
      if (!isKnown || !(this.access.isMember(caller, tenantId) || caller.tenantIds.includes(tenantId)))
        throw httpErrors.NOT_FOUND('tenant does not exist');
      return tenantId;
    }
    const candidates = caller.tenantIds.length === 1 ? caller.tenantIds : caller.homeTenantIds;
    const [tenantId, other] = candidates;
    if (tenantId === undefined || other !== undefined)
      throw httpErrors.INVALID_REQUEST('the credential reaches several tenants; name one in tenant_id');
    return tenantId;
  }

  private async statesOf(caller: Principal, tenantId: string): Promise<Set<string>> {
    const named = Object.values(caller.capabilities).flatMap((scope) => Object.keys(scope.states ?? {}));
    const rows = await this.work.query<{ id: string }>(
      'SELECT id FROM states WHERE tenant_id = $1 AND id = ANY($2::uuid[])',
      [tenantId, named],
    );
    return new Set(rows.map((row) => row.id));
  }
}
