import { Injectable } from '@nestjs/common';
import { isStorable } from '../../../platform/database/storable-text.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { AccessDecisions, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { InvalidRepoConfig } from '../../repo-config/index.js';
import type { LinkedInstallation } from '../../vcs/index.js';
import { DriftRuns } from '../drift/drift-runs.js';
import { orchestrationErrors } from '../orchestration.errors.js';
import { RunPlaces } from '../planning/run-places.js';
import { DriftOverviewQueries } from './drift-overview.queries.js';

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
  ) {}

  mayStart(caller: Principal, { tenantId }: LinkedInstallation): boolean {
    return this.access.may(caller, 'commit', { tenantId });
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
    const ids = await this.runs.start(place, schedule, this.clock.now()).catch(refuseConfiguration);
    await this.audit.record({
      actor: caller,
      action: 'drift.start',
      objectType: 'repository',
      objectId: repoId,
      tenantId,
      data: { schedule: name, reconcile: schedule.isReconciling, runs: ids },
    });
    return ids;
  }
}

function refuseConfiguration(error: unknown): never {
  if (error instanceof InvalidRepoConfig)
    throw orchestrationErrors.CONFIGURATION_INVALID(
      `the configuration of the default branch is not valid: ${error.message}`.slice(0, 2000),
    );
  throw error;
}
