import { Injectable, Logger } from '@nestjs/common';
import { AppError } from '../../../platform/errors/index.js';
import { Events } from '../../../platform/events/index.js';
import { HandlesTask, type TaskRun } from '../../tasks/index.js';
import type { InstallationEntity } from '../entities/installation.entity.js';
import { CodeHosts } from '../hosts/code-hosts.js';
import { InstallationQueries } from '../installations/installations.queries.js';
import { RepositoriesFound } from '../repositories-found.event.js';
import { vcsErrors } from '../vcs.errors.js';
import { RepositoriesStore } from './repositories.store.js';
import { RepositorySync } from './repository-sync.service.js';

export const REFRESH_REPOSITORIES = 'vcs-refresh-repositories';
const TIME_LIMIT_MS = 30 * 60_000;
/** So many refusals in a row are of the installation, not of single repositories. */
const MAX_REFUSALS_IN_ROW = 20;

/** Takes over every repository that the provider lists; what it lists no more, and does not have, is removed at the end. */
@Injectable()
export class RefreshRepositories {
  private readonly logger = new Logger('RefreshRepositories');

  constructor(
    private readonly hosts: CodeHosts,
    private readonly installations: InstallationQueries,
    private readonly repositories: RepositoriesStore,
    private readonly sync: RepositorySync,
    private readonly events: Events,
  ) {}

  @HandlesTask(REFRESH_REPOSITORIES, { timeLimitMs: TIME_LIMIT_MS })
  async refresh(run: TaskRun): Promise<unknown> {
    const installation = await this.installations.find(String(run.payload['installation_core_id']));
    if (installation?.tenantId !== run.tenantId || !installation) throw vcsErrors.INSTALLATION_NOT_FOUND();
    const seen: string[] = [];
    let written = 0;
    let pages = 0;
    for await (const page of this.hosts
      .of(installation.provider)
      .listRepositories(installation, run.signal)) {
      run.signal.throwIfAborted();
      written += await this.repositories.record(installation.id, page.items);
      seen.push(...page.items.map(({ providerId }) => providerId));
      pages += 1;
      await run.progress(pages, Math.max(pages, page.pages ?? 0), 'pages of repositories');
    }
    await this.events.publish(new RepositoriesFound(installation.id));
    const { removed, refused } = await this.removeUnseen(installation, seen, run.signal);
    return { repositories: seen.length, written, removed, ...(refused > 0 ? { refused } : {}) };
  }

  /**
   * Pages shift while something disappears from an earlier one, so the provider is asked for each that was not seen. One
   * that the provider refuses to speak of keeps its row, and does not keep the others from being removed.
   */
  private async removeUnseen(
    installation: InstallationEntity,
    seen: readonly string[],
    signal: AbortSignal,
  ): Promise<{ removed: number; refused: number }> {
    let removed = 0;
    let refused = 0;
    let inRow = 0;
    for (const { providerId } of await this.repositories.listUnseen(installation.id, seen)) {
      signal.throwIfAborted();
      try {
        if (!(await this.sync.sync(installation, providerId, signal))) removed += 1;
        inRow = 0;
      } catch (error) {
        inRow += 1;
        if (!isRefusal(error) || inRow >= MAX_REFUSALS_IN_ROW) throw error;
        refused += 1;
        this.logger.warn({
          msg: 'the code host refuses a repository',
          installationId: installation.id,
          providerId,
        });
      }
    }
    return { removed, refused };
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.id === 'PROVIDER_REFUSED';
}
