import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { AppError, describeFailure } from '../../platform/errors/index.js';
import { HandlesJob, Jobs, type JobRun } from '../../platform/queue/index.js';
import { RunTaskJob, SweepTasksJob } from './task-jobs.js';
import { TaskKinds } from './task-kinds.js';
import { Tasks } from './tasks.js';

const HEARTBEAT_MS = 2_000;
/** A pending task is queued by now; a running one that was not seen for this long has lost its process. */
const LOST_AFTER = '30 seconds';
/** Beginnings of a task, those that ended with their process among them; the queue alone tries four times. */
const MOST_ATTEMPTS = 8;
/** Longer than anybody who has noted a task waits for its work; a runner may take a day. */
const NOTED_FOR = '2 days';

interface ClaimedTask {
  id: string;
  kind: string;
  attempts: number;
  tenant_id: string | null;
  created_by: string | null;
  payload: Record<string, unknown>;
}

/** Works on tasks: claims the row, runs the kind's handler, and writes the result with the row's end. */
@Injectable()
export class TaskRunner {
  private readonly logger = new Logger('Tasks');

  constructor(
    private readonly work: UnitOfWork,
    private readonly kinds: TaskKinds,
    private readonly tasks: Tasks,
    private readonly jobs: Jobs,
  ) {}

  @HandlesJob(RunTaskJob)
  async run({ taskId }: { taskId: string }, { lastAttempt }: JobRun): Promise<void> {
    const task = await this.claim(taskId);
    if (task) await this.handle(task, { lastAttempt });
  }

  private async handle(task: ClaimedTask, { lastAttempt }: { lastAttempt: boolean }): Promise<void> {
    const taskId = task.id;
    const kind = this.kinds.find(task.kind);
    if (!kind) throw new Error(`no handler for tasks of kind ${task.kind}`);
    const stop = new AbortController();
    let isEnded = false;
    const heartbeat = setInterval(() => void this.beat(taskId, stop), HEARTBEAT_MS);
    const limit = setTimeout(() => stop.abort(new TimeLimit()), kind.timeLimitMs);
    try {
      const handled = kind.handle({
        id: task.id,
        tenantId: task.tenant_id,
        createdBy: task.created_by,
        payload: task.payload,
        signal: stop.signal,
        progress: (done, total, message) => this.progress(taskId, done, total, message),
        complete: async (result) => {
          if (!(await this.tasks.complete(taskId, result))) throw new Aborted();
          isEnded = true;
        },
      });
      const result = await untilStopped(handled, stop.signal);
      if (!isEnded) await this.tasks.complete(taskId, result);
    } catch (error) {
      await this.failed(taskId, error, { lastAttempt: lastAttempt || task.attempts >= MOST_ATTEMPTS });
    } finally {
      clearInterval(heartbeat);
      clearTimeout(limit);
    }
  }

  /**
   * Works at once, in this process, on a task that was started as urgent: for work that takes no longer than a request may. What does not come to an
   * end here is left to the queue, like any task whose process died.
   */
  async now(taskId: string): Promise<void> {
    try {
      const [task] = await this.work.query<ClaimedTask>(
        `SELECT id, kind, attempts, tenant_id, created_by, payload FROM tasks WHERE id = $1 AND state = 'running'`,
        [taskId],
      );
      if (task) await this.handle(task, { lastAttempt: false });
    } catch (error) {
      this.logger.warn({
        msg: 'could not start a task; it stays in the queue',
        taskId,
        ...describeFailure(error),
      });
      await this.jobs.enqueue(RunTaskJob, { taskId }, { jobId: taskId });
    }
  }

  @HandlesJob(SweepTasksJob)
  async sweep(_payload: object, _run: JobRun): Promise<void> {
    const lost = await this.work.query<{ id: string }>(
      `SELECT id FROM tasks WHERE kind <> 'noted'
         AND ((state = 'pending' AND created_at < now() - interval '${LOST_AFTER}')
           OR (state = 'running' AND seen_at < now() - interval '${LOST_AFTER}'))
       ORDER BY created_at LIMIT 1000`,
    );
    await this.work.query(
      `DELETE FROM tasks WHERE kind = 'noted' AND state = 'pending' AND created_at < now() - interval '${NOTED_FOR}'`,
    );
    // A job that is queued or running still keeps its id, and the task is left alone.
    for (const { id } of lost) await this.jobs.enqueue(RunTaskJob, { taskId: id }, { jobId: id });
  }

  /** The beginning is counted before anything is done: a task that ends its process must not come back for ever. */
  private async claim(taskId: string): Promise<ClaimedTask | undefined> {
    const [task] = await this.work.query<ClaimedTask>(
      `UPDATE tasks SET state = 'running', attempts = attempts + 1, started_at = coalesce(started_at, now()), seen_at = now()
       WHERE id = $1 AND state IN ('pending', 'running') AND attempts < $2
       RETURNING id, kind, attempts, tenant_id, created_by, payload`,
      [taskId, MOST_ATTEMPTS],
    );
    if (!task) await this.giveUp(taskId);
    return task;
  }

  /** Unless somebody may still be working on its last attempt. */
  private async giveUp(taskId: string): Promise<void> {
    const [task] = await this.work.query<{ kind: string }>(
      `UPDATE tasks SET state = 'failed', error = 'INTERNAL_ERROR', finished_at = now()
       WHERE id = $1 AND state = 'running' AND attempts >= $2 AND seen_at < now() - interval '${LOST_AFTER}' RETURNING kind`,
      [taskId, MOST_ATTEMPTS],
    );
    if (task) this.logger.error({ msg: 'task failed after max attempts', taskId, ...task });
  }

  /** Shows that somebody works on it, and hears that it was aborted. */
  private async beat(taskId: string, stop: AbortController): Promise<void> {
    try {
      const rows = await this.work.query<{ id: string }>(
        `UPDATE tasks SET seen_at = now() WHERE id = $1 AND state = 'running' RETURNING id`,
        [taskId],
      );
      if (rows.length === 0) stop.abort(new Aborted());
    } catch (error) {
      this.logger.warn({ msg: 'a task could not be marked as alive', taskId, ...describeFailure(error) });
    }
  }

  private async progress(
    taskId: string,
    done: number,
    total: number | undefined,
    message: string | undefined,
  ): Promise<void> {
    await this.work.query(
      `UPDATE tasks SET done = $2, total = coalesce($3, total), message = coalesce($4, message), seen_at = now() WHERE id = $1 AND state = 'running'`,
      [taskId, done, total ?? null, message ?? null],
    );
  }

  private async failed(
    taskId: string,
    error: unknown,
    { lastAttempt }: { lastAttempt: boolean },
  ): Promise<void> {
    if (error instanceof Aborted) return;
    if (error instanceof AppError) {
      await this.tasks.fail(taskId, error.id);
      return;
    }
    if (lastAttempt)
      await this.tasks.fail(taskId, error instanceof TimeLimit ? 'TIME_LIMIT' : 'INTERNAL_ERROR');
    throw error;
  }
}

class Aborted extends Error {}
class TimeLimit extends Error {}

/** The handler's answer, unless it is stopped first. */
async function untilStopped<T>(handled: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([handled, stopped]);
}
