import { Injectable } from '@nestjs/common';
import { isStorable } from '../../../platform/database/storable-text.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { AccessDecisions, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import type { LinkedInstallation } from '../../vcs/index.js';
import { DriftAwaits, isMistake } from '../drift/drift-problems.rules.js';
import { DriftRuns } from '../drift/drift-runs.js';
import type { ScheduleFields } from '../drift/drift-schedule.rules.js';
import { DriftSchedulesStore, type ScheduleName } from '../drift/drift-schedules.store.js';
import type { DriftScheduleView } from '../dto/overview.dto.js';
import { orchestrationErrors } from '../orchestration.errors.js';
import type { RepositoryPlace } from '../planning/changes.js';
import { RunPlaces } from '../planning/run-places.js';
import { DriftOverviewQueries } from './drift-overview.queries.js';

type AskedSchedule = ScheduleName & ScheduleFields;

/** Looks for drift now, besides what the schedules start. */
@Injectable()
export class DriftStarts {
  constructor(
    private readonly queries: DriftOverviewQueries,
    private readonly places: RunPlaces,
    private readonly runs: DriftRuns,
    private readonly access: AccessDecisions,
    private readonly audit: Audit,
    private readonly clock: Clock,
    private readonly schedules: DriftSchedulesStore,
  ) {}

  mayStart(caller: Principal, { tenantId }: LinkedInstallation): boolean {
    return this.access.may(caller, 'commit', { tenantId });
  }

  /** The schedules of the default branches, with what keeps them from beginning. */
  async listSchedules({ id }: LinkedInstallation): Promise<DriftScheduleView[]> {
    const [schedules, problems] = await Promise.all([
      this.queries.schedules(id),
      this.schedules.listProblems(id),
    ]);
    const problemOf = new Map(
      problems.map(({ repository, name, problem }) => [JSON.stringify([repository, name]), problem]),
    );
    return schedules.map((schedule) => {
      const problem = problemOf.get(JSON.stringify([schedule.repository, schedule.name]));
      return problem === undefined ? schedule : { ...schedule, problem };
    });
  }

  /** Starts what a schedule would start, also outside of its window. Answers the runs. */
  async start(
    caller: Principal,
    installation: LinkedInstallation,
    { repoId, name }: { repoId: string; name: string },
  ): Promise<string[]> {
    const { tenantId } = installation;
    if (!this.mayStart(caller, installation)) throw httpErrors.FORBIDDEN();
    const schedule =
      isStorable(repoId) && isStorable(name)
        ? await this.queries.findSchedule(installation.id, repoId, name)
        : undefined;
    const place =
      schedule &&
      (await this.places.of({ installationId: installation.id, repositoryId: schedule.repositoryId }));
    if (!schedule || !place) throw orchestrationErrors.DRIFT_SCHEDULE_NOT_FOUND();
    const { ids, isReconciling } = await this.begin(place, schedule);
    await this.audit.record({
      actor: caller,
      action: 'drift.start',
      objectType: 'repository',
      objectId: repoId,
      tenantId,
      data: { schedule: name, reconcile: isReconciling, runs: ids },
    });
    return ids;
  }

  /** Where a run has to find something out first, that one is answered, and the schedule begins once it has ended. */
  private async begin(
    place: RepositoryPlace,
    known: AskedSchedule,
  ): Promise<{ ids: string[]; isReconciling: boolean }> {
    const now = this.clock.now();
    try {
      const { schedule, isCurrent, createRuns } = await this.runs.prepare(place, known, now);
      if (!schedule && !isCurrent) throw orchestrationErrors.DRIFT_SCHEDULE_NOT_FOUND();
      return { ids: await createRuns(), isReconciling: schedule?.isReconciling ?? known.isReconciling };
    } catch (error) {
      if (!(error instanceof DriftAwaits)) return refuseMistake(error);
      await this.schedules.ask(known, now);
      return { ids: [error.runId], isReconciling: known.isReconciling };
    }
  }
}

function refuseMistake(error: unknown): never {
  if (isMistake(error))
    throw orchestrationErrors.CONFIGURATION_INVALID(
      `the default branch cannot be looked at: ${error.message}`.slice(0, 2000),
    );
  throw error;
}
