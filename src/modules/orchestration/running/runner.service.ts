import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Principal } from '../../access/index.js';
import type {
  HeartbeatView,
  InitiateBody,
  InitiatedView,
  LogChunkBody,
  ResultsBody,
  StepBody,
} from '../dto/runner.dto.js';
import { WorkManifestPayloadEntity } from '../entities/work-manifest-output.entity.js';
import { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { orchestrationErrors } from '../orchestration.errors.js';
import { claimCiRun } from '../runs/ci-run-ids.js';
import { Gates } from '../runs/gates.store.js';
import { releaseEnded, releaseReconciled } from '../runs/hold-ends.queries.js';
import { RunLog } from '../runs/run-log.store.js';
import { RunTransactions } from '../runs/run-transactions.js';
import { Runs } from '../runs/runs.store.js';
import { RunTokens } from './run-tokens.js';

export const RUNNER_PROTOCOL = 1;

/** What a runner says of its run. Every call is good to be sent again. */
@Injectable()
export class RunnerService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly runs: Runs,
    private readonly tokens: RunTokens,
    private readonly gates: Gates,
    private readonly log: RunLog,
    private readonly transactions: RunTransactions,
  ) {}

  /** The work token is good for one runner: who comes with another nonce is refused. */
  async initiate(workToken: string | undefined, received: InitiateBody): Promise<InitiatedView> {
    const body = storable(received);
    const found = await this.tokens.findByWorkToken(workToken);
    requireProtocol(body.runner);
    const run = await this.work.run(async () => {
      await this.work.query('SELECT 1 FROM work_manifests WHERE id = $1 FOR UPDATE', [found.id]);
      const current = await this.runs.find(found.id);
      if (!current || current.state === 'completed' || current.state === 'aborted')
        throw orchestrationErrors.RUN_ENDED();
      const isSame = isBegunBy(current, body);
      if (current.state === 'running' && !isSame) throw orchestrationErrors.RUN_ALREADY_STARTED();
      // It was offered to another runner meanwhile, with a token of its own.
      if (!current.workTokenHash || !found.workTokenHash?.equals(current.workTokenHash))
        throw orchestrationErrors.RUN_ALREADY_STARTED();
      if (current.state === 'queued') {
        await this.work.manager.update(
          WorkManifestEntity,
          { id: current.id },
          {
            ...(await claimCiRun(this.work, current, body.run_id)),
            runNonce: nonceOf(body),
            dispatchState: 'sent',
          },
        );
        await this.runs.move(current.id, 'start');
      }
      return (await this.runs.find(current.id)) as WorkManifestEntity;
    });
    return {
      token: await this.tokens.sign(run, { hasCheckout: body.runner.has_checkout === true }),
      expires_at: this.tokens.expiresAt(run.heartbeatAt ?? this.clock.now()).toISOString(),
      heartbeat_seconds: Math.max(
        1,
        Math.min(30, Math.floor(this.config.get('SERVICE_RUN_LOST_SECONDS') / 4)),
      ),
      work_manifest_id: run.id,
    };
  }

  async heartbeat(caller: Principal): Promise<HeartbeatView> {
    const run = await this.running(caller);
    const now = this.clock.now();
    await this.work.manager.update(
      WorkManifestEntity,
      { id: run.id, state: 'running' },
      { heartbeatAt: now },
    );
    return { state: 'running', expires_at: this.tokens.expiresAt(now).toISOString() };
  }

  /** Also of a run that was given up: what an apply did is kept with it. A completed run takes no more reports. */
  async reportSteps(caller: Principal, steps: readonly StepBody[]): Promise<void> {
    const run = await this.reporting(caller);
    for (const { scope } of steps)
      if (scope.type === 'dirspace' ? !scope.dir || !scope.workspace : !scope.flow || !scope.subflow)
        throw httpErrors.INVALID_REQUEST('scope must have dir and workspace, or flow and subflow');
    await this.work.run(async () => {
      for (const step of steps) await this.insertStep(run.id, step);
    });
    if (run.state !== 'running') throw orchestrationErrors.RUN_ENDED();
  }

  async appendLog(caller: Principal, chunks: readonly LogChunkBody[]): Promise<void> {
    const run = await this.reporting(caller);
    await this.log.append(run.id, chunks);
    if (run.state !== 'running') throw orchestrationErrors.RUN_ENDED();
  }

  /** The last report. Results of dirspaces of an aborted run are kept; the run stays aborted. */
  async finish(caller: Principal, received: ResultsBody): Promise<WorkManifestEntity> {
    const body = storable(received);
    const run = await this.runOf(caller);
    if (run.state === 'completed') return run;
    const reported = body.dirspaces.flatMap(({ transaction_id: id }) => (id === undefined ? [] : [id]));
    const ownTransactions = await this.transactions.ownOf(caller, reported);
    await this.work.run(async () => {
      if (body.gates?.length) await this.lockPullRequest(run);
      await this.work.query('SELECT 1 FROM work_manifests WHERE id = $1 FOR UPDATE', [run.id]);
      for (const result of body.dirspaces)
        await this.work.query(
          `UPDATE work_manifest_dirspaces
              SET success = $4, has_changes = $5, summary = $6, ended_at = $7, transaction_id = $8, conflicts_with = $9, state = CASE WHEN $4 THEN 'success' ELSE 'failure' END
            WHERE work_manifest_id = $1 AND dir = $2 AND workspace = $3 AND success IS NULL`,
          [
            run.id,
            result.dir,
            result.workspace,
            result.success,
            result.has_changes ?? null,
            result.summary ? JSON.stringify(result.summary) : null,
            this.clock.now(),
            ownTransactions.has(result.transaction_id?.toLowerCase() ?? '') ? result.transaction_id : null,
            result.conflicts_with ?? null,
          ],
        );
      if (run.pullNumber !== null && body.gates?.length)
        await this.gates.open(
          { repositoryId: run.repositoryId, pullNumber: run.pullNumber, sha: run.branchRef },
          body.gates.map((gate) => ({
            token: gate.token,
            name: gate.name ?? null,
            allOf: gate.all_of ?? [],
            anyOf: gate.any_of ?? [],
            anyOfCount: gate.any_of_count ?? 1,
            addReviewers: gate.add_reviewers ?? [],
          })),
        );
      // What a run reports that was given up says that it has stopped there.
      if (!(await this.runs.move(run.id, 'complete'))) await this.releaseLate(run);
      await this.transactions.closeSessionsOfRun(run.id);
      if (failedOutsideDirspaces(body))
        await this.work.query(
          `UPDATE work_manifests m SET hooks_failed = true
            WHERE m.id = $1 AND ($2 OR NOT EXISTS (
              SELECT FROM work_manifest_dirspaces d WHERE d.work_manifest_id = m.id))`,
          [run.id, body.dirspaces.length > 0],
        );
    });
    const ended = await this.runOf(caller);
    if (ended.state !== 'completed') throw orchestrationErrors.RUN_ENDED();
    return ended;
  }

  /** Gates refer to the pull request, which is locked before its runs. */
  private async lockPullRequest({ repositoryId, pullNumber }: WorkManifestEntity): Promise<void> {
    await this.work.query(
      'SELECT 1 FROM pull_requests WHERE repository_id = $1 AND number = $2 FOR KEY SHARE',
      [repositoryId, pullNumber],
    );
  }

  private async releaseLate({ id, runType }: WorkManifestEntity): Promise<void> {
    await releaseReconciled(this.work, id);
    if (runType === 'apply') await releaseEnded(this.work, id);
  }

  /** The run of a caller; 409 once it has ended. */
  async running(caller: Principal): Promise<WorkManifestEntity> {
    const run = await this.runOf(caller);
    if (run.state !== 'running') throw orchestrationErrors.RUN_ENDED();
    return run;
  }

  private async reporting(caller: Principal): Promise<WorkManifestEntity> {
    const run = await this.runOf(caller);
    if (run.state === 'completed') throw orchestrationErrors.RUN_ENDED();
    return run;
  }

  private async runOf(caller: Principal): Promise<WorkManifestEntity> {
    const run = await this.runs.find(String(caller.claims['run']));
    if (!run) throw httpErrors.UNAUTHENTICATED();
    return run;
  }

  private async insertStep(workManifestId: string, step: StepBody): Promise<void> {
    const { seq, scope, visible_on, format } = step;
    const isDirspace = scope.type === 'dirspace';
    const inserted = await this.work.query(
      `INSERT INTO work_manifest_outputs (work_manifest_id, idx, created_at, step, state, ignore_errors, scope, dir, workspace, flow, subflow)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING RETURNING idx`,
      [
        workManifestId,
        seq,
        this.clock.now(),
        storableText(step.step),
        step.state,
        step.ignore_errors ?? false,
        scope.type,
        isDirspace ? storableText(scope.dir ?? '') : null,
        isDirspace ? storableText(scope.workspace ?? '') : null,
        isDirspace ? null : storableText(scope.flow ?? ''),
        isDirspace ? null : storableText(scope.subflow ?? ''),
      ],
    );
    if (inserted.length === 0) return;
    const payload = {
      ...step.payload,
      ...(visible_on === undefined ? {} : { visible_on }),
      ...(format === undefined ? {} : { format }),
    };
    await this.work.manager.insert(WorkManifestPayloadEntity, {
      ...{ workManifestId, idx: seq },
      payload: storable<object>(payload),
    });
  }
}

/** A report without dirspaces counts only for a run that has none: dirspaces without a report are not known to succeed. */
function failedOutsideDirspaces({ success: isSuccess, dirspaces }: ResultsBody): boolean {
  return !isSuccess && dirspaces.every(({ success }) => success);
}

/** What a runner must say again to be the same one. */
function nonceOf({ run_id: claimed, nonce }: InitiateBody): string {
  return `${nonce} ${claimed}`;
}

/** One release back, the nonce was stored alone: its answer may have been lost while the service was upgraded. */
function isBegunBy({ runNonce, runId }: WorkManifestEntity, body: InitiateBody): boolean {
  return runNonce === nonceOf(body) || (runNonce === body.nonce && runId === body.run_id);
}

/** Refuses a runner that speaks another version, before it takes a run that it could not begin. */
export function requireProtocol({ protocol }: { protocol: number }): void {
  if (protocol !== RUNNER_PROTOCOL)
    throw orchestrationErrors.RUNNER_TOO_OLD(
      `this service speaks version ${RUNNER_PROTOCOL} of the runner protocol; install the client of this service`,
    );
}

/** The same JSON with strings, and names of properties, that PostgreSQL can keep. */
function storable<T extends object>(value: T): T {
  const text = JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'string') return storableText(inner);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [storableText(name), each]));
  });
  return JSON.parse(text) as T;
}
