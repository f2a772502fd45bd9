import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { defineJob, HandlesJob, type JobRun } from '../../platform/queue/index.js';
import { SigningKeys } from './signing-keys.js';

const HOUR_MS = 3_600_000;

/** Hourly: a new key when the newest one is as old as configured. */
export const RotateSigningKeysJob = defineJob('rotate-signing-keys', {
  everyMs: HOUR_MS,
  attempts: 1,
  concurrency: 1,
});

@Injectable()
export class SigningKeyRotation {
  constructor(
    private readonly config: Config,
    private readonly keys: SigningKeys,
  ) {}

  @HandlesJob(RotateSigningKeysJob)
  async rotate(_payload: object, _run: JobRun): Promise<void> {
    const days = this.config.get('SERVICE_SIGNING_KEY_MAX_AGE_DAYS');
    if (days > 0) await this.keys.rotate(days);
  }
}
