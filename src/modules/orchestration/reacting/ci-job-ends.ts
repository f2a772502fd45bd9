import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type CodeEvents, CodeHosts, HandlesCodeEvent } from '../../vcs/index.js';
import { Runs } from '../runs/runs.store.js';

/** A code host says that a job has ended shortly before its whole CI run is completed. */
const TRIES = 3;
const PAUSE_MS = 1_000;

/** Ends the runs behind CI jobs that did not succeed. */
@Injectable()
export class CiJobEnds {
  constructor(
    private readonly runs: Runs,
    private readonly hosts: CodeHosts,
  ) {}

  /** A job that was cancelled or skipped may be another one of the same CI run: that ends nothing while others go on. */
  @HandlesCodeEvent('ci-job-ended')
  async jobEnded(event: CodeEvents['ci-job-ended']): Promise<void> {
    const { repository, runId, end } = event;
    if (end !== 'failed') {
      if (!(await this.runs.hasRunOfJob(repository.id, runId, end))) return;
      if (!(await this.isCompleted(event))) return;
    }
    await this.runs.endOfJob(repository.id, runId, end);
  }

  private async isCompleted({
    installation,
    repository,
    runId,
  }: CodeEvents['ci-job-ended']): Promise<boolean> {
    for (let tries = 1; ; tries += 1) {
      const host = this.hosts.of(installation.provider);
      const ciRun = await host.findRun({ installation, repository }, runId);
      if (ciRun === undefined || ciRun.state === 'completed') return ciRun !== undefined;
      if (tries >= TRIES) return false;
      await delay(PAUSE_MS * tries);
    }
  }
}
