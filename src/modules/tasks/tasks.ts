import { Injectable } from '@nestjs/common';
import { Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { Jobs } from '../../platform/queue/index.js';
import { TaskEntity, type TaskState } from './entities/task.entity.js';
import { RunTaskJob } from './task-jobs.js';
import { taskErrors } from './tasks.errors.js';
import { fragmentsOf } from './result-fragments.js';

export interface NewTask {
  kind: string;
  /** its members see the task; undefined: only its creator */
  tenantId: string | undefined;
  createdBy: string | undefined;
  /** ids only */
  payload: Record<string, unknown>;
}

const NOW = (): string => 'now()';
/** The columns of a task that its creator runs at once. */
const RUNNING = { state: 'running', attempts: 1, startedAt: NOW, seenAt: NOW } as const;

/** Creates tasks and ends them. */
@Injectable()
export class Tasks {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly jobs: Jobs,
  ) {}

  /**
   * Inserts a task in the caller's transaction, and queues it after the commit. `isUrgent`: the task is not queued, because the
   * caller runs it at once (`TaskRunner.now`).
   */
  async start(task: NewTask, { isUrgent = false } = {}): Promise<string> {
    const id = await this.insert(task, { isRunning: isUrgent });
    if (!isUrgent) await this.jobs.enqueue(RunTaskJob, { taskId: id }, { jobId: id });
    return id;
  }

  /** Creates a task without work. `begin` gives it work, or `complete` ends it. */
  async createIdle(task: NewTask): Promise<string> {
    return this.insert(task, { isRunning: false });
  }

  /** `isRunning`: the caller runs the task at once. */
  private async insert(
    { kind, tenantId, createdBy, payload }: NewTask,
    { isRunning }: { isRunning: boolean },
  ): Promise<string> {
    const id = this.secrets.uuid();
    await this.work.manager.insert(TaskEntity, {
      ...{ id, kind, payload, tenantId: tenantId ?? null, createdBy: createdBy ?? null },
      ...(isRunning ? RUNNING : {}),
    });
    return id;
  }

  /** Records tasks that the caller's transaction has completed, with one result. */
  async recordCompleted(tasks: readonly (NewTask & { id: string })[], result: unknown): Promise<void> {
    await this.work.query(
      `WITH done AS (INSERT INTO tasks (id, kind, tenant_id, created_by, payload, state, attempts, started_at, finished_at)
         SELECT id, kind, tenant, who, payload, 'completed', 1, now(), now()
         FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::jsonb[]) AS r (id, kind, tenant, who, payload) RETURNING id)
       INSERT INTO task_results (task_id, idx, data) SELECT id, ordinality - 1, data
       FROM done CROSS JOIN unnest($6::text[]) WITH ORDINALITY AS f (data, ordinality)`,
      [
        tasks.map(({ id }) => id),
        tasks.map(({ kind }) => kind),
        tasks.map(({ tenantId }) => tenantId ?? null),
        tasks.map(({ createdBy }) => createdBy ?? null),
        tasks.map(({ payload }) => JSON.stringify(payload)),
        fragmentsOf(JSON.stringify(result)),
      ],
    );
  }

  /** Gives an idle task its work; false if it does not wait for work. */
  async begin(
    taskId: string,
    createdBy: string,
    task: Omit<NewTask, 'createdBy'>,
    { isUrgent = false } = {},
  ): Promise<boolean> {
    const { affected } = await this.work.manager.update(
      TaskEntity,
      { id: taskId, createdBy, kind: 'noted', state: 'pending' },
      {
        ...{ kind: task.kind, tenantId: task.tenantId ?? null, payload: task.payload },
        ...(isUrgent ? RUNNING : {}),
      },
    );
    if (affected !== 1) return false;
    if (!isUrgent) await this.jobs.enqueue(RunTaskJob, { taskId }, { jobId: taskId });
    return true;
  }

  /** A task of the kind with this payload that has not ended, the oldest one. */
  async findUnfinished(
    kind: string,
    payload: Record<string, unknown>,
  ): Promise<{ id: string; state: TaskState } | undefined> {
    const [task] = await this.work.query<{ id: string; state: TaskState }>(
      `SELECT id, state FROM tasks WHERE kind = $1 AND payload = $2::jsonb AND state IN ('pending', 'running')
       ORDER BY created_at LIMIT 1`,
      [kind, JSON.stringify(payload)],
    );
    return task;
  }

  /** For the creator of the task. */
  async stateOf(taskId: string): Promise<{ id: string; state: TaskState }> {
    const task = await this.work.manager.findOne(TaskEntity, {
      select: { id: true, state: true },
      where: { id: taskId },
    });
    if (!task) throw taskErrors.TASK_NOT_FOUND();
    return task;
  }

  /** Completes a task from outside of its handler; false if it had ended. */
  async complete(taskId: string, result?: unknown): Promise<boolean> {
    return (await this.completeAll([taskId], result)) === 1;
  }

  /** Completes several tasks with one result, and returns how many of them had not ended. */
  async completeAll(taskIds: readonly string[], result?: unknown): Promise<number> {
    return this.work.run(async () => {
      const ended = await this.end(taskIds, 'completed');
      if (result !== undefined && ended.length > 0) await this.storeResults(ended, result);
      return ended.length;
    });
  }

  async fail(taskId: string, error: string): Promise<boolean> {
    return (await this.end([taskId], 'failed', error)).length > 0;
  }

  async abort(taskId: string): Promise<boolean> {
    return (await this.end([taskId], 'aborted')).length > 0;
  }

  private async end(taskIds: readonly string[], state: TaskState, error?: string): Promise<string[]> {
    const rows = await this.work.query<{ id: string }>(
      `UPDATE tasks SET state = $2, error = $3, finished_at = now()
       WHERE id = ANY($1::uuid[]) AND state IN ('pending', 'running') RETURNING id`,
      [taskIds, state, error ?? null],
    );
    return rows.map(({ id }) => id);
  }

  private async storeResults(taskIds: readonly string[], result: unknown): Promise<void> {
    await this.work.query(
      `INSERT INTO task_results (task_id, idx, data) SELECT id, ordinality - 1, data
       FROM unnest($1::uuid[]) AS id CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS f (data, ordinality)`,
      [taskIds, fragmentsOf(JSON.stringify(result))],
    );
  }
}
