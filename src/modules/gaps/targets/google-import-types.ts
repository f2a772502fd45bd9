/**
 * The form of an asset's name (host and path), its Terraform type, and the import id where it is not the path. The
 * placeholders are named like the arguments that they tell; those that begin with `_` are no arguments.
 */
export type GoogleImportType = readonly [pattern: string, terraformType: string, importId?: string];

const PROJECT = 'projects/{project}';
const ZONE = `${PROJECT}/zones/{zone}`;
const REGION = `${PROJECT}/regions/{region}`;
const LOCATION = `${PROJECT}/locations/{location}`;
const CLUSTER = '(zones|regions|locations)';
const compute = (path: string): string => `compute.googleapis.com/${path}`;

export const GOOGLE_IMPORT_TYPES: readonly GoogleImportType[] = [
  [compute(`${ZONE}/instances/{name}`), 'google_compute_instance'],
  [compute(`${ZONE}/disks/{name}`), 'google_compute_disk'],
  [compute(`${REGION}/disks/{name}`), 'google_compute_region_disk'],
  [compute(`${PROJECT}/global/networks/{name}`), 'google_compute_network'],
  [compute(`${REGION}/subnetworks/{name}`), 'google_compute_subnetwork'],
  [compute(`${PROJECT}/global/firewalls/{name}`), 'google_compute_firewall'],
  [compute(`${REGION}/addresses/{name}`), 'google_compute_address'],
  [compute(`${PROJECT}/global/addresses/{name}`), 'google_compute_global_address'],
  [compute(`${REGION}/routers/{name}`), 'google_compute_router'],
  [compute(`${PROJECT}/global/routes/{name}`), 'google_compute_route'],
  [compute(`${REGION}/forwardingRules/{name}`), 'google_compute_forwarding_rule'],
  [compute(`${PROJECT}/global/forwardingRules/{name}`), 'google_compute_global_forwarding_rule'],
  [compute(`${PROJECT}/global/backendServices/{name}`), 'google_compute_backend_service'],
  [compute(`${REGION}/backendServices/{name}`), 'google_compute_region_backend_service'],
  [compute(`${PROJECT}/global/backendBuckets/{name}`), 'google_compute_backend_bucket'],
  [compute(`${PROJECT}/global/urlMaps/{name}`), 'google_compute_url_map'],
  [compute(`${REGION}/urlMaps/{name}`), 'google_compute_region_url_map'],
  [compute(`${PROJECT}/global/targetHttpProxies/{name}`), 'google_compute_target_http_proxy'],
  [compute(`${PROJECT}/global/targetHttpsProxies/{name}`), 'google_compute_target_https_proxy'],
  [compute(`${PROJECT}/global/sslCertificates/{name}`), 'google_compute_ssl_certificate'],
  [compute(`${PROJECT}/global/healthChecks/{name}`), 'google_compute_health_check'],
  [compute(`${PROJECT}/global/securityPolicies/{name}`), 'google_compute_security_policy'],
  [compute(`${PROJECT}/global/instanceTemplates/{name}`), 'google_compute_instance_template'],
  [compute(`${ZONE}/instanceGroupManagers/{name}`), 'google_compute_instance_group_manager'],
  [compute(`${REGION}/instanceGroupManagers/{name}`), 'google_compute_region_instance_group_manager'],
  [compute(`${ZONE}/instanceGroups/{name}`), 'google_compute_instance_group', '{project}/{zone}/{name}'],
  [compute(`${ZONE}/autoscalers/{name}`), 'google_compute_autoscaler'],
  [compute(`${REGION}/vpnTunnels/{name}`), 'google_compute_vpn_tunnel'],
  [compute(`${REGION}/vpnGateways/{name}`), 'google_compute_ha_vpn_gateway'],
  [compute(`${PROJECT}/global/snapshots/{name}`), 'google_compute_snapshot'],
  [compute(`${PROJECT}/global/images/{name}`), 'google_compute_image'],
  ['storage.googleapis.com/{name}', 'google_storage_bucket', '{name}'],
  [`cloudsql.googleapis.com/${PROJECT}/instances/{name}`, 'google_sql_database_instance'],
  [`sqladmin.googleapis.com/${PROJECT}/instances/{name}`, 'google_sql_database_instance'],
  [
    `container.googleapis.com/${PROJECT}/{_place}/{location}/clusters/{name}`,
    'google_container_cluster',
    'projects/{project}/locations/{location}/clusters/{name}',
  ],
  [
    `container.googleapis.com/${PROJECT}/{_place}/{location}/clusters/{cluster}/nodePools/{name}`,
    'google_container_node_pool',
    '{project}/{location}/{cluster}/{name}',
  ],
  [`bigquery.googleapis.com/${PROJECT}/datasets/{dataset_id}`, 'google_bigquery_dataset'],
  [`bigquery.googleapis.com/${PROJECT}/datasets/{dataset_id}/tables/{table_id}`, 'google_bigquery_table'],
  [`bigtableadmin.googleapis.com/${PROJECT}/instances/{name}`, 'google_bigtable_instance'],
  [`pubsub.googleapis.com/${PROJECT}/topics/{name}`, 'google_pubsub_topic'],
  [`pubsub.googleapis.com/${PROJECT}/subscriptions/{name}`, 'google_pubsub_subscription'],
  [`pubsub.googleapis.com/${PROJECT}/schemas/{name}`, 'google_pubsub_schema'],
  [`run.googleapis.com/${LOCATION}/services/{name}`, 'google_cloud_run_v2_service'],
  [`run.googleapis.com/${LOCATION}/jobs/{name}`, 'google_cloud_run_v2_job'],
  [`cloudfunctions.googleapis.com/${LOCATION}/functions/{name}`, 'google_cloudfunctions2_function'],
  [`iam.googleapis.com/${PROJECT}/serviceAccounts/{_email}`, 'google_service_account'],
  [`iam.googleapis.com/${PROJECT}/roles/{role_id}`, 'google_project_iam_custom_role'],
  [`cloudkms.googleapis.com/${LOCATION}/keyRings/{name}`, 'google_kms_key_ring'],
  [
    `cloudkms.googleapis.com/projects/{_project}/locations/{_location}/keyRings/{_ring}/cryptoKeys/{name}`,
    'google_kms_crypto_key',
  ],
  [`secretmanager.googleapis.com/${PROJECT}/secrets/{secret_id}`, 'google_secret_manager_secret'],
  [`dns.googleapis.com/${PROJECT}/managedZones/{name}`, 'google_dns_managed_zone'],
  [`redis.googleapis.com/${PROJECT}/locations/{region}/instances/{name}`, 'google_redis_instance'],
  [`memcache.googleapis.com/${PROJECT}/locations/{region}/instances/{name}`, 'google_memcache_instance'],
  [
    `artifactregistry.googleapis.com/${LOCATION}/repositories/{repository_id}`,
    'google_artifact_registry_repository',
  ],
  [`logging.googleapis.com/${PROJECT}/sinks/{name}`, 'google_logging_project_sink'],
  ['logging.googleapis.com/folders/{folder}/sinks/{name}', 'google_logging_folder_sink'],
  ['logging.googleapis.com/organizations/{org_id}/sinks/{name}', 'google_logging_organization_sink'],
  [`logging.googleapis.com/${PROJECT}/metrics/{name}`, 'google_logging_metric', '{project} {name}'],
  [`monitoring.googleapis.com/${PROJECT}/alertPolicies/{_id}`, 'google_monitoring_alert_policy'],
  [
    `monitoring.googleapis.com/${PROJECT}/notificationChannels/{_id}`,
    'google_monitoring_notification_channel',
  ],
  ['cloudresourcemanager.googleapis.com/projects/{project_id}', 'google_project', '{project_id}'],
  ['cloudresourcemanager.googleapis.com/folders/{_id}', 'google_folder'],
  [`spanner.googleapis.com/${PROJECT}/instances/{name}`, 'google_spanner_instance'],
  [`spanner.googleapis.com/${PROJECT}/instances/{instance}/databases/{name}`, 'google_spanner_database'],
  [`file.googleapis.com/${LOCATION}/instances/{name}`, 'google_filestore_instance'],
  [`cloudscheduler.googleapis.com/${PROJECT}/locations/{region}/jobs/{name}`, 'google_cloud_scheduler_job'],
  [`cloudtasks.googleapis.com/${LOCATION}/queues/{name}`, 'google_cloud_tasks_queue'],
  [`cloudbuild.googleapis.com/${LOCATION}/triggers/{_id}`, 'google_cloudbuild_trigger'],
  [`dataproc.googleapis.com/${PROJECT}/regions/{region}/clusters/{name}`, 'google_dataproc_cluster'],
  [
    `composer.googleapis.com/${PROJECT}/locations/{region}/environments/{name}`,
    'google_composer_environment',
  ],
  [`alloydb.googleapis.com/${LOCATION}/clusters/{cluster_id}`, 'google_alloydb_cluster'],
  [`vpcaccess.googleapis.com/${PROJECT}/locations/{region}/connectors/{name}`, 'google_vpc_access_connector'],
  [
    `serviceusage.googleapis.com/${PROJECT}/services/{service}`,
    'google_project_service',
    '{project}/{service}',
  ],
];

/** Of the placeholders that are no plain segment. */
export const GOOGLE_FORMS: Readonly<Record<string, string>> = {
  _place: CLUSTER.slice(1, -1),
  project: '[^/]+',
};
