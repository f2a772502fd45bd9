import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../failure.js';
import type { Calls } from './calls.js';

export interface Task {
  id: string;
  state: 'pending' | 'running' | 'completed' | 'failed' | 'aborted';
  error?: string | null;
}

const SHORTEST_MS = 15;
const LONGEST_MS = 1000;
const GROWTH = 1.3;

/** Waits until the task ended well; its failure is thrown. Nobody is asked about one that is known to have ended so. */
export async function completed(
  calls: Calls,
  task: Pick<Task, 'id'> & Partial<Pick<Task, 'state'>>,
  what: string,
  signal?: AbortSignal,
): Promise<void> {
  if (task.state === 'completed') return;
  for (let pause = SHORTEST_MS; ; pause = Math.min(pause * GROWTH, LONGEST_MS)) {
    const { state, error } = await calls.get<Task>(`/api/v1/tasks/${task.id}`, signal);
    switch (state) {
      case 'completed':
        return;
      case 'failed':
        throw new Failure('TASK_FAILED', `${what} failed${error ? `: ${error}` : ''}`);
      case 'aborted':
        throw new Failure('TASK_ABORTED', `${what} was aborted`);
      case 'pending':
      case 'running':
        await delay(pause, undefined, signal ? { signal } : {});
    }
  }
}
