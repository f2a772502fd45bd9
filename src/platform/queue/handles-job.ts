import { SetMetadata } from '@nestjs/common';
import type { Job } from './job.js';

export const HANDLES_JOB = 'platform:handles-job';

/** What a handler may know about the run it is part of. */
export interface JobRun {
  id: string;
  /** 1 for the first try */
  attempt: number;
  lastAttempt: boolean;
}

export type JobHandler<Payload extends object> = (payload: Payload, run: JobRun) => Promise<void>;

/** Marks a provider's method as the one handler of a job. It must be idempotent: a crash makes it run again. */
export function HandlesJob<Payload extends object>(job: Job<Payload>) {
  return <Handler extends JobHandler<Payload>>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Handler>,
  ): void => {
    SetMetadata(HANDLES_JOB, job.name)(target, key, descriptor);
  };
}
