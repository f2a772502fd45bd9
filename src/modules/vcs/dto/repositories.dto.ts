import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { PageLimit, PageToken } from '../../../platform/http/index.js';
import type { PullRequestState } from '../entities/pull-request.entity.js';

export class ListQuery {
  /** token of the page, from `Link` or `next_page` */
  @PageToken()
  page?: string;

  @PageLimit(20, 100)
  limit?: string;
}

export class ListPullRequestsQuery extends ListQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'only pull requests with this number' })
  @IsOptional()
  @Matches(/^[1-9]\d{0,8}$/, { message: 'pr must be a whole number from 1' })
  pr?: string;
}

export class RepositoryView {
  /** the provider's own id */
  id: string;
  /** the provider's own id */
  installation_id: string;
  /** without the owner */
  name: string;
  /** whether the workflow or pipeline file and the configuration were seen on the default branch */
  setup: boolean;
  updated_at: string;
}

export class RepositoryListView {
  /** one page, by name */
  repositories: RepositoryView[];
  /** token of the next page; absent at the end */
  next_page?: string;
}

/** What of a repository's setup was found on its default branch. */
export class RepositorySetupView {
  /** the workflow or pipeline file */
  workflow: boolean;
  /** the configuration of this service */
  configuration: boolean;
  /** file that `workflow` is about; absent where runs happen in a pool, which needs none */
  workflow_file?: string;
}

export class PullRequestView {
  /** branch it is merged into */
  base_branch: string;
  /** commit of the base branch it was compared with */
  base_sha: string;
  /** branch with the change */
  branch: string;
  /** newest commit of the change */
  sha: string;
  /** of the repository */
  name: string;
  /** of the repository */
  owner: string;
  /** number that the provider shows */
  pull_number: number;
  /** the provider's id of the repository */
  repository: string;
  state: PullRequestState;
  /** first line, as its author wrote it */
  title?: string;
  /** who opened it */
  user?: string;
  /** absent until it is merged */
  merged_at?: string;
  /** commit that the merge made */
  merged_sha?: string;
  /** when the newest run of it was created */
  latest_work_manifest_run_at?: string;
}

export class PullRequestListView {
  /** one page, newest first */
  pull_requests: PullRequestView[];
  /** token of the next page; absent at the end */
  next_page?: string;
}
