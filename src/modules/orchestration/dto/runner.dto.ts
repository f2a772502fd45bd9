import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { GATE_LIMITS } from '../../repo-config/index.js';

const MAX_SEQ = 1_000_000_000;

export class RunnerBody {
  /** name of the machine */
  @IsOptional()
  @IsString()
  @MaxLength(200)
  name?: string;
  /** of the client */
  @IsString()
  @MaxLength(64)
  version: string;
  /** version of the runner protocol */
  @IsInt()
  protocol: number;
  /** it checks out with a credential of its CI job, so that `work` names none */
  @IsOptional()
  @IsBoolean()
  has_checkout?: boolean;
}

export class InitiateBody {
  /** id of the CI run */
  @IsString()
  @MaxLength(200)
  run_id: string;
  /** chosen by the runner; the same one again is the same runner */
  @IsString()
  @MaxLength(200)
  nonce: string;
  @IsObject()
  @ValidateNested()
  @Type(() => RunnerBody)
  runner: RunnerBody;
}

export class InitiatedView {
  /** token for the other routes of the runner */
  token: string;
  expires_at: string;
  @ApiProperty({ type: 'integer', description: 'seconds between two heartbeats' })
  heartbeat_seconds: number;
  /** the run that was begun */
  work_manifest_id: string;
}

export class HeartbeatView {
  @ApiProperty({ enum: ['running'] })
  state: string;
  expires_at: string;
}

export class StepScopeBody {
  @IsIn(['dirspace', 'run'])
  type: 'dirspace' | 'run';
  /** directory of the step; absent for the run itself */
  @IsOptional()
  @IsString()
  @MaxLength(4096)
  dir?: string;
  @IsOptional()
  @IsString()
  @MaxLength(4096)
  workspace?: string;
  /** `hooks` */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  flow?: string;
  /** `pre` or `post` */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  subflow?: string;
}

export class StepBody {
  /** number of the report, from 0; a number that is known is ignored */
  @IsInt()
  @Min(0)
  @Max(MAX_SEQ)
  seq: number;
  @IsObject()
  @ValidateNested()
  @Type(() => StepScopeBody)
  scope: StepScopeBody;
  /** such as `tf/plan` or `run` */
  @IsString()
  @MaxLength(64)
  step: string;
  @IsIn(['success', 'failure'])
  state: 'success' | 'failure';
  /** whether the run goes on after a failure */
  @IsOptional()
  @IsBoolean()
  ignore_errors?: boolean;
  /** when its output is shown in the comment */
  @IsOptional()
  @IsIn(['always', 'failure', 'success'])
  visible_on?: string;
  @ApiPropertyOptional({ description: '`code`, `raw`, `markdown` or `{type: code, lang}`' })
  @IsOptional()
  format?: unknown;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'what the step said' })
  @IsObject()
  payload: Record<string, unknown>;
}

export class StepsBody {
  /** steps that began or ended */
  @IsArray()
  @ArrayMaxSize(1000)
  @ValidateNested({ each: true })
  @Type(() => StepBody)
  steps: StepBody[];
}

export class LogChunkBody {
  /** number of the chunk, from 0 */
  @IsInt()
  @Min(0)
  @Max(MAX_SEQ)
  seq: number;
  /** directory that printed it; absent for the run itself */
  @IsOptional()
  @IsString()
  dir?: string;
  @IsOptional()
  @IsString()
  workspace?: string;
  /** printed text, with secrets masked */
  @IsString()
  text: string;
}

export class LogsBody {
  /** in the order they were printed */
  @IsArray()
  @ArrayMaxSize(1000)
  @ValidateNested({ each: true })
  @Type(() => LogChunkBody)
  chunks: LogChunkBody[];
}

export class SummaryBody {
  @IsInt()
  @Min(0)
  @Max(MAX_SEQ)
  add: number;
  @IsInt()
  @Min(0)
  @Max(MAX_SEQ)
  change: number;
  @IsInt()
  @Min(0)
  @Max(MAX_SEQ)
  destroy: number;
}

export class DirspaceResultBody {
  /** directory below the repository's root */
  @IsString()
  dir: string;
  @IsString()
  workspace: string;
  @IsBoolean()
  success: boolean;
  @IsOptional()
  @IsBoolean()
  has_changes?: boolean;
  @IsOptional()
  @ValidateNested()
  @Type(() => SummaryBody)
  summary?: SummaryBody;
  /** transaction of the plan, or of the session that an apply wrote into */
  @IsOptional()
  @IsUUID()
  transaction_id?: string;
  /** transactions that an apply conflicts with */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @IsUUID(undefined, { each: true })
  conflicts_with?: string[];
}

export class GateBody {
  /** what `gate approve` names */
  @IsString()
  @MaxLength(GATE_LIMITS.textLength)
  token: string;
  @IsOptional()
  @IsString()
  @MaxLength(GATE_LIMITS.textLength)
  name?: string;
  /** users, `team:<slug>` or `role:<level>` who must all approve */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(GATE_LIMITS.people)
  @IsString({ each: true })
  @MaxLength(GATE_LIMITS.personLength, { each: true })
  all_of?: string[];
  /** people and groups, some of whom must approve */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(GATE_LIMITS.people)
  @IsString({ each: true })
  @MaxLength(GATE_LIMITS.personLength, { each: true })
  any_of?: string[];
  /** how many of `any_of` must approve */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(GATE_LIMITS.count)
  any_of_count?: number;
  /** people who are asked for a review */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(GATE_LIMITS.people)
  @IsString({ each: true })
  @MaxLength(GATE_LIMITS.personLength, { each: true })
  add_reviewers?: string[];
}

export class ResultsBody {
  @IsBoolean()
  success: boolean;
  /** how each of them ended */
  @IsArray()
  @ArrayMaxSize(10_000)
  @ValidateNested({ each: true })
  @Type(() => DirspaceResultBody)
  dirspaces: DirspaceResultBody[];
  /** approvals that hooks ask for before an apply */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  @Type(() => GateBody)
  gates?: GateBody[];
}

export class ResultsView {
  @ApiProperty({ enum: ['completed'] })
  state: string;
}

export class ClaimBody {
  /** how long to wait for work */
  @IsInt()
  @Min(0)
  @Max(30)
  wait_seconds: number;
  @IsObject()
  @ValidateNested()
  @Type(() => RunnerBody)
  runner: RunnerBody;
}

export class ClaimedView {
  /** token for `initiate`, which works once */
  work_token: string;
  api_base_url: string;
}

export class CreatePoolBody {
  @IsString()
  @MaxLength(100)
  name: string;
}

export class CreatedPoolView {
  id: string;
  name: string;
  /** shown once */
  token: string;
}

export class PoolView {
  id: string;
  name: string;
  created_at: string;
  /** when a runner asked for work last */
  last_seen_at?: string;
}

export class PoolListView {
  results: PoolView[];
}

export class ReadLogQuery {
  /** number of the last chunk that is known; from the beginning when absent */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(-1)
  @Max(MAX_SEQ)
  after?: number;
}

export class LogChunkView {
  /** number of the chunk, from 0 */
  seq: number;
  /** when it arrived */
  @ApiProperty({ type: String, format: 'date-time' })
  at: string;
  /** directory that printed it; absent for the run itself */
  dir?: string;
  workspace?: string;
  /** printed text, with secrets masked */
  text: string;
}

export class RunLogView {
  /** in the order they were printed */
  chunks: LogChunkView[];
  /** the run has ended and these are its last chunks */
  done: boolean;
}
