import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  Min,
  Validate,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { LimitParameter } from '../../../platform/http/index.js';
import { IsKvKey } from '../key-param.js';
import { DEFAULT_ITERATION_LIMIT, MAX_COMMIT_KEYS, MAX_IDX, MAX_ITERATION_LIMIT } from '../kv-limits.js';

const CAPABILITIES = {
  type: 'array' as const,
  description:
    'token capabilities that a caller needs besides those of the store: names, or {name: installation_id, id} and {name: vcs, vcs}',
  items: { oneOf: [{ type: 'string' as const }, { type: 'object' as const, additionalProperties: true }] },
};

/** `true` and `false` are themselves; anything else stays text and fails `IsBoolean`. */
const booleanOf = ({ value }: { value: unknown }): unknown =>
  value === 'true' ? true : value === 'false' ? false : value;
/** Digits become a number; anything else stays text and fails `IsInt`. */
const integerOf = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
const listOf = ({ value }: { value: unknown }): unknown => (Array.isArray(value) ? value : [value]);
const isGiven = (_: unknown, value: unknown): boolean => value !== undefined;

export class PutBody {
  /** kept exactly; at most SERVICE_KV_MAX_DATA_SIZE bytes of UTF-8 */
  @IsString()
  data: string;

  /** which of the key's records; 0 when absent */
  @ValidateIf(isGiven)
  @IsInt()
  @Min(0)
  @Max(MAX_IDX)
  idx?: number;

  /** whether readers of committed records see it; true when absent */
  @ValidateIf(isGiven)
  @IsBoolean()
  committed?: boolean;

  @ApiPropertyOptional({ ...CAPABILITIES, nullable: true })
  @IsOptional()
  read_caps?: unknown;

  @ApiPropertyOptional({ ...CAPABILITIES, nullable: true })
  @IsOptional()
  write_caps?: unknown;
}

export class CasBody extends PutBody {
  /** version that the record must have; absent: the record must not exist */
  @ValidateIf(isGiven)
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  version?: number;
}

export class GetQuery {
  /** true: committed records only; true when absent */
  @ValidateIf(isGiven)
  @Transform(booleanOf)
  @IsBoolean()
  committed?: boolean;

  /** which of the key's records, 0 when absent; of an iteration, where in the start key it begins */
  @ValidateIf(isGiven)
  @Transform(integerOf)
  @IsInt()
  @Min(0)
  @Max(MAX_IDX)
  idx?: number;

  /** name=path, repeated; data is then the JSON text of {name: value} */
  @ValidateIf(isGiven)
  @Transform(listOf, { toClassOnly: true })
  @IsArray()
  @IsString({ each: true })
  select?: string[];
}

export class SizeQuery {
  /** true: committed records only; true when absent */
  @ValidateIf(isGiven)
  @Transform(booleanOf)
  @IsBoolean()
  committed?: boolean;

  /** one record of the key; all of them when absent */
  @ValidateIf(isGiven)
  @Transform(integerOf)
  @IsInt()
  @Min(0)
  @Max(MAX_IDX)
  idx?: number;
}

export class CountQuery {
  /** true: committed records only; true when absent */
  @ValidateIf(isGiven)
  @Transform(booleanOf)
  @IsBoolean()
  committed?: boolean;
}

export class DeleteQuery {
  /** one record of the key; all of them when absent */
  @ValidateIf(isGiven)
  @Transform(integerOf)
  @IsInt()
  @Min(0)
  @Max(MAX_IDX)
  idx?: number;

  /** deletes only records with this version */
  @ValidateIf(isGiven)
  @Transform(integerOf)
  @IsInt()
  @Min(0)
  version?: number;
}

export class IterationQuery extends GetQuery {
  @LimitParameter(DEFAULT_ITERATION_LIMIT, MAX_ITERATION_LIMIT, 'maximum number of records')
  @ValidateIf(isGiven)
  @Transform(integerOf)
  @IsInt()
  @Min(1)
  limit?: number;

  /** false leaves `data` out; true when absent */
  @ValidateIf(isGiven)
  @Transform(booleanOf)
  @IsBoolean()
  include_data?: boolean;

  /** whether the start itself counts; true when absent */
  @ValidateIf(isGiven)
  @Transform(booleanOf)
  @IsBoolean()
  inclusive?: boolean;

  /** true: only keys that begin with the start; false when absent */
  @ValidateIf(isGiven)
  @Transform(booleanOf)
  @IsBoolean()
  prefix?: boolean;
}

export class CommitKeyBody {
  @Validate(IsKvKey)
  key: string;

  /** one record of the key; all of them when absent */
  @ValidateIf(isGiven)
  @IsInt()
  @Min(0)
  @Max(MAX_IDX)
  idx?: number;
}

export class CommitBody {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_COMMIT_KEYS)
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => CommitKeyBody)
  keys: CommitKeyBody[];
}

export class KvRecordView {
  key: string;
  /** absent when include_data=false */
  data?: string;
  /** which of the key's records */
  idx: number;
  /** 0 for a new record, one more with each write */
  version: number;
  /** false: readers of committed records do not see it */
  committed: boolean;
  /** when this version was written, ISO 8601 */
  created_at: string;
  /** bytes of the stored data */
  size: number;
  @ApiPropertyOptional(CAPABILITIES)
  read_caps?: unknown;
  @ApiPropertyOptional(CAPABILITIES)
  write_caps?: unknown;
}

export class KvIterationView {
  records: KvRecordView[];
  /** whether more records follow the last one */
  has_more: boolean;
}

export class KvRemovedView {
  /** whether a record was deleted */
  result: boolean;
}

export class KvCountView {
  count: number;
  /** highest idx of the key, 0 when there is none */
  max_idx: number;
}

export class KvSizeView {
  /** bytes */
  size: number;
}

export class KvPlaceView {
  key: string;
  idx: number;
}

export class KvCommitView {
  /** the records that were not committed before, by key and idx */
  keys: KvPlaceView[];
}
