type Attributes = Readonly<Record<string, string>>;

export interface AzureImportType {
  /** as azurerm spells it in ids */
  resourceType: string;
  /** undefined when the attributes of the inventory do not decide */
  terraformType: string | ((attributes: Attributes) => string | undefined);
  candidates?: readonly string[];
  /** without `location` */
  isGlobal?: boolean;
}

const plain = (
  resourceType: string,
  terraformType: string,
  options: Partial<AzureImportType> = {},
): AzureImportType => ({
  ...{ resourceType, terraformType },
  ...options,
});

/** Which of several Terraform types a resource is, by an attribute that Resource Graph tells. */
const decided = (
  resourceType: string,
  candidates: readonly string[],
  decide: (attributes: Attributes) => string | undefined,
): AzureImportType => ({ resourceType, candidates, terraformType: decide });

const bySystem =
  (linux: string, windows: string) =>
  (attributes: Attributes): string | undefined =>
    ({ linux, windows })[attributes['osType']?.toLowerCase() ?? ''];

const WEB_APPS = [
  'azurerm_linux_web_app',
  'azurerm_windows_web_app',
  'azurerm_linux_function_app',
  'azurerm_windows_function_app',
];
const MACHINES = ['azurerm_linux_virtual_machine', 'azurerm_windows_virtual_machine'] as const;
const SCALE_SETS = [
  'azurerm_linux_virtual_machine_scale_set',
  'azurerm_windows_virtual_machine_scale_set',
] as const;

function scaleSetOf(attributes: Attributes): string | undefined {
  if (attributes['orchestrationMode']?.toLowerCase() === 'flexible')
    return 'azurerm_orchestrated_virtual_machine_scale_set';
  return bySystem(...SCALE_SETS)(attributes);
}

/** `kind` is a list such as `functionapp,linux`. */
function webAppOf({ kind }: Attributes): string | undefined {
  if (kind === undefined) return undefined;
  const words = kind.toLowerCase().split(',');
  const system = words.includes('linux') ? 'linux' : 'windows';
  if (words.includes('workflowapp')) return 'azurerm_logic_app_standard';
  return `azurerm_${system}_${words.includes('functionapp') ? 'function_app' : 'web_app'}`;
}

export const AZURE_IMPORT_TYPES: readonly AzureImportType[] = [
  decided('Microsoft.Compute/virtualMachines', MACHINES, bySystem(...MACHINES)),
  decided(
    'Microsoft.Compute/virtualMachineScaleSets',
    [...SCALE_SETS, 'azurerm_orchestrated_virtual_machine_scale_set'],
    scaleSetOf,
  ),
  decided('Microsoft.Web/sites', WEB_APPS, webAppOf),
  plain('Microsoft.Compute/disks', 'azurerm_managed_disk'),
  plain('Microsoft.Compute/availabilitySets', 'azurerm_availability_set'),
  plain('Microsoft.Compute/images', 'azurerm_image'),
  plain('Microsoft.Compute/snapshots', 'azurerm_snapshot'),
  plain('Microsoft.Compute/sshPublicKeys', 'azurerm_ssh_public_key'),
  plain('Microsoft.Compute/diskEncryptionSets', 'azurerm_disk_encryption_set'),
  plain('Microsoft.Compute/galleries', 'azurerm_shared_image_gallery'),
  plain('Microsoft.Network/virtualNetworks', 'azurerm_virtual_network'),
  plain('Microsoft.Network/virtualNetworks/subnets', 'azurerm_subnet'),
  plain('Microsoft.Network/networkSecurityGroups', 'azurerm_network_security_group'),
  plain('Microsoft.Network/publicIPAddresses', 'azurerm_public_ip'),
  plain('Microsoft.Network/publicIPPrefixes', 'azurerm_public_ip_prefix'),
  plain('Microsoft.Network/networkInterfaces', 'azurerm_network_interface'),
  plain('Microsoft.Network/loadBalancers', 'azurerm_lb'),
  plain('Microsoft.Network/applicationGateways', 'azurerm_application_gateway'),
  plain('Microsoft.Network/applicationSecurityGroups', 'azurerm_application_security_group'),
  plain('Microsoft.Network/natGateways', 'azurerm_nat_gateway'),
  plain('Microsoft.Network/routeTables', 'azurerm_route_table'),
  plain('Microsoft.Network/privateEndpoints', 'azurerm_private_endpoint'),
  plain('Microsoft.Network/dnsZones', 'azurerm_dns_zone', { isGlobal: true }),
  plain('Microsoft.Network/privateDnsZones', 'azurerm_private_dns_zone', { isGlobal: true }),
  plain('Microsoft.Network/virtualNetworkGateways', 'azurerm_virtual_network_gateway'),
  plain('Microsoft.Network/localNetworkGateways', 'azurerm_local_network_gateway'),
  plain('Microsoft.Network/connections', 'azurerm_virtual_network_gateway_connection'),
  plain('Microsoft.Network/azureFirewalls', 'azurerm_firewall'),
  plain('Microsoft.Network/firewallPolicies', 'azurerm_firewall_policy'),
  plain('Microsoft.Network/bastionHosts', 'azurerm_bastion_host'),
  plain('Microsoft.Network/virtualWans', 'azurerm_virtual_wan'),
  plain('Microsoft.Network/virtualHubs', 'azurerm_virtual_hub'),
  plain('Microsoft.Network/trafficManagerProfiles', 'azurerm_traffic_manager_profile', { isGlobal: true }),
  plain('Microsoft.Network/expressRouteCircuits', 'azurerm_express_route_circuit'),
  plain('Microsoft.Storage/storageAccounts', 'azurerm_storage_account'),
  plain('Microsoft.KeyVault/vaults', 'azurerm_key_vault'),
  plain('Microsoft.Sql/servers', 'azurerm_mssql_server'),
  plain('Microsoft.Sql/servers/databases', 'azurerm_mssql_database'),
  plain('Microsoft.Sql/servers/elasticPools', 'azurerm_mssql_elasticpool'),
  plain('Microsoft.Sql/managedInstances', 'azurerm_mssql_managed_instance'),
  plain('Microsoft.DBforPostgreSQL/flexibleServers', 'azurerm_postgresql_flexible_server'),
  plain('Microsoft.DBforMySQL/flexibleServers', 'azurerm_mysql_flexible_server'),
  plain('Microsoft.DocumentDB/databaseAccounts', 'azurerm_cosmosdb_account'),
  plain('Microsoft.Cache/redis', 'azurerm_redis_cache'),
  plain('Microsoft.ContainerService/managedClusters', 'azurerm_kubernetes_cluster'),
  plain('Microsoft.ContainerRegistry/registries', 'azurerm_container_registry'),
  plain('Microsoft.ContainerInstance/containerGroups', 'azurerm_container_group'),
  plain('Microsoft.App/managedEnvironments', 'azurerm_container_app_environment'),
  plain('Microsoft.App/containerApps', 'azurerm_container_app'),
  plain('Microsoft.Web/serverFarms', 'azurerm_service_plan'),
  plain('Microsoft.Web/staticSites', 'azurerm_static_web_app'),
  plain('Microsoft.Insights/components', 'azurerm_application_insights'),
  plain('Microsoft.Insights/actionGroups', 'azurerm_monitor_action_group', { isGlobal: true }),
  plain('Microsoft.Insights/metricAlerts', 'azurerm_monitor_metric_alert', { isGlobal: true }),
  plain('Microsoft.OperationalInsights/workspaces', 'azurerm_log_analytics_workspace'),
  plain('Microsoft.ServiceBus/namespaces', 'azurerm_servicebus_namespace'),
  plain('Microsoft.EventHub/namespaces', 'azurerm_eventhub_namespace'),
  plain('Microsoft.EventGrid/topics', 'azurerm_eventgrid_topic'),
  plain('Microsoft.Logic/workflows', 'azurerm_logic_app_workflow'),
  plain('Microsoft.DataFactory/factories', 'azurerm_data_factory'),
  plain('Microsoft.Databricks/workspaces', 'azurerm_databricks_workspace'),
  plain('Microsoft.CognitiveServices/accounts', 'azurerm_cognitive_account'),
  plain('Microsoft.Search/searchServices', 'azurerm_search_service'),
  plain('Microsoft.ApiManagement/service', 'azurerm_api_management'),
  plain('Microsoft.AppConfiguration/configurationStores', 'azurerm_app_configuration'),
  plain('Microsoft.Automation/automationAccounts', 'azurerm_automation_account'),
  plain('Microsoft.DataProtection/backupVaults', 'azurerm_data_protection_backup_vault'),
  plain('Microsoft.Devices/IotHubs', 'azurerm_iothub'),
  plain('Microsoft.Kusto/clusters', 'azurerm_kusto_cluster'),
  plain('Microsoft.SignalRService/signalR', 'azurerm_signalr_service'),
  plain('Microsoft.ManagedIdentity/userAssignedIdentities', 'azurerm_user_assigned_identity'),
  plain('Microsoft.RecoveryServices/vaults', 'azurerm_recovery_services_vault'),
];
