import { SetMetadata } from '@nestjs/common';

export const HANDLES_TASK = 'tasks:handles';

/** One attempt at a task, as its handler sees it. */
export interface TaskRun {
  readonly id: string;
  readonly tenantId: string | null;
  readonly createdBy: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  /** aborted by somebody, or over its time */
  readonly signal: AbortSignal;
  readonly progress: (done: number, total?: number, message?: string) => Promise<void>;
  /**
   * Ends the task within the caller's database transaction, instead of after it with what the handler answers: what is
   * done there stands only when the task still goes on. Throws when it was aborted or has failed meanwhile. Not for REPEATABLE
   * READ: signs of life change the row.
   */
  readonly complete: (result?: unknown) => Promise<void>;
}

export interface TaskKindOptions {
  /** an attempt that takes longer has failed */
  timeLimitMs: number;
}

/** Answers the task's result (any JSON), or undefined for none. */
export type TaskHandler = (run: TaskRun) => Promise<unknown>;

/**
 * Marks a provider's method as the one handler of a kind of task. It must be idempotent: a crash makes it run again. An
 * AppError it throws fails the task for good, anything else is tried again.
 */
export function HandlesTask(kind: string, options: TaskKindOptions) {
  return (target: object, key: string, descriptor: TypedPropertyDescriptor<TaskHandler>): void => {
    SetMetadata(HANDLES_TASK, { kind, ...options })(target, key, descriptor);
  };
}
