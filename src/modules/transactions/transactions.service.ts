import { Injectable, Logger } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { Events, HandlesEvent } from '../../platform/events/index.js';
import type { Grants, Principal } from '../access/index.js';
import { Audit } from '../audit/index.js';
import { acceptableTags, TransactionNamed, VersionStored } from '../states/index.js';
import { Tasks } from '../tasks/index.js';
import type { TransactionParams } from './dto/transaction.dto.js';
import { STATE_SCHEMA_VERSION } from './log/schema-version.js';
import { oneByOne } from './steps/one-by-one.js';
import { isActive, type TransactionState, type Trigger, TRANSITIONS } from './transaction-states.machine.js';
import { TransactionRights } from './transaction-rights.service.js';
import { TransactionEnded } from './transaction-ended.event.js';
import { transactionErrors } from './transactions.errors.js';
import { TransactionEntity } from './entities/transaction.entity.js';
import { TransactionPlanEntity } from './entities/transaction-plan.entity.js';

const SESSIONS_PER_PAGE = 1000;
const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';

export interface OpenSession {
  id: string;
  /** credential that began it */
  madeWith: string;
}

export interface NewTransaction {
  kind: 'plan' | 'session';
  tenantId: string;
  params?: TransactionParams | undefined;
  tags?: Record<string, unknown> | undefined;
  /** what the token of a session allows */
  grants?: Grants;
}

export interface PlansToAbort {
  /** credentials whose plans all end */
  madeWith?: readonly string[];
  /** single ones; an id that another credential began stays */
  only?: readonly { id: string; madeWith: string }[];
}

/** What a run was about to commit in one of its dirspaces, which are tags of the transaction. */
export interface GivenUpCommit {
  /** credential that the transaction was begun with */
  madeWith: string;
  dir: string;
  workspace: string;
}

/** A transaction whose row is locked until the database transaction at hand ends. */
export interface LockedTransaction {
  id: string;
  state: TransactionState;
  kind: 'plan' | 'session' | 'write';
  tenantId: string;
  taskId: string | null;
  stepKey: string | null;
  params: TransactionParams;
  createdBy: string | null;
  madeWith: string | null;
}

/**
 * Records a write. An existing transaction accepts a write only from its creator and in its tenant, and a session only while
 * it is open. No row means rejected.
 */
const RECORD_WRITE = {
  name: 'record-write-of-transaction',
  text: `WITH created AS (INSERT INTO transactions (id, tenant_id, kind, state, tags, created_by, completed_at, completed_by)
      VALUES ($1, $2, 'write', 'committed', $4, $3::uuid, now(), $3::uuid) ON CONFLICT (id) DO NOTHING RETURNING id),
    joined AS (UPDATE transactions SET written_at = now(), completed_at = CASE WHEN kind = 'write' THEN now() ELSE completed_at END
      WHERE id = $1 AND tenant_id = $2 AND (
          (created_by IS NOT DISTINCT FROM $3::uuid AND (kind = 'write' OR (kind = 'session' AND state = 'open')))
          OR (kind = 'plan' AND state IN ('committing', 'failed-committed'))) RETURNING id),
    taken AS (SELECT id FROM created UNION SELECT id FROM joined),
    listed AS (INSERT INTO transaction_states (tx_id, state_id) SELECT id, $5::uuid FROM taken ON CONFLICT DO NOTHING)
  SELECT id FROM taken`,
};

/** Begins and ends transactions. Every write belongs to one. */
@Injectable()
export class TransactionsService {
  private readonly logger = new Logger('TransactionsService');

  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly audit: Audit,
    private readonly events: Events,
    private readonly tasks: Tasks,
    private readonly rights: TransactionRights,
  ) {}

  async create(
    caller: Principal,
    wanted: NewTransaction,
    schemaVersion = STATE_SCHEMA_VERSION,
  ): Promise<string> {
    if (schemaVersion !== STATE_SCHEMA_VERSION)
      throw transactionErrors.STATE_SCHEMA_VERSION_MISMATCH(
        `the service reads schema ${STATE_SCHEMA_VERSION}, the client writes ${schemaVersion}`,
      );
    const id = this.secrets.uuid();
    const { kind, tenantId, params = {}, tags, grants } = wanted;
    await this.work.run(async () => {
      await this.work.manager.insert(TransactionEntity, {
        ...{ id, tenantId, kind, params, grants, state: 'open' },
        tags: JSON.parse(acceptableTags(tagsOf(caller, tags))) as object,
        createdBy: caller.userId,
        madeWith: caller.credentialId,
      });
      await this.recordAudit(caller, 'tx.create', { txId: id, tenantId, data: { kind } });
    });
    return id;
  }

  /** The same, for a caller whose request took its time: 401 when the credential has ended meanwhile. */
  async lockFor(caller: Principal, txId: string): Promise<LockedTransaction> {
    const tx = await this.lock(txId);
    await this.rights.confirm(caller);
    return tx;
  }

  /** Idempotent; a transaction that was committed cannot be undone, nor can the stored writes of a session. */
  async abort(caller: Principal, txId: string): Promise<void> {
    await this.work.run(async () => {
      const tx = await this.lock(txId);
      const { state, kind, tenantId, taskId } = tx;
      await this.rights.requireAbort(caller, tx);
      if (state === 'aborted') return;
      if (!isActive(state)) throw transactionErrors.TX_NOT_ACTIVE();
      if (kind === 'session' && (await this.hasWrites(txId))) throw transactionErrors.TX_HAS_WRITES();
      await this.move(txId, 'abort', caller.userId);
      if (taskId !== null) await this.tasks.abort(taskId);
      await this.recordAudit(caller, 'tx.abort', { txId, tenantId, data: {} });
    });
  }

  /** Those of some ids, which a runner has reported, that one of the credentials began in this tenant. */
  async madeBy(
    ids: readonly string[],
    { tenantId, madeWith }: { tenantId: string; madeWith: readonly string[] },
  ): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.work.query<{ id: string }>(
      'SELECT id FROM transactions WHERE id = ANY ($1::uuid[]) AND tenant_id = $2 AND made_with = ANY ($3::text[])',
      [ids, tenantId, madeWith],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Aborts plans that nobody commits, by the credential that began them. Answers how many there were. */
  async abortPlans({ madeWith = [], only = [] }: PlansToAbort): Promise<number> {
    if (only.length + madeWith.length === 0) return 0;
    return this.work.run(async () => {
      const found = await this.work.query<LockedTransaction>(
        `SELECT id, tenant_id AS "tenantId", task_id AS "taskId" FROM transactions
          WHERE (made_with = ANY ($1) OR (id, made_with) IN (SELECT * FROM unnest($2::uuid[], $3::text[])))
            AND kind = 'plan' AND state IN ('open', 'previewing', 'previewed') ORDER BY id FOR UPDATE`,
        [madeWith, only.map(({ id }) => id), only.map((each) => each.madeWith)],
      );
      for (const { id, tenantId, taskId } of found) {
        if (!(await this.move(id, 'abort', undefined))) continue;
        if (taskId !== null) await this.tasks.abort(taskId);
        await this.recordAudit(undefined, 'tx.abort', { txId: id, tenantId, data: {} });
      }
      return found.length;
    });
  }

  /** Open sessions whose credential begins so, by pages. */
  async *openSessions(credential: string): AsyncGenerator<OpenSession[]> {
    let last: OpenSession | undefined;
    do {
      const page = await this.work.query<OpenSession>(
        `SELECT id, made_with AS "madeWith" FROM transactions
          WHERE kind = 'session' AND state = 'open' AND starts_with(made_with, $1) AND id > $2
          ORDER BY id LIMIT ${SESSIONS_PER_PAGE}`,
        [credential, last?.id ?? BEFORE_ALL_IDS],
      );
      yield page;
      last = page[SESSIONS_PER_PAGE - 1];
    } while (last);
  }

  async listOpenSessionsOf(credential: string): Promise<string[]> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT id FROM transactions WHERE kind = 'session' AND state = 'open' AND made_with = $1 ORDER BY id`,
      [credential],
    );
    return rows.map(({ id }) => id);
  }

  /** Ends a session that nobody writes into any more: its writes are stored and are committed, an empty one is aborted. */
  async closeSession(txId: string): Promise<void> {
    await this.work.run(async () => {
      const { kind, state, tenantId } = await this.lock(txId);
      if (kind !== 'session' || state !== 'open') return;
      if (await this.move(txId, (await this.hasWrites(txId)) ? 'apply-done' : 'abort', undefined))
        await this.recordAudit(undefined, 'tx.close', { txId, tenantId, data: {} });
    });
  }

  /** One that cannot be closed stops no other. */
  async closeSessionsOneByOne(txIds: readonly string[]): Promise<void> {
    await oneByOne(txIds, this.logger, (id) => this.closeSession(id));
  }

  /** Sessions of a client that was given up. What it still writes there is refused, and kept as a submission. */
  async closeSessions(given: readonly GivenUpCommit[]): Promise<void> {
    if (given.length === 0) return;
    const found = await this.work.query<{ id: string }>(
      `SELECT t.id FROM transactions t
        WHERE (t.made_with, t.tags->>'dir', t.tags->>'workspace') IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))
          AND t.kind = 'session' AND t.state = 'open' ORDER BY t.id`,
      placesOf(given),
    );
    for (const { id } of found) await this.closeSession(id);
  }

  /**
   * Commits whose runner was given up, by somebody who has looked at it: the infrastructure may have changed, and nobody is
   * kept out any longer. Nothing of a commit whose report is being stored; a report that comes later is kept.
   */
  async giveUpCommits(given: readonly GivenUpCommit[]): Promise<void> {
    if (given.length === 0) return;
    await this.work.run(async () => {
      const found = await this.work.query<LockedTransaction>(
        `SELECT t.id, t.tenant_id AS "tenantId", t.task_id AS "taskId" FROM transactions t JOIN tasks k ON k.id = t.task_id
          WHERE (t.made_with, t.tags->>'dir', t.tags->>'workspace') IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))
            AND t.state = 'committing' AND k.kind = 'noted' AND k.state = 'pending'
          ORDER BY t.id FOR UPDATE`,
        placesOf(given),
      );
      for (const { id, tenantId, taskId } of found) {
        if (!(await this.move(id, 'commit-failed', undefined))) continue;
        // Of a task that has failed, a later report would be taken for one that was stored before.
        if (taskId !== null) await this.tasks.abort(taskId);
        await this.recordAudit(undefined, 'tx.lost', { txId: id, tenantId, data: { step: 'committing' } });
      }
    });
  }

  /** One conditional update; the answer says whether the transaction was in a state that the trigger leads out of. */
  async move(txId: string, trigger: Trigger, userId: string | undefined): Promise<boolean> {
    const { from, to } = TRANSITIONS[trigger];
    const rows = await this.work.query<{ id: string }>(
      `UPDATE transactions SET state = $3,
         completed_at = CASE WHEN $4 THEN now() ELSE completed_at END, completed_by = CASE WHEN $4 THEN $5::uuid ELSE completed_by END
       WHERE id = $1 AND state = ANY($2) RETURNING id`,
      [txId, from, to, !isActive(to), userId ?? null],
    );
    if (rows.length > 0 && !isActive(to)) await this.events.publish(new TransactionEnded([txId], to));
    return rows.length > 0;
  }

  /** Every version belongs to a transaction: the session's, or one of its own that is committed with it. */
  @HandlesEvent(VersionStored)
  async record({ txId, tenantId, stateId, userId, tags }: VersionStored): Promise<void> {
    const values = [txId, tenantId, userId ?? null, tags ?? '{}', stateId];
    // One that was begun at the same moment is only seen by the next statement.
    const isRecorded = (await this.recorded(values)) || (await this.recorded(values));
    if (!isRecorded) throw transactionErrors.TX_NOT_ACTIVE('the transaction accepts no writes of the caller');
  }

  /** Refuses what `record` would refuse, while its bytes can still be kept, or before a run has changed anything. */
  @HandlesEvent(TransactionNamed)
  async requireOpen({ txId, tenantId, userId, isWrite }: TransactionNamed): Promise<void> {
    const [tx] = await this.work.query<NamedTransaction>(
      `SELECT tenant_id AS "tenantId", kind, state, created_by AS "createdBy" FROM transactions
       WHERE id = $1 ${isWrite ? 'FOR SHARE' : ''}`,
      [txId],
    );
    if (tx && !takesWrites(tx, { tenantId, userId }))
      throw transactionErrors.TX_NOT_ACTIVE('the transaction accepts no writes of the caller');
  }

  private async recorded(values: unknown[]): Promise<boolean> {
    const rows = await this.work.prepared(RECORD_WRITE, values);
    return rows.length > 0;
  }

  async lock(txId: string): Promise<LockedTransaction> {
    const [row] = await this.work.query<LockedTransaction>(
      `SELECT id, state, kind, tenant_id AS "tenantId", task_id AS "taskId", step_key AS "stepKey", params, created_by AS "createdBy", made_with AS "madeWith" FROM transactions WHERE id = $1 FOR UPDATE`,
      [txId],
    );
    if (!row) throw transactionErrors.TX_NOT_FOUND();
    return row;
  }

  /** Deletes a plan that does not include configuration which was logged later. */
  async outdatePlan(txId: string): Promise<void> {
    await this.work.manager.delete(TransactionPlanEntity, { txId });
  }

  /** The task of the running step, which ends with the step, and the key that the step may be asked for again with. */
  async setStep(txId: string, step: { taskId: string; stepKey: string | null }): Promise<void> {
    await this.work.manager.update(TransactionEntity, txId, step);
  }

  /** Whether a write was stored in the session. */
  async hasWrites(txId: string): Promise<boolean> {
    return this.work.manager.existsBy(TransactionEntity, { id: txId, writtenAt: Not(IsNull()) });
  }

  async recordAudit(
    actor: Principal | undefined,
    action: string,
    { txId, tenantId, data }: { txId: string; tenantId: string; data: Record<string, unknown> },
  ): Promise<void> {
    await this.audit.record({
      ...(actor ? { actor } : {}),
      action,
      objectType: 'transaction',
      objectId: txId,
      tenantId,
      data,
    });
  }
}

function placesOf(given: readonly GivenUpCommit[]): string[][] {
  return [
    given.map(({ madeWith }) => madeWith),
    given.map(({ dir }) => dir),
    given.map(({ workspace }) => workspace),
  ];
}

/** Tags that a credential stands for are not the client's to choose. */
function tagsOf(caller: Principal, tags: NewTransaction['tags']): NewTransaction['tags'] {
  const fixed = caller.claims['tags'];
  return typeof fixed === 'object' && fixed !== null ? { ...tags, ...fixed } : tags;
}

type NamedTransaction = Pick<LockedTransaction, 'tenantId' | 'kind' | 'state' | 'createdBy'>;

/** As RECORD_WRITE decides it. */
function takesWrites(
  { tenantId, kind, state, createdBy }: NamedTransaction,
  named: { tenantId: string; userId: string | undefined },
): boolean {
  if (tenantId !== named.tenantId) return false;
  if (kind === 'plan') return state === 'committing' || state === 'failed-committed';
  return createdBy === (named.userId ?? null) && (kind === 'write' || state === 'open');
}
