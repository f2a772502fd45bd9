import { ApiError } from './api-error.js';
import { bodyOf } from './connect.js';
import type { Client } from './generated/client/index.js';
import { tasksGet } from './generated/sdk.gen.js';
import type { TaskView } from './generated/types.gen.js';
import { sleep } from './retry.js';

export interface WaitOptions {
  client: Client;
  taskId: string;
  /** milliseconds between two questions (default 1,000) */
  intervalMs?: number;
  /** milliseconds until `TIMEOUT` is thrown (default: none) */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** called with every answer, for progress */
  onProgress?: (task: TaskView) => void;
}

/** The task when it is completed. One that failed or was aborted throws an `ApiError` with the task's own error id. */
export async function waitForTask(options: WaitOptions): Promise<TaskView> {
  const { client, taskId, intervalMs = 1000, timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const task = await bodyOf(tasksGet({ client, path: { taskId }, ...(signal ? { signal } : {}) }));
    options.onProgress?.(task);
    if (task.state === 'completed') return task;
    if (task.state === 'failed' || task.state === 'aborted')
      throw new ApiError(`the task has ${task.state === 'failed' ? 'failed' : 'been aborted'}`, {
        status: 0,
        id: task.error ?? `TASK_${task.state.toUpperCase()}`,
        body: task,
      });
    if (Date.now() + intervalMs > deadline)
      throw new ApiError('the task did not end in time', { status: 0, id: 'TIMEOUT', body: task });
    await sleep(intervalMs, signal);
  }
}
