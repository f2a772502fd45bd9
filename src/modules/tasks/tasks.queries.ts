import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { AccessDecisions, type Principal } from '../access/index.js';
import { taskErrors } from './tasks.errors.js';
import type { TaskState } from './entities/task.entity.js';
import { isUuid } from '../../platform/text/uuid.js';

export interface TaskRow {
  id: string;
  state: TaskState;
  tenant_id: string | null;
  created_by: string | null;
  done: string | null;
  total: string | null;
  message: string | null;
  error: string | null;
  /** it waits for the report of a transaction's runner */
  isStep: boolean;
}

interface Fragment {
  idx: number;
  data: string;
}

/** Tasks as their callers may see them: members of the tenant they work in, and who created them. */
@Injectable()
export class TaskQueries {
  constructor(
    private readonly work: UnitOfWork,
    private readonly access: AccessDecisions,
  ) {}

  async visible(caller: Principal, taskId: string): Promise<TaskRow> {
    const [task] = isUuid(taskId)
      ? await this.work.query<TaskRow>(
          `SELECT id, state, tenant_id, created_by, done, total, message, error,
             kind = 'noted' AND state = 'pending' AND tenant_id IS NOT NULL AS "isStep" FROM tasks WHERE id = $1`,
          [taskId],
        )
      : [];
    if (!task || !this.mayRead(caller, task)) throw taskErrors.TASK_NOT_FOUND();
    return task;
  }

  async count(taskId: string): Promise<number> {
    const [row] = await this.work.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM task_results WHERE task_id = $1',
      [taskId],
    );
    return row?.count ?? 0;
  }

  /** JSON text: one fragment, or all of them, of which one is in memory at a time. */
  async result(taskId: string, idx: number | undefined): Promise<AsyncIterable<string>> {
    const first = await this.fragment(taskId, idx === undefined ? '>= $2' : '= $2', idx ?? 0);
    if (!first) throw taskErrors.TASK_RESULT_NOT_FOUND();
    return this.fragmentsFrom(taskId, first, { isWhole: idx === undefined });
  }

  private async *fragmentsFrom(
    taskId: string,
    first: Fragment,
    { isWhole }: { isWhole: boolean },
  ): AsyncGenerator<string> {
    let fragment: Fragment | undefined = first;
    while (fragment) {
      yield fragment.data;
      fragment = isWhole ? await this.fragment(taskId, '> $2', fragment.idx) : undefined;
    }
  }

  private async fragment(
    taskId: string,
    place: '= $2' | '> $2' | '>= $2',
    idx: number,
  ): Promise<Fragment | undefined> {
    const [row] = await this.work.query<Fragment>(
      `SELECT idx, data FROM task_results WHERE task_id = $1 AND idx ${place} ORDER BY idx LIMIT 1`,
      [taskId, idx],
    );
    return row;
  }

  private mayRead(caller: Principal, task: TaskRow): boolean {
    const isOwn = task.created_by === caller.userId;
    if (task.tenant_id === null) return isOwn;
    // A run is no member by itself; it follows the tasks that it began.
    const isOfRun = isOwn && caller.actsFor !== undefined && caller.tenantIds.includes(task.tenant_id);
    return isOfRun || this.access.isMember(caller, task.tenant_id);
  }
}
