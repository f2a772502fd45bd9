import { Injectable } from '@nestjs/common';
import { type Dirspace, taggedDirectory } from '../../repo-config/index.js';
import { directoryMatcher, parseTagQuery } from '../../tag-query/index.js';
import type { DriftScheduleEntity } from '../entities/run-artifact.entities.js';
import type { RepositoryPlace } from '../planning/changes.js';
import { DefaultBranches } from '../planning/default-branches.js';
import { RunCreation } from '../planning/run-creation.js';
import { Holds } from '../runs/holds.store.js';

/** Runs that look whether the infrastructure still is what the default branch says. */
@Injectable()
export class DriftRuns {
  constructor(
    private readonly branches: DefaultBranches,
    private readonly holds: Holds,
    private readonly creation: RunCreation,
  ) {}

  /** Nothing is looked at that a pull request holds: it differs from the default branch by what was applied. */
  async start(
    place: RepositoryPlace,
    schedule: Pick<DriftScheduleEntity, 'name' | 'tagQuery' | 'isReconciling'>,
    now: Date,
  ): Promise<string[]> {
    const branch = await this.branches.read(place);
    if (!branch) return [];
    const matches = directoryMatcher(parseTagQuery(schedule.tagQuery));
    const wanted = branch.dirspaces.filter((dirspace) => matches(taggedDirectory(dirspace)));
    const free = await this.free(place, wanted);
    if (free.length === 0) return [];
    const { repository, installation } = place;
    return this.creation.create(
      branch.config,
      free,
      {
        runType: schedule.isReconciling ? 'apply' : 'plan',
        appliesPlan: schedule.isReconciling,
        trigger: `drift:${schedule.name}:${now.toISOString()}`,
        username: null,
        tagQuery: schedule.tagQuery,
      },
      {
        installationId: installation.id,
        repositoryId: repository.id,
        owner: repository.owner,
        repo: repository.name,
        kind: 'drift',
        pullNumber: null,
        pullTitle: null,
        branch: branch.name,
        branchRef: branch.sha,
        baseBranch: branch.name,
        baseRef: branch.sha,
        trustedStateGroups: branch.stateGroups,
      },
    );
  }

  private async free({ repository }: RepositoryPlace, dirspaces: readonly Dirspace[]): Promise<Dirspace[]> {
    const held = await this.holds.of(repository.id, dirspaces);
    return dirspaces.filter(
      ({ dir, workspace }) => !held.some((hold) => hold.dir === dir && hold.workspace === workspace),
    );
  }
}
