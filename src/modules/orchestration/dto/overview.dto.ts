import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { PageLimit, PageToken } from '../../../platform/http/index.js';
import type { PullRequestState } from '../../vcs/index.js';
import { SummaryBody } from './runner.dto.js';

export const WAIT_REASONS = ['turn', 'directory', 'limit', 'retry', 'pool', 'dispatch', 'runner'] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];
export const HOLD_REASONS = ['applying', 'applied', 'failed'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];
export const DRIFT_STATES = ['drifted', 'clean', 'failed', 'looking', 'unknown'] as const;
export type DriftState = (typeof DRIFT_STATES)[number];

export class WaitView {
  @ApiProperty({ enum: WAIT_REASONS, description: 'what the run waits for' })
  reason: WaitReason;
  /** the same for people */
  text: string;
  /** run that stands in the way */
  work_manifest_id?: string;
}

export class RunDirectoryView {
  /** directory below the repository's root */
  dir: string;
  workspace: string;
  @ApiProperty({ enum: ['aborted', 'failure', 'queued', 'running', 'success', 'unknown'] })
  state: string;
  /** whether the plan had changes; absent until it is known */
  has_changes?: boolean;
  /** how many resources are added, changed and destroyed */
  summary?: SummaryBody;
  /** transaction of the plan, or of the session that an apply wrote into */
  transaction_id?: string;
  /** state of this service that the directory uses */
  state_id?: string;
}

/** How far a run is, besides what lists show of it. */
export class RunStandingView {
  @ApiProperty({ enum: ['ci', 'pool'], description: 'where it runs' })
  place: string;
  /** name of the pool */
  pool?: string;
  /** address of the CI run */
  run_url?: string;
  /** when it was sent to its place */
  dispatched_at?: string;
  /** when a runner took it */
  started_at?: string;
  /** last sign of the runner */
  heartbeat_at?: string;
  /** when comment and statuses stood at the provider */
  reported_at?: string;
  /** whether the caller may cancel it now */
  may_cancel: boolean;
  /** empty unless the run is queued */
  waits_for: WaitView[];
  /** what the run plans or applies, in its order */
  dirspaces: RunDirectoryView[];
}

export class DirectoryRunView {
  /** the run */
  work_manifest_id: string;
  @ApiProperty({ enum: ['aborted', 'failure', 'queued', 'running', 'success', 'unknown'] })
  state: string;
  /** whether a hook of the run failed, so that its plan cannot be applied, or something failed after its apply */
  hooks_failed: boolean;
  /** absent until it is known */
  has_changes?: boolean;
  /** how many resources are added, changed and destroyed */
  summary?: SummaryBody;
  /** its transaction in this service */
  transaction_id?: string;
  created_at: string;
}

export class PullRequestDirectoryView {
  /** directory below the repository's root */
  dir: string;
  workspace: string;
  /** newest plan for the newest commit and the base branch */
  plan?: DirectoryRunView;
  /** newest apply for the newest commit and the base branch */
  apply?: DirectoryRunView;
  /** since the plan, another pull request has applied there, or was merged after its apply: the plan counts no more */
  is_overtaken: boolean;
  /** whether an apply would take the newest plan, as far as the records of this service say; the code host is not asked */
  is_applicable: boolean;
}

export class HoldView {
  /** directory below the repository's root */
  dir: string;
  workspace: string;
  /** pull request that holds it; absent: a run that reconciles drift does */
  pull_number?: number;
  /** who began the apply */
  user?: string;
  created_at: string;
  @ApiProperty({
    enum: HOLD_REASONS,
    description:
      '`applying`: an apply is under way; `applied`: it waits for the merge; `failed`: an apply failed or was aborted',
  })
  reason: HoldReason;
  /** newest apply of that pull request there, or the run that reconciles drift */
  work_manifest_id?: string;
}

export class GateView {
  /** what `gate approve` names */
  token: string;
  name?: string;
  /** users, `team:<slug>` or `role:<level>` who must all approve */
  all_of: string[];
  /** people and groups, some of whom must approve */
  any_of: string[];
  /** how many of `any_of` must approve */
  any_of_count: number;
  /** names at the provider */
  approvals: string[];
}

export class PlanDescriptionView {
  /** directory below the repository's root */
  dir: string;
  workspace: string;
  /** such as `Monthly cost` */
  title: string;
  /** one line of text */
  text: string;
}

export class ConfigurationMistakeView {
  /** absent for a mistake that is in no single place, such as a cycle of `depends_on` */
  file?: string;
  /** counts from one */
  line?: number;
  /** key of the configuration, such as `dirs.network.tags` */
  key?: string;
  /** what is wrong */
  message: string;
}

export class PullRequestOverviewView {
  /** the provider's id of the repository */
  repository: string;
  /** who owns the repository: a user, an organization or a group */
  owner: string;
  /** of the repository */
  name: string;
  /** number that the provider shows */
  pull_number: number;
  /** first line, as its author wrote it */
  title?: string;
  /** who opened it */
  user?: string;
  state: PullRequestState;
  /** whether it is not ready for review */
  is_draft: boolean;
  /** the head lies in another repository: nothing is run for it */
  is_fork: boolean;
  /** branch with the change */
  branch: string;
  /** branch that it is to be merged into */
  base_branch: string;
  /** newest commit of the change */
  sha: string;
  /** absent unless it is merged */
  merged_at?: string;
  /** address at the provider */
  url: string;
  /** why nothing can be planned for the newest commit; empty: the configuration can be used */
  mistakes: ConfigurationMistakeView[];
  /** newest plan and apply of each directory for the newest commit */
  directories: PullRequestDirectoryView[];
  /** what the pull request holds, and what others hold in its directories */
  holds: HoldView[];
  /** whether the caller may release what a drift run left held */
  may_release: boolean;
  /** approvals that hooks asked for, of the newest commit */
  gates: GateView[];
  /** what costs and security say of the newest plans */
  descriptions: PlanDescriptionView[];
}

export class ListDriftQuery {
  /** token of the page, from `Link` or `next_page` */
  @PageToken()
  page?: string;

  @PageLimit(20, 100)
  limit?: string;

  /** only directories in this state */
  @IsOptional()
  @IsIn(DRIFT_STATES)
  state?: DriftState;

  /** only the repository of this name, without the owner */
  @IsOptional()
  @IsString()
  @MaxLength(300)
  repo?: string;
}

export class DriftHoldView {
  /** pull request that holds the directory; absent: a run that reconciles drift does */
  pull_number?: number;
  /** since when */
  created_at: string;
  @ApiProperty({
    enum: HOLD_REASONS,
    description:
      '`applying`: an apply is under way; `applied`: it waits for the merge; `failed`: an apply failed or was aborted',
  })
  reason: HoldReason;
  /** newest apply of that pull request there, or the run that reconciles drift */
  work_manifest_id?: string;
}

export class DriftView {
  /** the provider's id of the repository */
  repository: string;
  /** who owns the repository: a user, an organization or a group */
  owner: string;
  /** of the repository */
  name: string;
  /** directory below the repository's root */
  dir: string;
  workspace: string;
  @ApiProperty({
    enum: DRIFT_STATES,
    description:
      '`drifted`: the last look found differences; `failed`: it failed; `looking`: the first look is under way',
  })
  state: DriftState;
  /** newest run that ended, else the one under way */
  work_manifest_id: string;
  /** when the last look ended */
  looked_at?: string;
  /** since when every look found differences */
  drifted_since?: string;
  /** how many resources differ */
  summary?: SummaryBody;
  /** transaction of the last look, with the resources that differ */
  transaction_id?: string;
  /** state of this service that the directory uses */
  state_id?: string;
  /** pull request that holds the directory: nothing looks at it meanwhile */
  held_by?: number;
  /** what holds the directory; absent: nothing does */
  hold?: DriftHoldView;
  /** issues about drift at the provider */
  issues_url: string;
}

export class DriftListView {
  /** one page, by repository, directory and workspace */
  drift: DriftView[];
  /** whether the caller may release what a drift run left held */
  may_release: boolean;
  /** token of the next page; absent at the end */
  next_page?: string;
}

export class DriftScheduleView {
  /** the provider's id of the repository */
  repository: string;
  /** who owns the repository: a user, an organization or a group */
  owner: string;
  /** of the repository */
  repository_name: string;
  /** of the schedule */
  name: string;
  @ApiProperty({ enum: ['hourly', 'daily', 'weekly', 'monthly'], description: 'how often' })
  schedule: string;
  /** which directories; empty for all */
  tag_query: string;
  /** whether differences are applied */
  reconcile: boolean;
  /** UTC, `HH:MM` */
  window_start?: string;
  /** UTC, `HH:MM` */
  window_end?: string;
  /** when it starts its runs next */
  next_at: string;
  /** when it last did */
  last_at?: string;
  /** why it could not start, what it waits for, or why its default branch cannot be read; tried again by itself */
  problem?: string;
}

export class DriftScheduleListView {
  /** by repository and name */
  schedules: DriftScheduleView[];
  /** whether the caller may start one now */
  may_start: boolean;
}

export class ReleasedHoldsView {
  /** directories that were released; none when nothing was held */
  dirspaces: ReleasedDirectoryView[];
}

export class ReleasedDirectoryView {
  /** directory below the repository's root */
  dir: string;
  workspace: string;
}

export class StartedDriftView {
  /** the runs; none when no directory matches or pull requests hold all of them */
  work_manifest_ids: string[];
}
