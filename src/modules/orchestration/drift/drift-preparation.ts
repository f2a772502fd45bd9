import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { ArtifactKind } from '../entities/commit-artifact.entity.js';
import type { WorkManifestState } from '../entities/work-manifest.entity.js';
import type { RepositoryPlace } from '../planning/changes.js';
import type { DefaultBranch } from '../planning/default-branches.js';
import { RunCreation } from '../planning/run-creation.js';
import { DriftAwaits, DriftPreparationFailed } from './drift-problems.rules.js';

/** A run that failed is made again after so long; a newer commit gets one of its own at once. */
const REPEAT_AFTER_MS = 6 * 3_600_000;
/** What a run of an older commit found out is stored when it is reported. */
const REPORTED_WITHIN_MS = 10 * 60_000;
const NAMES = {
  'build-config': 'the command of config_builder',
  index: 'the index of the repository',
} as const satisfies Record<ArtifactKind, string>;

interface ArtifactRun {
  id: string;
  state: WorkManifestState;
  errorId: string | null;
  completedAt: Date | null;
  reportedAt: Date | null;
}

/** Runs that find something out about the head of the default branch before it is looked at. */
@Injectable()
export class DriftPreparation {
  constructor(
    private readonly work: UnitOfWork,
    private readonly creation: RunCreation,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes the run of the commit unless there is one, or one of an older commit is under way: pushes that come faster
   * than runs end would start one after the other. Always throws: `DriftAwaits` while it is under way,
   * `DriftPreparationFailed` once it has failed.
   */
  async request(place: RepositoryPlace, branch: DefaultBranch, kind: ArtifactKind): Promise<never> {
    const last = await this.findRun(place.repository.id, branch, kind);
    const isUnderWay = last && (last.reportedAt === null || !last.completedAt);
    if (isUnderWay) throw new DriftAwaits(last.id);
    if (last?.completedAt) {
      const retryAt = new Date(last.completedAt.getTime() + REPEAT_AFTER_MS);
      const reason = last.errorId === null ? '' : ` (${last.errorId})`;
      if (this.clock.now() < retryAt)
        throw new DriftPreparationFailed(`${NAMES[kind]} failed in the run ${last.id}${reason}`, retryAt);
    }
    const older = await this.findUnderWay(place.repository.id, branch.name, kind);
    if (older) throw new DriftAwaits(older.id);
    const created = await this.creation.forDefaultBranch(place, branch, {
      kind,
      trigger: `drift:${last?.id ?? 'first'}`,
    });
    const id = created ?? (await this.findRun(place.repository.id, branch, kind))?.id;
    throw new DriftAwaits(id ?? 'of another worker');
  }

  /** Of whatever commit of the default branch. One that nobody could report of is not waited for without end. */
  private async findUnderWay(
    repositoryId: string,
    branch: string,
    kind: ArtifactKind,
  ): Promise<{ id: string } | undefined> {
    const [run] = await this.work.query<{ id: string }>(
      `SELECT id FROM work_manifests
        WHERE repository_id = $1 AND pull_number IS NULL AND run_type = $2 AND branch = $3
          AND (completed_at IS NULL OR reported_at IS NULL AND completed_at > $4)
        ORDER BY created_at DESC, id DESC LIMIT 1`,
      [repositoryId, kind, branch, new Date(this.clock.now().getTime() - REPORTED_WITHIN_MS)],
    );
    return run;
  }

  /** What was found out for another branch with the same head is not of this one. */
  private async findRun(
    repositoryId: string,
    { sha, name }: Pick<DefaultBranch, 'sha' | 'name'>,
    kind: ArtifactKind,
  ): Promise<ArtifactRun | undefined> {
    const [run] = await this.work.query<ArtifactRun>(
      `SELECT id, state, error_id AS "errorId", completed_at AS "completedAt", reported_at AS "reportedAt"
         FROM work_manifests
        WHERE repository_id = $1 AND pull_number IS NULL AND run_type = $2 AND branch_ref = $3 AND base_branch = $4
        ORDER BY created_at DESC, id DESC LIMIT 1`,
      [repositoryId, kind, sha, name],
    );
    return run;
  }
}
