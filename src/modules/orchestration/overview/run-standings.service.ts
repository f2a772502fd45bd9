import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { isUuid } from '../../../platform/text/uuid.js';
import { Clock } from '../../../platform/time/clock.js';
import { AccessDecisions, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import type { LinkedInstallation } from '../../vcs/index.js';
import type { RunDirectoryView, RunStandingView, WaitView } from '../dto/overview.dto.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { orchestrationErrors } from '../orchestration.errors.js';
import { Runs } from '../runs/runs.store.js';
import { RunStandingQueries, type StandingDirectory } from './run-standing.queries.js';
import { waitsFor } from './waiting.rules.js';

/** How far a run is, what it waits for, and its end when somebody cancels it. */
@Injectable()
export class RunStandings {
  constructor(
    private readonly queries: RunStandingQueries,
    private readonly runs: Runs,
    private readonly work: UnitOfWork,
    private readonly access: AccessDecisions,
    private readonly audit: Audit,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async read(caller: Principal, installation: LinkedInstallation, id: string): Promise<RunStandingView> {
    const run = await this.find(installation, id);
    const isUnderWay = run.state === 'queued' || run.state === 'running';
    return {
      place: run.place,
      ...(run.pool === null ? {} : { pool: run.pool }),
      ...(run.runUrl === null ? {} : { run_url: run.runUrl }),
      ...timeOf('dispatched_at', run.dispatchedAt),
      ...timeOf('started_at', run.startedAt),
      ...timeOf('heartbeat_at', run.heartbeatAt),
      ...timeOf('reported_at', run.reportedAt),
      may_cancel: isUnderWay && this.mayCancel(caller, installation),
      waits_for: run.state === 'queued' ? await this.waits(run, installation) : [],
      dirspaces: (await this.queries.directories(run.id)).map(toDirectoryView),
    };
  }

  /**
   * Ends a run. A runner is told so at its next call and stops Terraform; what an apply holds stays held, because nobody
   * knows yet how far it came.
   */
  async cancel(caller: Principal, installation: LinkedInstallation, id: string): Promise<void> {
    if (!this.mayCancel(caller, installation)) throw httpErrors.FORBIDDEN();
    const run = await this.find(installation, id);
    await this.work.run(async () => {
      const data = `${caller.userName} cancelled it`;
      if (!(await this.runs.move(run.id, 'abort', { id: 'CANCELLED', data })))
        throw orchestrationErrors.RUN_ENDED();
      await this.audit.record({
        actor: caller,
        action: 'run.cancel',
        objectType: 'run',
        objectId: run.id,
        tenantId: installation.tenantId,
        data: { repository: `${run.owner}/${run.repo}`, runType: run.runType, pullNumber: run.pullNumber },
      });
    });
  }

  private mayCancel(caller: Principal, { tenantId }: LinkedInstallation): boolean {
    return this.access.may(caller, 'commit', { tenantId });
  }

  private async find(installation: LinkedInstallation, id: string): Promise<WorkManifestEntity> {
    const run = isUuid(id) ? await this.runs.find(id.toLowerCase()) : undefined;
    if (run?.installationId !== installation.id) throw orchestrationErrors.WORK_MANIFEST_NOT_FOUND();
    return run;
  }

  private async waits(run: WorkManifestEntity, { tenantId }: LinkedInstallation): Promise<WaitView[]> {
    const pool = run.pool === null ? undefined : await this.queries.pool(tenantId, run.pool);
    return waitsFor(
      {
        ...run,
        blockers: await this.queries.blockers(run.id),
        busyRuns: await this.queries.busyRuns(run),
        maxRuns: this.config.get('SERVICE_RUNS_PER_INSTALLATION'),
        poolSeenAt: pool?.lastSeenAt,
      },
      this.clock.now(),
    );
  }
}

function timeOf<Name extends string>(name: Name, at: Date | null): Partial<Record<Name, string>> {
  return at === null ? {} : ({ [name]: at.toISOString() } as Record<Name, string>);
}

function toDirectoryView(row: StandingDirectory): RunDirectoryView {
  return {
    dir: row.dir,
    workspace: row.workspace,
    state: row.state,
    ...(row.has_changes === null ? {} : { has_changes: row.has_changes }),
    ...(row.summary === null ? {} : { summary: row.summary }),
    ...(row.transaction_id === null ? {} : { transaction_id: row.transaction_id }),
    ...(row.state_id === null ? {} : { state_id: row.state_id }),
  };
}
