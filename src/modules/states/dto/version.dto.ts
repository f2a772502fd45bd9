import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { PageLimit, PageToken } from '../../../platform/http/index.js';
import type { SubmissionStatus } from '../entities/state-submission.entity.js';
import type { VersionOrigin } from '../entities/state-version.entity.js';

export class PageQuery {
  @PageToken()
  page?: string;
  @PageLimit(100, 1000)
  limit?: string;
}

export class StateVersionView {
  version: number;
  serial: number;
  lineage: string;
  /** bytes */
  size: number;
  origin: VersionOrigin;
  tx_id: string;
  created_at: string;
  created_by?: string;
  created_by_name?: string;
}

export class StateVersionListView {
  results: StateVersionView[];
  next_page?: string;
}

export class VersionDiffQuery {
  @PageLimit(1000, 10_000, 'maximum number of changed instances that are shown with their attributes')
  limit?: string;
}

export class ChangedAttributeView {
  /** `tags.Name`, `ingress[0].from_port` */
  path: string;
  /** absent when there was none, and for a sensitive attribute */
  before?: unknown;
  after?: unknown;
  /** the values are not shown */
  sensitive?: boolean;
}

export class ChangedInstanceView {
  address: string;
  attributes: ChangedAttributeView[];
}

export class VersionDiffView {
  added: string[];
  /** the first by address, as many as `limit` says */
  changed: ChangedInstanceView[];
  /** how many more instances were changed */
  more_changed?: number;
  removed: string[];
  /** names */
  outputs: { added: string[]; changed: string[]; removed: string[] };
}

export class SubmissionConflictView {
  /** instance that both changed; absent for an output, and where the transaction replaced everything */
  address?: string;
  /** name of the output that both changed */
  output?: string;
  tx_id: string;
}

export class SubmissionDiffView extends VersionDiffView {
  /** changes of the writer that overlap with changes of other transactions */
  conflicts: SubmissionConflictView[];
}

export class ListSubmissionsQuery extends PageQuery {
  @IsOptional()
  @IsIn(['refused', 'merged'])
  status?: SubmissionStatus;
}

export class SubmissionView {
  id: string;
  status: SubmissionStatus;
  serial: number;
  created_at: string;
  created_by?: string;
  /** transactions whose changes it overlapped */
  conflicts_with: string[];
  /** version that its writer started from, where that is known */
  base_version?: number;
  /** serial of the version it was merged into */
  resulting_serial?: number;
}

export class ListTenantSubmissionsQuery extends ListSubmissionsQuery {
  /** ISO 8601, inclusive; a bare date is the beginning of its day in UTC */
  @IsOptional()
  @IsString()
  from?: string;
  /** ISO 8601, inclusive; a bare date is the end of its day in UTC */
  @IsOptional()
  @IsString()
  to?: string;
}

export class TenantSubmissionView extends SubmissionView {
  state_id: string;
  state_name: string;
  created_by_name?: string;
}

export class TenantSubmissionListView {
  results: TenantSubmissionView[];
  next_page?: string;
}

export class AcceptSubmissionBody {
  /** version that the writer started from; may be left out where the submission says it */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(2147483647)
  base_version?: number;
}

export class SubmissionListView {
  results: SubmissionView[];
  next_page?: string;
}
