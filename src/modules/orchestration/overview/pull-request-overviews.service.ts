import { Injectable } from '@nestjs/common';
import { isStorable } from '../../../platform/database/storable-text.js';
import { PlanDescribers, TransactionQueries } from '../../transactions/index.js';
import type { Principal } from '../../access/index.js';
import { type DirspaceKey, dirspaceKey } from '../../repo-config/index.js';
import type { LinkedInstallation } from '../../vcs/index.js';
import type { PlanDescriptionView, PullRequestOverviewView } from '../dto/overview.dto.js';
import { orchestrationErrors } from '../orchestration.errors.js';
import { ConfigurationMistakes } from '../runs/configuration-mistakes.store.js';
import { Gates } from '../runs/gates.store.js';
import { Holds } from '../runs/holds.store.js';
import { isApplicable, type PlannedHead, RunProgress } from '../runs/run-progress.queries.js';
import { DriftReleases } from './drift-releases.service.js';
import { type DirectoryRunRow, PullRequestOverviewQueries } from './pull-request-overview.queries.js';
import { toPullRequestOverview } from './pull-request-overview.view.js';

/** Plans that are described; the pages of the runs have all of them. */
const MAX_DESCRIBED = 50;

/** A pull request as the records of this service have it; the provider is not asked. */
@Injectable()
export class PullRequestOverviews {
  constructor(
    private readonly queries: PullRequestOverviewQueries,
    private readonly mistakes: ConfigurationMistakes,
    private readonly gates: Gates,
    private readonly describers: PlanDescribers,
    private readonly transactions: TransactionQueries,
    private readonly releases: DriftReleases,
    private readonly progress: RunProgress,
    private readonly runHolds: Holds,
  ) {}

  async read(
    caller: Principal,
    installation: LinkedInstallation,
    { repoId, pullNumber }: { repoId: string; pullNumber: string },
  ): Promise<PullRequestOverviewView> {
    const isPossible = /^[1-9]\d{0,8}$/.test(pullNumber) && isStorable(repoId);
    const found = isPossible
      ? await this.queries.find(installation.id, repoId, Number(pullNumber))
      : undefined;
    if (!found) throw orchestrationErrors.PULL_REQUEST_NOT_FOUND();
    const { repository_id: repositoryId, number, sha, base_branch: baseBranch } = found;
    const runs = await this.queries.runs(found);
    const commit = { repositoryId, pullNumber: number, sha };
    return toPullRequestOverview(found, installation.provider, {
      mistakes: await this.mistakes.list(commit),
      runs,
      applicable: await this.applicable({ ...commit, baseBranch }),
      holds: await this.queries.holds(found),
      mayRelease: this.releases.mayRelease(caller, installation),
      gates: await this.gates.list(commit),
      descriptions: await this.describe(runs, installation.tenantId),
    });
  }

  /** Dirspaces that an apply would take, as `ApplyCommand` decides. */
  private async applicable(head: PlannedHead): Promise<ReadonlySet<DirspaceKey>> {
    const givenUp = new Set((await this.runHolds.givenUp(head)).map(dirspaceKey));
    const found = [...(await this.progress.of(head))].filter(
      ([key, progress]) => isApplicable(progress) && !givenUp.has(key),
    );
    return new Set(found.map(([key]) => key));
  }

  private async describe(runs: readonly DirectoryRunRow[], tenantId: string): Promise<PlanDescriptionView[]> {
    const descriptions: PlanDescriptionView[] = [];
    const planned = runs.filter(({ run_type, state }) => run_type === 'plan' && state === 'success');
    for (const { dir, workspace, transaction_id: txId } of planned.slice(0, MAX_DESCRIBED)) {
      if (txId === null || !(await this.transactions.isOfTenant(txId, tenantId))) continue;
      for (const [, describer] of this.describers.all) {
        const { text } = await describer.describePlan(txId);
        if (text !== undefined) descriptions.push({ dir, workspace, title: describer.title, text });
      }
    }
    return descriptions;
  }
}
