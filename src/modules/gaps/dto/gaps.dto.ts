import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  ValidateNested,
} from 'class-validator';
import type { CloudProvider } from '../../cloud-ids/index.js';

/** `IsOptional` lets null pass, which no reader of these fields expects: it counts as absent. */
const NullIsAbsent = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => value ?? undefined);

export const CLOUD_PROVIDERS = ['aws', 'gcp', 'azure'] as const satisfies readonly CloudProvider[];
export const CONFIG_STATUSES = ['not_configured', 'partial', 'ready', 'error'] as const;

export class CloudProviderQuery {
  /** which cloud */
  @IsIn(CLOUD_PROVIDERS)
  provider: CloudProvider;
}

export class GapAnalysisQuery extends CloudProviderQuery {
  /** no-cache scans again when the last scan is older than SERVICE_GAPS_FRESH_SECONDS; cache when absent */
  @IsOptional()
  @IsIn(['cache', 'no-cache'])
  source?: 'cache' | 'no-cache';
}

export class GapSettingsBody {
  /** which cloud; the other fields belong to one of them */
  @IsIn(CLOUD_PROVIDERS)
  provider: CloudProvider;
  /** aws: role that the service assumes with the tenant's external id */
  @NullIsAbsent()
  @IsOptional()
  @IsString()
  role_arn?: string;
  /** aws: region in which the service asks for indexes first */
  @NullIsAbsent()
  @IsOptional()
  @IsString()
  region?: string;
  /** gcp: projects/<id>, folders/<number> or organizations/<number> */
  @NullIsAbsent()
  @IsOptional()
  @IsString()
  scope?: string;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'gcp: JSON key of a service account; its addresses are ignored',
  })
  @NullIsAbsent()
  @IsOptional()
  @IsObject()
  service_account_key?: Record<string, unknown>;
  /** azure: UUID of the directory */
  @NullIsAbsent()
  @IsOptional()
  @IsString()
  azure_tenant_id?: string;
  /** azure: UUID of the application */
  @NullIsAbsent()
  @IsOptional()
  @IsString()
  client_id?: string;
  /** azure: secret of the application */
  @NullIsAbsent()
  @IsOptional()
  @IsString()
  client_secret?: string;
  /** azure: UUIDs of the subscriptions */
  @NullIsAbsent()
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  subscriptions?: string[];
}

export class GapWarningView {
  /** stable code, such as NO_AGGREGATOR */
  code: string;
  /** what it means and what to do */
  message: string;
}

export class GapConfigView {
  @ApiProperty({ enum: CLOUD_PROVIDERS, description: 'which cloud' })
  provider: CloudProvider;
  @ApiProperty({ enum: CONFIG_STATUSES, description: 'whether the cloud can be scanned' })
  status: (typeof CONFIG_STATUSES)[number];
  /** whether a scan can start */
  ready_for_gap_analysis: boolean;
  /** the same as ready_for_gap_analysis */
  ready_for_terraform_import: boolean;
  /** aws: whether there is an active aggregator index */
  has_aggregator: boolean;
  @ApiProperty({ type: 'string', nullable: true, description: 'aws: region of the aggregator index' })
  aggregator_region: string | null;
  /** aws: regions with an index, sorted */
  indexed_regions: string[];
  /** aws: number of indexes */
  index_count: number;
  /** what is missing */
  warnings: GapWarningView[];
  /** aws: the role */
  role_arn?: string;
  /** aws: what the role's trust policy must ask for; for administrators of the tenant */
  external_id?: string;
  /** gcp: what is searched */
  scope?: string;
  /** azure: the subscriptions */
  subscriptions?: string[];
}

export class GapErrorView {
  /** ACCESS_DENIED, UNREACHABLE, THROTTLED, INVALID_RESPONSE, CLOUD_ERROR, NOT_READY, TIME_LIMIT or ABORTED */
  code: string;
  /** what went wrong */
  message: string;
  /** what was asked of the cloud */
  action?: string;
  /** error code of the cloud */
  cloud_code?: string;
}

export class GapPendingView {
  @ApiProperty({ enum: ['running', 'failed'], description: 'ask again while it is running' })
  status: 'running' | 'failed';
  /** when the scan started, ISO 8601 */
  started_at: string;
  /** the task that scans */
  task_id?: string;
  /** why the scan failed */
  error?: GapErrorView;
}

export class GapSummaryView {
  /** resources of the inventory when the provider is aws, otherwise 0 */
  total_aws_resources: number;
  /** resources of the inventory: managed, unmanaged and phantoms */
  total_cloud_resources: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'managed resources by service',
  })
  managed_by_service: Record<string, number>;
  /** resources that no state manages */
  unmanaged: number;
  /** unmanaged resources that the cloud made by itself */
  phantom_filtered: number;
}

export class GapResourceView {
  /** type as the cloud names it, such as ec2:instance */
  resource_type: string;
  /** service of the cloud, such as ec2 */
  service: string;
  /** aws: the ARN */
  arn?: string;
  /** ARN, asset name or resource id */
  id?: string;
  /** region or location; absent when it is global */
  region?: string;
  /** account, project or subscription */
  owning_account_id?: string;
  @ApiProperty({ enum: CLOUD_PROVIDERS, description: 'which cloud' })
  provider: CloudProvider;
  /** name for people */
  name?: string;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'tags or labels',
  })
  tags?: Record<string, string>;
  /** whether import configuration can be generated */
  supported: boolean;
}

export class GapAnalysisView {
  /** what the inventory holds */
  summary: GapSummaryView;
  /** by service, type and id */
  unmanaged_resources: GapResourceView[];
  /** when the inventory was complete, in seconds since 1970 */
  fetched_at: number;
  /** whether the inventory is older than SERVICE_GAPS_FRESH_SECONDS */
  from_cache: boolean;
  /** why a later scan failed */
  error?: GapErrorView;
}

@ApiSchema({ name: 'ImportResourceBody' })
export class ImportResourceBody {
  /** ARN; of gcp the asset's name, of azure the resource's id */
  @IsString()
  @IsNotEmpty()
  arn: string;
  /** service of the cloud */
  @NullIsAbsent()
  @IsOptional()
  @IsString()
  service?: string;
  /** type as the cloud names it */
  @NullIsAbsent()
  @IsOptional()
  @IsString()
  resource_type?: string;
  /** where the ARN does not tell it */
  @NullIsAbsent()
  @IsOptional()
  @IsString()
  region?: string;
  /** where the ARN does not tell it */
  @NullIsAbsent()
  @IsOptional()
  @IsString()
  owning_account_id?: string;
}

export class ImportBody {
  /** which cloud */
  @IsIn(CLOUD_PROVIDERS)
  provider: CloudProvider;
  /** what to import, 1 to 1,000 */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1_000)
  @ValidateNested({ each: true })
  @Type(() => ImportResourceBody)
  resources: ImportResourceBody[];
}

export class UnsupportedImportView {
  /** as it was named */
  arn: string;
  /** service of the cloud */
  service: string;
  /** type as the cloud names it */
  resource_type: string;
  /** why no import can be generated */
  reason: string;
}

export class ImportTextsView {
  /** an import block for each resource */
  import_blocks: string;
  /** providers for the accounts and regions */
  provider_hcl: string;
  /** a resource block for each import block, with the arguments that the id tells */
  generated_hcl: string;
  /** resources that are imported */
  supported_count: number;
  /** resources that are not */
  unsupported_count: number;
  /** those that are not, and why */
  unsupported_resources: UnsupportedImportView[];
}
