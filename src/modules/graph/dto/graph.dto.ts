import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, IsUUID } from 'class-validator';
import { PageLimit, PageToken } from '../../../platform/http/index.js';

export class ListInstancesQuery {
  /** terms `key:value` with address, resource_address, module, provider, type, attr:<key>:<value> */
  @IsOptional()
  @IsString()
  q?: string;
  @PageToken()
  page?: string;
  @PageLimit(100, 1000)
  limit?: string;
  /** accepted and ignored */
  @IsOptional()
  tz?: string;
}

export class ListModulesQuery {
  @PageToken()
  page?: string;
  @PageLimit(1000, 10_000)
  limit?: string;
}

export class TenantSummaryQuery {
  @IsOptional()
  @IsUUID()
  state_id?: string;
}

export class InstanceView {
  address: string;
  type: string;
  provider: string;
  module: string | null;
  attributes: Record<string, unknown>;
  /** instances it directly depends on */
  dependencies: string[];
  resource_address: string;
  mode: string;
  name: string;
  index_key?: string | number;
  deposed?: string;
  status?: string;
  schema_version?: number;
  create_before_destroy: boolean;
  /** paths whose values are masked */
  sensitive_attributes?: unknown[];
}

export class InstanceListView {
  results: InstanceView[];
  next_page?: string;
}

export class BlastRadiusEntryView {
  address: string;
  resource_address: string;
  direction: 'seed' | 'blast';
  /** dependency edges from the seed */
  distance: number;
  index?: string | number;
  state_id: string;
  state_name: string;
}

export class BlastRadiusQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description: 'maximum number of instances in `results`, nearest first (default: all); all are counted',
  })
  @IsOptional()
  @IsString()
  limit?: string;
}

export class BlastRadiusView {
  results: BlastRadiusEntryView[];
  /** states that are reached and may be seen, the seed's own among them */
  reached_states: number;
  /** instances that are reached and may be seen, the seed among them */
  reached_instances: number;
  /** number of reached states that the caller may not see */
  hidden_states: number;
  hidden_instances: number;
}

export class ModuleView {
  name: string;
  instance_count: number;
  resource_count: number;
}

export class ModuleListView {
  results: ModuleView[];
  next_page?: string;
}

export class OutputValueView {
  name: string;
  /** type constraint as the document has it, such as `"string"` or `["list", "string"]`; null when it has none */
  @ApiProperty({ description: 'type constraint in the document; null when there is none' })
  type: unknown;
  @ApiPropertyOptional({ description: 'absent when the output is sensitive' })
  value?: unknown;
  sensitive: boolean;
}

export class OutputValueListView {
  /** by name */
  results: OutputValueView[];
}

export class StateSummaryView {
  instances: number;
  resources: number;
  modules: number;
  providers: number;
  edges: number;
}

export class OrphanCountView {
  state_name: string;
  count: number;
}

export class OrphanView {
  address: string;
  state_name: string;
}

export class ProviderShareView {
  provider: string;
  instances: number;
}

export class TypeShareView {
  type: string;
  instances: number;
}

export class TenantSummaryView {
  total_states: number;
  total_resources: number;
  total_instances: number;
  total_edges: number;
  total_providers: number;
  total_modules: number;
  top_resource_type: string | null;
  top_resource_type_count: number;
  largest_module: string | null;
  largest_module_resource_count: number;
  most_deployed_module: string | null;
  most_deployed_module_instance_count: number;
  dependency_hotspot_address: string | null;
  dependency_hotspot_refs: number;
  graph_roots: number;
  graph_leaves: number;
  orphaned_count: number;
  orphaned_by_state: OrphanCountView[];
  orphaned_top: OrphanView[];
  provider_distribution: ProviderShareView[];
  resource_type_distribution: TypeShareView[];
}

export class ResourceTypeView {
  state_id: string;
  state_name: string;
  type: string;
  resource_count: number;
  instance_count: number;
}

export class ResourceTypeListView {
  resource_types: ResourceTypeView[];
  total_resources: number;
  total_instances: number;
}
