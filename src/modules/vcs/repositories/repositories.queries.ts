import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { PullRequestView, RepositoryView } from '../dto/repositories.dto.js';
import type { LinkedInstallation } from '../installations/installation.guard.js';
import { decodePosition, type KeysetPage, keysetPage, type PagePosition } from './keyset-page.js';

interface RepositoryRow {
  id: string;
  provider_id: string;
  name: string;
  setup: boolean;
  updated_at: Date;
}

interface PullRequestRow {
  id: string;
  number: number;
  title: string | null;
  username: string | null;
  branch: string;
  sha: string;
  base_branch: string;
  base_sha: string;
  state: PullRequestView['state'];
  merged_at: Date | null;
  merged_sha: string | null;
  latest_work_manifest_run_at: Date | null;
  owner: string;
  repository_name: string;
  provider_id: string;
}

const REPOSITORIES = 'repositories';
const PULL_REQUESTS = 'pull requests';

/** Pages of an installation's repositories and pull requests; both read one index range. */
@Injectable()
export class RepositoryQueries {
  constructor(private readonly work: UnitOfWork) {}

  async listRepositories(
    installation: LinkedInstallation,
    page: string | undefined,
    limit: number,
  ): Promise<KeysetPage<RepositoryView>> {
    const position = decodePosition(page, REPOSITORIES, ['text', 'uuid']);
    const { comparison, order } = sqlOf(position, { next: ['>', 'ASC'], prev: ['<', 'DESC'] });
    const rows = await this.work.query<RepositoryRow>(
      `SELECT id, provider_id, name, has_workflow AND has_configuration AS setup, updated_at
         FROM repositories
        WHERE installation_id = $1 ${position ? `AND (name, id) ${comparison} ($3, $4::uuid)` : ''}
        ORDER BY name ${order}, id ${order} LIMIT $2`,
      [installation.id, limit + 1, ...(position?.keys ?? [])],
    );
    const found = keysetPage(rows, limit, {
      list: REPOSITORIES,
      position,
      keysOf: ({ name, id }) => [name, id],
    });
    return {
      ...found,
      rows: found.rows.map(({ provider_id, name, setup, updated_at }) => ({
        id: provider_id,
        installation_id: installation.installationId,
        name,
        setup,
        updated_at: updated_at.toISOString(),
      })),
    };
  }

  /** Newest numbers first; `number` narrows the list to pull requests with that number. */
  async listPullRequests(
    installation: LinkedInstallation,
    { page, limit, number }: { page: string | undefined; limit: number; number: number | undefined },
  ): Promise<KeysetPage<PullRequestView>> {
    const position = decodePosition(page, PULL_REQUESTS, ['integer', 'uuid']);
    const { comparison, order, opposite } = sqlOf(position, { next: ['<', 'DESC'], prev: ['>', 'ASC'] });
    // Numbers descend and ids ascend, so the comparison is spelled out.
    const after = position
      ? `AND (p.number ${comparison} $4 OR (p.number = $4 AND p.id ${opposite} $5::uuid))
         AND p.number ${comparison}= $4`
      : '';
    const rows = await this.work.query<PullRequestRow>(
      `SELECT p.id, p.number, p.title, p.username, p.branch, p.sha, p.base_branch, p.base_sha, p.state, p.merged_at,
              p.merged_sha, p.latest_work_manifest_run_at, r.owner, r.name AS repository_name, r.provider_id
         FROM pull_requests p JOIN repositories r ON r.id = p.repository_id
        WHERE p.installation_id = $1 AND ($3::integer IS NULL OR p.number = $3) ${after}
        ORDER BY p.number ${order}, p.id ${order === 'DESC' ? 'ASC' : 'DESC'} LIMIT $2`,
      [installation.id, limit + 1, number ?? null, ...(position?.keys ?? [])],
    );
    const found = keysetPage(rows, limit, {
      list: PULL_REQUESTS,
      position,
      keysOf: (row) => [row.number, row.id],
    });
    return { ...found, rows: found.rows.map(toPullRequestView) };
  }
}

function toPullRequestView(row: PullRequestRow): PullRequestView {
  const { title, username, merged_at, merged_sha, latest_work_manifest_run_at } = row;
  return {
    base_branch: row.base_branch,
    base_sha: row.base_sha,
    branch: row.branch,
    sha: row.sha,
    name: row.repository_name,
    owner: row.owner,
    pull_number: row.number,
    repository: row.provider_id,
    state: row.state,
    ...(title === null ? {} : { title }),
    ...(username === null ? {} : { user: username }),
    ...(merged_at === null ? {} : { merged_at: merged_at.toISOString() }),
    ...(merged_sha === null ? {} : { merged_sha }),
    ...(latest_work_manifest_run_at === null
      ? {}
      : { latest_work_manifest_run_at: latest_work_manifest_run_at.toISOString() }),
  };
}

/** `opposite` compares a key that runs against the first one. */
function sqlOf(
  position: PagePosition | undefined,
  words: Record<'next' | 'prev', readonly ['<' | '>', 'ASC' | 'DESC']>,
): { comparison: '<' | '>'; opposite: '<' | '>'; order: 'ASC' | 'DESC' } {
  const [comparison, order] = words[position?.direction ?? 'next'];
  return { comparison, opposite: comparison === '<' ? '>' : '<', order };
}
