import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TrialJob, TrialRepository } from './trial-repository.js';

const POLL_MS = 200;

/** Plays the CI: does the runs that the service starts, as the workflow file does. */
export class TrialCi {
  /** by repository, then by id of the run */
  private readonly outputs = new Map<TrialRepository, Map<string, string>>();
  private readonly children = new Set<ChildProcess>();
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly repositories: readonly TrialRepository[],
    /** script of the client */
    private readonly client: string,
    private readonly report: (line: string) => void,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      for (const repository of this.repositories)
        for (const job of repository.jobs())
          if (this.outputOf(repository, job.runId) === undefined) void this.execute(repository, job);
    }, POLL_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    for (const child of this.children) child.kill('SIGTERM');
  }

  /** What a job has printed so far; undefined: there is no such job. */
  outputOf(repository: TrialRepository, runId: string): string | undefined {
    return this.outputs.get(repository)?.get(runId);
  }

  private async execute(repository: TrialRepository, job: TrialJob): Promise<void> {
    const { git, workflowFile, path } = repository;
    this.write(repository, job, '');
    const isRun = git.file(job.ref, workflowFile)?.toString().includes('infrastate run') === true;
    this.report(`CI job ${job.runId} of ${path}, branch ${job.ref}: started`);
    const code = isRun ? await this.runClient(repository, job) : 1;
    if (!isRun) this.write(repository, job, `${workflowFile} does not run "infrastate run"\n`);
    job.end(code === 0);
    this.report(`CI job ${job.runId}: exit code ${code}`);
    if (code === 0 || job.isCancelled()) return;
    try {
      await repository.hosted.jobFailed(job.runId);
    } catch (error) {
      this.report(`webhook of the failed job: ${String(error)}`);
    }
  }

  private runClient(repository: TrialRepository, job: TrialJob): Promise<number> {
    const folder = mkdtempSync(join(tmpdir(), 'ci-job-'));
    const { PATH = '', HOME = folder } = process.env;
    const child = spawn(process.execPath, [this.client, 'run'], {
      cwd: folder,
      env: {
        PATH,
        HOME,
        INFRASTATE_WORK_TOKEN: job.inputs['work_token'] ?? '',
        INFRASTATE_API_BASE: job.inputs['api_base_url'] ?? '',
        ...job.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.children.add(child);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => this.write(repository, job, text));
    const cancelled = setInterval(() => {
      if (job.isCancelled()) child.kill('SIGTERM');
    }, 1000);
    return new Promise((resolve) => {
      child.once('close', (code) => {
        clearInterval(cancelled);
        this.children.delete(child);
        rmSync(folder, { recursive: true, force: true });
        resolve(code ?? 1);
      });
    });
  }

  private write(repository: TrialRepository, { runId }: TrialJob, text: string): void {
    const outputs = this.outputs.get(repository) ?? new Map<string, string>();
    this.outputs.set(repository, outputs.set(runId, (outputs.get(runId) ?? '') + text));
  }
}
