import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';
import type { CloudProvider } from '../../cloud-ids/index.js';
import type { SyncStatus } from '../entities/billing-source.entity.js';
import { TaskStartedView } from '../../tasks/index.js';

const PROVIDERS = ['aws', 'gcp', 'azure'] as const;
const isGiven = (_: unknown, value: unknown): boolean => value !== undefined;

export class CreateBillingSourceBody {
  /** provider of lines that name none */
  @IsIn(PROVIDERS)
  provider: CloudProvider;
  /**
   * `s3://bucket/key`, `gs://bucket/key`, `abfss://container@account.dfs.core.windows.net/path` or `file:///path`, with
   * the globs `*` (within a folder) and `**`
   */
  @IsString()
  source_uri: string;
  /** region of the bucket */
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(64)
  region?: string;
  /** months that a sync replaces, the current one included; default 2 */
  @ValidateIf(isGiven)
  @IsInt()
  @Min(1)
  @Max(120)
  window_months?: number;
  /** whether it is synced on schedule; default true */
  @ValidateIf(isGiven)
  @IsBoolean()
  enabled?: boolean;
}

export class UpdateBillingSourceBody {
  /** provider of lines that name none */
  @ValidateIf(isGiven)
  @IsIn(PROVIDERS)
  provider?: CloudProvider;
  /** as for a new source */
  @ValidateIf(isGiven)
  @IsString()
  source_uri?: string;
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'region of the bucket; null takes it away',
  })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(64)
  region?: string | null;
  /** months that a sync replaces, the current one included */
  @ValidateIf(isGiven)
  @IsInt()
  @Min(1)
  @Max(120)
  window_months?: number;
  /** whether it is synced on schedule */
  @ValidateIf(isGiven)
  @IsBoolean()
  enabled?: boolean;
}

export class BillingSourceView {
  id: string;
  tenant_id: string;
  /** provider of lines that name none */
  provider: CloudProvider;
  /** address of the files */
  source_uri: string;
  /** region of the bucket */
  region?: string;
  /** months that a sync replaces, the current one included */
  window_months: number;
  /** whether it is synced on schedule */
  enabled: boolean;
  /** of the latest sync */
  last_status?: SyncStatus;
  /** why the latest sync failed; names the file and the line where one is to blame */
  last_error?: string;
  /** when the latest successful sync ended */
  last_synced_at?: string;
  /** lines of the window that the latest successful sync took */
  last_row_count?: number;
  created_at: string;
  updated_at: string;
}

export class BillingSourceListView {
  /** the sources, oldest first */
  results: BillingSourceView[];
}

export class SyncBillingSourceBody {
  /** first day whose rows are replaced, as a date or a timestamp; default by `window_months` */
  @ValidateIf(isGiven)
  @IsString()
  window_start?: string;
}

export class SyncStartedView {
  status: 'queued';
  /** the sync, or the one that was already under way */
  task: TaskStartedView;
}
