/** Attributes by which other instances refer to one, besides its id. */
const COMMON = ['id', 'arn', 'name', 'self_link'];
const BY_TYPE: Record<string, readonly string[]> = {
  aws_appautoscaling_target: ['resource_id'],
  aws_ecs_cluster_capacity_providers: ['cluster_name'],
  aws_ecs_task_definition: ['family', 'arn_without_revision'],
  aws_rds_cluster: ['cluster_identifier'],
  aws_neptune_cluster: ['cluster_identifier'],
  aws_db_instance: ['identifier'],
  aws_s3_bucket_lifecycle_configuration: ['bucket'],
};

/** Every text by which rules may ask for this instance with `linked(type, id)`. */
export function linkIdsOf(type: string, attributes: unknown): string[] {
  if (typeof attributes !== 'object' || attributes === null || Array.isArray(attributes)) return [];
  const values = attributes as Record<string, unknown>;
  const ids = [...COMMON, ...(BY_TYPE[type] ?? [])]
    .map((name) => (Object.hasOwn(values, name) ? values[name] : undefined))
    .filter((id): id is string => typeof id === 'string' && id !== '' && id !== '(sensitive value)');
  const { family, revision } = values;
  if (type === 'aws_ecs_task_definition' && typeof family === 'string' && typeof revision === 'number')
    ids.push(`${family}:${revision}`);
  return [...new Set(ids)];
}

/** The types that some rule may ask for: only these have to be indexed. */
export const LINKED_TYPES: ReadonlySet<string> = new Set([
  ...[
    'aws_launch_template',
    'aws_launch_configuration',
    'aws_ebs_volume',
    'aws_ebs_snapshot',
    'aws_db_instance',
    'aws_rds_cluster',
  ],
  ...[
    'aws_neptune_cluster',
    'aws_appautoscaling_target',
    'aws_ecs_cluster',
    'aws_ecs_cluster_capacity_providers',
    'aws_ecs_task_definition',
  ],
  ...[
    'aws_s3_bucket_lifecycle_configuration',
    'aws_sns_topic',
    'azurerm_resource_group',
    'azurerm_managed_disk',
    'azurerm_virtual_machine',
  ],
  ...[
    'azurerm_linux_virtual_machine',
    'azurerm_windows_virtual_machine',
    'azurerm_service_plan',
    'azurerm_app_service_plan',
  ],
  ...[
    'azurerm_cosmosdb_account',
    'azurerm_cosmosdb_cassandra_keyspace',
    'azurerm_lb',
    'azurerm_virtual_network',
    'azurerm_virtual_network_gateway',
  ],
  ...[
    'azurerm_traffic_manager_profile',
    'azurerm_key_vault',
    'azurerm_cdn_profile',
    'azurerm_storage_account',
    'azurerm_recovery_services_vault',
  ],
  ...[
    'azurerm_active_directory_domain_service',
    'google_compute_disk',
    'google_compute_image',
    'google_compute_snapshot',
  ],
  ...[
    'google_compute_instance_template',
    'google_container_cluster',
    'google_container_node_pool',
    'google_secret_manager_secret',
  ],
]);
