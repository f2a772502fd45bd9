import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { defineJob, HandlesJob, type JobRun } from '../../../platform/queue/index.js';
import { AccessDecisions, type Principal, scopeOf, ScopeResolvers, within } from '../../access/index.js';
import { Tasks } from '../../tasks/index.js';
import { BundleTokens } from '../bundle-tokens.js';
import { SessionTokens } from './session-tokens.js';
import type { BegunStep } from './transaction-steps.service.js';
import { TransactionRights } from '../transaction-rights.service.js';
import { transactionErrors } from '../transactions.errors.js';
import { TransactionsService } from '../transactions.service.js';

/** Every few minutes: ends abandoned sessions. */
export const CloseSessionsJob = defineJob('close-transaction-sessions', {
  everyMs: 5 * 60_000,
  attempts: 1,
  concurrency: 1,
});

const ABANDONED_AFTER = '24 hours';

/** Transactions that several runs of Terraform write into, each with the session's token. */
@Injectable()
export class TransactionSessions {
  constructor(
    private readonly work: UnitOfWork,
    private readonly access: AccessDecisions,
    private readonly tokens: SessionTokens,
    private readonly tasks: Tasks,
    private readonly transactions: TransactionsService,
    private readonly scopes: ScopeResolvers,
    private readonly rights: TransactionRights,
    private readonly bundles: BundleTokens,
  ) {}

  /** Needs a right to preview or commit something. The token allows what the caller may do in one tenant, while the transaction is open. */
  async create(
    caller: Principal,
    { tenantId, tags }: { tenantId: string | undefined; tags: Record<string, unknown> | undefined },
  ): Promise<{ txId: string; token: string }> {
    const tenant = await this.tenantFor(caller, tenantId);
    const ownStates = await this.statesOf(caller, tenant);
    const grants = within(caller.capabilities, tenant, (id) => (ownStates.has(id) ? tenant : undefined));
    if (!scopeOf(grants, 'commit') && !scopeOf(grants, 'preview')) throw httpErrors.FORBIDDEN();
    const txId = await this.transactions.create(caller, { kind: 'session', tenantId: tenant, tags, grants });
    return { txId, token: await this.tokens.sign(caller, { tx: txId, tenant }) };
  }

  async isSession(txId: string): Promise<boolean> {
    const rows = await this.work.query("SELECT FROM transactions WHERE id = $1 AND kind = 'session'", [txId]);
    return rows.length > 0;
  }

  /** The writes of a session are stored already: its commit only ends the session, and no runner reports. */
  async commit(caller: Principal, txId: string): Promise<BegunStep> {
    return this.work.run(async () => {
      const tx = await this.transactions.lock(txId);
      const { tenantId, state } = tx;
      await this.rights.requireStep(caller, 'commit', tx);
      if (state !== 'open') throw transactionErrors.TX_NOT_ACTIVE();
      await this.transactions.move(txId, 'apply-done', caller.userId);
      await this.transactions.recordAudit(caller, 'tx.commit', { txId, tenantId, data: {} });
      const taskId = await this.tasks.createIdle({
        kind: 'commit-session',
        tenantId,
        createdBy: caller.userId,
        payload: { tx_id: txId },
      });
      await this.tasks.complete(taskId);
      return { taskId, token: await this.bundles.sign(caller, { task: taskId, tx: txId, kind: 'commit' }) };
    });
  }

  /** Commits abandoned sessions that have writes, which are stored already, and aborts the others. */
  @HandlesJob(CloseSessionsJob)
  async closeAbandoned(_payload: object, _run: JobRun): Promise<void> {
    const left = await this.work.query<{ id: string }>(
      `SELECT id FROM transactions WHERE kind = 'session' AND state = 'open'
         AND coalesce(written_at, created_at) < now() - interval '${ABANDONED_AFTER}'`,
    );
    await this.transactions.closeSessionsOneByOne(left.map(({ id }) => id));
  }

  private async tenantFor(caller: Principal, wanted: string | undefined): Promise<string> {
    if (wanted !== undefined) {
      const tenantId = wanted.toLowerCase();
      // An installation administrator reaches every tenant, even ids of tenants that do not exist.
      const isKnown = (await this.scopes.rowOf('tenant', tenantId)) !== undefined;
      if (!isKnown || !(this.access.isMember(caller, tenantId) || caller.tenantIds.includes(tenantId)))
        throw httpErrors.NOT_FOUND('tenant not found');
      return tenantId;
    }
    const candidates = caller.tenantIds.length === 1 ? caller.tenantIds : caller.homeTenantIds;
    const [tenantId, other] = candidates;
    if (tenantId === undefined || other !== undefined)
      throw httpErrors.INVALID_REQUEST('the credential has access to several tenants; set tenant_id');
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
