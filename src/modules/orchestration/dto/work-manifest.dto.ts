import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { PageLimit, PageToken } from '../../../platform/http/index.js';

const KIND = {
  description: '`drift`, `index`, or the pull request that it belongs to',
  oneOf: [
    { type: 'string' as const, enum: ['drift', 'index'] },
    {
      type: 'object' as const,
      required: ['pull_number'],
      properties: {
        pull_number: { type: 'integer' as const },
        pull_request_title: { type: 'string' as const },
      },
    },
  ],
};
const RUN_TYPES = ['apply', 'build-config', 'build-tree', 'index', 'plan'];

class RecordListQuery {
  /** opaque token of another page */
  @PageToken()
  @MaxLength(4096)
  page?: string;

  /** tag query, such as `repo:infra and state:failure` */
  @IsOptional()
  @IsString()
  q?: string;

  /** time zone of the dates in `q`; UTC when absent */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  tz?: string;

  @PageLimit(20, 100)
  limit?: string;
}

export class ListRunsQuery extends RecordListQuery {
  /** order by creation; `sort:` in `q` goes first, newest first without either */
  @ApiPropertyOptional({ enum: ['asc', 'desc'] })
  @IsOptional()
  @IsIn(['asc', 'desc'])
  d?: 'asc' | 'desc';
}

export class ListOutputsQuery extends RecordListQuery {
  /** true leaves payloads out */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean()
  lite?: boolean;
}

class RunFields {
  /** id of the work manifest */
  id: string;
  /** branch that the change is merged into */
  base_branch: string;
  /** commit of the base branch */
  base_ref: string;
  /** branch of the head */
  branch: string;
  /** commit of the head */
  branch_ref: string;
  created_at: string;
  completed_at?: string;
  /** CI environment */
  environment?: string;
  @ApiProperty(KIND)
  kind: unknown;
  /** owner of the repository */
  owner: string;
  /** name without the owner */
  repo: string;
  /** id of the CI run */
  run_id?: string;
  @ApiProperty({ enum: RUN_TYPES })
  run_type: string;
  /** which directories were asked for */
  tag_query: string;
  /** who started it */
  user?: string;
}

export class DirspaceView extends RunFields {
  /** directory below the repository's root */
  dir: string;
  workspace: string;
  @ApiProperty({ enum: ['aborted', 'failure', 'queued', 'running', 'success', 'unknown'] })
  state: string;
}

export class DirspaceListView {
  /** one page */
  dirspaces: DirspaceView[];
  /** token of the next page; absent on the last one */
  next_page?: string;
}

export class RunDirspaceView {
  /** directory below the repository's root */
  dir: string;
  workspace: string;
  /** absent until it has ended */
  success?: boolean;
}

export class RunErrorView {
  /** why it was aborted, such as `RUN_LOST` */
  id: string;
  /** the same for people */
  data: string;
}

export class WorkManifestView extends RunFields {
  /** the provider's id of the repository */
  repo_id: string;
  @ApiProperty({ enum: ['queued', 'running', 'completed', 'aborted'] })
  state: string;
  /** whether a completed run failed: a directory did not succeed, a hook failed, or a run without directories failed */
  failed: boolean;
  /** what the run plans or applies */
  dirspaces: RunDirspaceView[];
  /** why the run was aborted; absent otherwise */
  error?: RunErrorView;
}

export class WorkManifestListView {
  /** one page */
  work_manifests: WorkManifestView[];
  /** token of the next page; absent on the last one */
  next_page?: string;
}

export class StepScopeView {
  @ApiProperty({ enum: ['dirspace', 'run'] })
  type: string;
  /** directory of the step; absent for the run itself */
  dir?: string;
  workspace?: string;
  /** `hooks` of a run */
  flow?: string;
  /** `pre` or `post` */
  subflow?: string;
}

export class StepOutputView {
  /** order of the report */
  idx: number;
  created_at: string;
  /** such as `tf/plan` or `run` */
  step: string;
  @ApiProperty({ enum: ['success', 'failure'] })
  state: string;
  /** whether a failure of the step lets the run go on */
  ignore_errors: boolean;
  scope: StepScopeView;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'what the step said; absent with lite=true',
  })
  payload?: unknown;
}

export class StepListView {
  /** in the order of the run */
  steps: StepOutputView[];
  /** token of the next page; absent on the last one */
  next_page?: string;
}

export class WorkspaceView {
  /** directory below the repository's root */
  dir: string;
  workspace: string;
}
