/**
 * The keys of Infracost's usage files, by type (infracost/infracost@95ba4f49, internal/resources, Apache-2.0).
 */
const KEYS: Record<string, string> = {
  aws_acmpca_certificate_authority: 'monthly_requests',
  aws_api_gateway_rest_api: 'monthly_requests',
  aws_apigatewayv2_api:
    'message_size_kb monthly_connection_mins monthly_messages monthly_requests request_size_kb',
  aws_appautoscaling_target: 'capacity',
  aws_backup_vault:
    'monthly_aurora_snapshot_gb monthly_dynamodb_backup_gb monthly_dynamodb_restore_gb ' +
    'monthly_ebs_snapshot_gb monthly_efs_cold_backup_gb monthly_efs_cold_restore_gb ' +
    'monthly_efs_item_restore_requests monthly_efs_warm_backup_gb monthly_efs_warm_restore_gb ' +
    'monthly_fsx_lustre_backup_gb monthly_fsx_windows_backup_gb monthly_rds_snapshot_gb',
  aws_cloudformation_stack: 'monthly_duration_secs monthly_handler_operations',
  aws_cloudformation_stack_set: 'monthly_duration_secs monthly_handler_operations',
  aws_cloudfront_distribution:
    'asia_pacific australia custom_ssl_certificates europe india indonesia japan middle_east ' +
    'monthly_data_transfer_to_internet_gb monthly_data_transfer_to_origin_gb monthly_encryption_requests ' +
    'monthly_http_requests monthly_https_requests monthly_invalidation_requests monthly_log_lines ' +
    'monthly_shield_requests singapore south_africa south_america south_korea us',
  aws_cloudfront_function: 'monthly_requests',
  aws_cloudhsm_v2_hsm: 'monthly_hrs',
  aws_cloudtrail: 'monthly_additional_management_events monthly_data_events monthly_insight_events',
  aws_cloudwatch_event_bus:
    'archive_storage_gb monthly_archive_processing_gb monthly_custom_events ' +
    'monthly_schema_discovery_events monthly_third_party_events',
  aws_cloudwatch_log_group: 'monthly_data_ingested_gb monthly_data_scanned_gb storage_gb',
  aws_codebuild_project: 'monthly_build_mins',
  aws_config_config_rule: 'monthly_rule_evaluations',
  aws_config_configuration_recorder: 'monthly_config_items monthly_custom_config_items',
  aws_db_instance:
    'additional_backup_storage_gb monthly_additional_performance_insights_requests monthly_cpu_credit_hrs ' +
    'monthly_standard_io_requests reserved_instance_payment_option reserved_instance_term vcpu_count',
  aws_directory_service_directory: 'additional_domain_controllers shared_accounts',
  aws_docdb_cluster: 'backup_storage_gb',
  aws_docdb_cluster_instance: 'data_storage_gb monthly_cpu_credit_hrs monthly_io_requests',
  aws_docdb_cluster_snapshot: 'backup_storage_gb',
  aws_dx_connection:
    'dx_connection_type dx_virtual_interface_type monthly_outbound_from_region_to_dx_connection_location ' +
    'monthly_outbound_region_to_dx_location_gb',
  aws_dx_gateway_association: 'monthly_data_processed_gb',
  aws_dynamodb_table:
    'monthly_data_restored_gb monthly_read_request_units monthly_streams_read_request_units ' +
    'monthly_write_request_units on_demand_backup_storage_gb pitr_backup_storage_gb storage_gb',
  aws_ebs_snapshot:
    'fast_snapshot_restore_hours monthly_get_block_requests monthly_list_block_requests ' +
    'monthly_put_block_requests',
  aws_ebs_volume: 'monthly_standard_io_requests',
  aws_ec2_host: 'reserved_instance_payment_option reserved_instance_term',
  aws_ec2_transit_gateway_vpc_attachment: 'monthly_data_processed_gb',
  aws_ecr_repository: 'storage_gb',
  aws_efs_file_system:
    'infrequent_access_storage_gb monthly_infrequent_access_read_gb monthly_infrequent_access_write_gb ' +
    'storage_gb',
  aws_eks_node_group:
    'instances monthly_cpu_credit_hrs operating_system reserved_instance_payment_option ' +
    'reserved_instance_term reserved_instance_type vcpu_count',
  aws_elasticache_cluster: 'reserved_instance_payment_option reserved_instance_term snapshot_storage_size_gb',
  aws_elasticache_replication_group:
    'reserved_instance_payment_option reserved_instance_term snapshot_storage_size_gb',
  aws_elb: 'monthly_data_processed_gb',
  aws_fsx_openzfs_file_system: 'backup_storage_gb compression_savings_percent',
  aws_fsx_windows_file_system: 'backup_storage_gb',
  aws_globalaccelerator_endpoint_group:
    'asia_pacific australia europe india middle_east monthly_inbound_data_transfer_gb ' +
    'monthly_outbound_data_transfer_gb south_africa south_america south_korea us',
  aws_glue_catalog_database: 'monthly_objects monthly_requests',
  aws_glue_crawler: 'monthly_hours',
  aws_glue_job: 'monthly_hours',
  aws_grafana_workspace: 'editors_administrator_licenses viewer_licenses',
  aws_instance:
    'monthly_cpu_credit_hrs monthly_hrs operating_system reserved_instance_payment_option ' +
    'reserved_instance_term reserved_instance_type vcpu_count',
  aws_kinesis_firehose_delivery_stream: 'monthly_data_ingested_gb',
  aws_kinesis_stream:
    'monthly_on_demand_data_in_gb monthly_on_demand_data_out_gb monthly_on_demand_efo_data_out_gb ' +
    'monthly_on_demand_extended_retention_gb monthly_on_demand_long_term_retention_gb ' +
    'monthly_provisioned_efo_consumer_hours monthly_provisioned_efo_data_out_gb ' +
    'monthly_provisioned_extended_retention_gb monthly_provisioned_long_term_retention_gb ' +
    'monthly_provisioned_long_term_retrieval_gb monthly_provisioned_put_units',
  aws_kinesis_analytics_application: 'kinesis_processing_units',
  aws_kinesisanalyticsv2_application: 'durable_application_backup_gb kinesis_processing_units',
  aws_kinesisanalyticsv2_application_snapshot: 'durable_application_backup_gb',
  aws_lambda_function: 'monthly_requests request_duration_ms',
  aws_lambda_provisioned_concurrency_config:
    'architecture memory_mb monthly_duration_hrs monthly_requests request_duration_ms',
  aws_lb: 'active_connections new_connections processed_bytes_gb rule_evaluations',
  aws_alb: 'active_connections new_connections processed_bytes_gb rule_evaluations',
  aws_mq_broker: 'storage_size_gb',
  aws_mwaa_environment: 'additional_schedulers additional_workers meta_database_gb',
  aws_nat_gateway: 'monthly_data_processed_gb',
  aws_neptune_cluster: 'backup_storage_gb monthly_io_requests storage_gb',
  aws_neptune_cluster_instance: 'monthly_cpu_credit_hrs',
  aws_neptune_cluster_snapshot: 'backup_storage_gb',
  aws_networkfirewall_firewall: 'monthly_data_processed_gb',
  aws_rds_cluster:
    'average_statements_per_hr backtrack_window_hrs backup_snapshot_size_gb capacity_units_per_hr ' +
    'change_records_per_statement read_requests_per_sec snapshot_export_size_gb storage_gb ' +
    'write_requests_per_sec',
  aws_rds_cluster_instance:
    'capacity_units_per_hr monthly_additional_performance_insights_requests monthly_cpu_credit_hrs ' +
    'reserved_instance_payment_option reserved_instance_term vcpu_count',
  aws_redshift_cluster:
    'backup_storage_gb excess_concurrency_scaling_secs managed_storage_gb spectrum_data_scanned_tb',
  aws_route53_health_check: 'endpoint_type',
  aws_route53_record: 'monthly_geo_queries monthly_latency_based_queries monthly_standard_queries',
  aws_route53_resolver_endpoint: 'monthly_queries',
  aws_s3_bucket: 'object_tags',
  aws_s3_bucket_analytics_configuration: 'monthly_monitored_objects',
  aws_s3_bucket_inventory: 'monthly_listed_objects',
  aws_secretsmanager_secret: 'monthly_requests',
  aws_sfn_state_machine: 'memory_mb monthly_requests monthly_transitions workflow_duration_ms',
  aws_sns_topic:
    'email_subscriptions http_subscriptions kinesis_subscriptions macos_subscriptions ' +
    'mobile_push_subscriptions monthly_requests request_size_kb sms_notification_price sms_subscriptions',
  aws_sns_topic_subscription: 'monthly_requests request_size_kb',
  aws_sqs_queue: 'monthly_requests request_size_kb',
  aws_ssm_activation: 'instance_tier instances',
  aws_ssm_parameter: 'api_throughput_limit monthly_api_interactions parameter_storage_hrs',
  aws_transfer_server: 'monthly_data_downloaded_gb monthly_data_uploaded_gb',
  aws_vpc_endpoint: 'monthly_data_processed_gb',
  aws_vpn_connection: 'monthly_data_processed_gb',
  aws_waf_web_acl: 'monthly_requests rule_group_rules',
  aws_wafv2_web_acl: 'managed_rule_group_rules monthly_requests rule_group_rules',
  azurerm_api_management: 'monthly_api_calls self_hosted_gateway_count',
  azurerm_app_configuration: 'monthly_additional_requests',
  azurerm_app_service_environment: 'operating_system',
  azurerm_application_gateway: 'capacity_units monthly_data_processed_gb',
  azurerm_application_insights: 'monthly_data_ingested_gb',
  azurerm_automation_account: 'monthly_job_run_mins non_azure_config_node_count',
  azurerm_automation_dsc_configuration: 'non_azure_config_node_count',
  azurerm_automation_dsc_nodeconfiguration: 'non_azure_config_node_count',
  azurerm_automation_job_schedule: 'monthly_job_run_mins',
  azurerm_backup_protected_vm: 'additional_backup_retention_gb disk_utilization_gb',
  azurerm_bastion_host: 'monthly_outbound_data_gb',
  azurerm_cognitive_deployment:
    'monthly_audio_input_tokens monthly_audio_output_tokens monthly_base_model_tokens ' +
    'monthly_code_interpreter_sessions monthly_file_search_storage_gb monthly_file_search_tool_calls ' +
    'monthly_fine_tuning_hosting_hours monthly_fine_tuning_input_tokens monthly_fine_tuning_output_tokens ' +
    'monthly_fine_tuning_training_hours monthly_hd_1024_1024_images monthly_hd_1024_1792_images ' +
    'monthly_language_cached_input_tokens monthly_language_input_tokens monthly_language_output_tokens ' +
    'monthly_standard_1024_1024_images monthly_standard_1024_1792_images monthly_text_embedding_tokens ' +
    'monthly_text_to_speech_characters monthly_text_to_speech_hours',
  azurerm_container_registry: 'monthly_build_vcpu_hrs storage_gb',
  azurerm_data_factory: 'monthly_monitoring_operation_entities monthly_read_write_operation_entities',
  azurerm_data_factory_integration_runtime_azure: 'monthly_orchestration_runs',
  azurerm_data_factory_integration_runtime_managed: 'monthly_orchestration_runs',
  azurerm_data_factory_integration_runtime_self_hosted: 'monthly_orchestration_runs',
  azurerm_databricks_workspace:
    'monthly_all_purpose_compute_dbu_hrs monthly_jobs_compute_dbu_hrs monthly_jobs_light_compute_dbu_hrs',
  azurerm_dns_a_record: 'monthly_queries',
  azurerm_dns_aaaa_record: 'monthly_queries',
  azurerm_dns_caa_record: 'monthly_queries',
  azurerm_dns_cname_record: 'monthly_queries',
  azurerm_dns_mx_record: 'monthly_queries',
  azurerm_dns_ns_record: 'monthly_queries',
  azurerm_dns_ptr_record: 'monthly_queries',
  azurerm_dns_srv_record: 'monthly_queries',
  azurerm_dns_txt_record: 'monthly_queries',
  azurerm_eventgrid_topic: 'monthly_operations',
  azurerm_federated_identity_credential: 'monthly_active_p1_users monthly_active_p2_users',
  azurerm_frontdoor:
    'asia_pacific australia india monthly_inbound_data_transfer_gb monthly_outbound_data_transfer_gb ' +
    'north_america_europe_africa south_america us_gov',
  azurerm_frontdoor_firewall_policy: 'monthly_custom_rule_requests monthly_managed_ruleset_requests',
  azurerm_function_app: 'execution_duration_ms instances memory_mb monthly_executions',
  azurerm_image: 'storage_gb',
  azurerm_iothub: 'monthly_operations',
  azurerm_iothub_dps: 'monthly_operations',
  azurerm_kubernetes_cluster: 'default_node_pool load_balancer monthly_data_processed_gb monthly_hrs nodes',
  azurerm_kubernetes_cluster_node_pool: 'monthly_hrs nodes',
  azurerm_lb: 'monthly_data_processed_gb',
  azurerm_linux_virtual_machine: 'monthly_hrs os_disk',
  azurerm_linux_virtual_machine_scale_set: 'instances os_disk',
  azurerm_log_analytics_workspace:
    'monthly_additional_log_data_retention_gb monthly_archive_data_gb monthly_archive_data_restored_gb ' +
    'monthly_archive_data_searched_gb monthly_basic_log_data_ingestion_gb monthly_basic_log_search_gb ' +
    'monthly_log_data_export_gb monthly_log_data_ingestion_gb monthly_sentinel_data_ingestion_gb',
  azurerm_logic_app_standard: 'monthly_enterprise_connector_calls monthly_standard_connector_calls sku',
  azurerm_machine_learning_compute_cluster: 'instances monthly_hrs',
  azurerm_machine_learning_compute_instance: 'monthly_hrs',
  azurerm_managed_disk: 'monthly_disk_operations',
  azurerm_monitor_action_group: 'monthly_notifications',
  azurerm_monitor_data_collection_rule: 'monthly_custom_metrics_samples',
  azurerm_monitor_diagnostic_setting: 'monthly_platform_log_gb',
  azurerm_mssql_managed_instance: 'backup_storage_gb long_term_retention_storage_gb',
  azurerm_mysql_flexible_server: 'additional_backup_storage_gb',
  azurerm_network_connection_monitor: 'tests',
  azurerm_network_ddos_protection_plan: 'overage_amount',
  azurerm_network_watcher: 'monthly_diagnostic_checks',
  azurerm_network_watcher_flow_log: 'monthly_logs_collected_gb',
  azurerm_postgresql_flexible_server: 'additional_backup_storage_gb',
  azurerm_private_dns_a_record: 'monthly_queries',
  azurerm_private_dns_aaaa_record: 'monthly_queries',
  azurerm_private_dns_cname_record: 'monthly_queries',
  azurerm_private_dns_mx_record: 'monthly_queries',
  azurerm_private_dns_ptr_record: 'monthly_queries',
  azurerm_private_dns_srv_record: 'monthly_queries',
  azurerm_private_dns_txt_record: 'monthly_queries',
  azurerm_security_center_subscription_pricing:
    'cosmosdb_request_units monthly_app_service_nodes monthly_arm_subscriptions ' +
    'monthly_container_registry_images monthly_containers_vcores monthly_dns_queries monthly_key_vaults ' +
    'monthly_kubernetes_cores monthly_mariadb_instances monthly_mysql_instances ' +
    'monthly_postgresql_instances monthly_servers_plan_1_nodes monthly_servers_plan_2_nodes ' +
    'monthly_sql_azure_connected_instances monthly_sql_outside_azure_vcores monthly_storage_accounts',
  azurerm_servicebus_namespace: 'monthly_brokered_connections monthly_messaging_operations',
  azurerm_signalr_service: 'monthly_additional_messages',
  azurerm_sql_database:
    'backup_storage_gb extra_data_storage_gb long_term_retention_storage_gb monthly_vcore_hours',
  azurerm_sql_managed_instance: 'backup_storage_gb long_term_retention_storage_gb',
  azurerm_static_site: 'monthly_bandwidth_gb',
  azurerm_static_web_app: 'monthly_bandwidth_gb',
  azurerm_storage_account:
    'blob_index_tags data_at_rest_storage_gb early_deletion_gb metadata_at_rest_storage_gb ' +
    'monthly_data_retrieval_gb monthly_data_write_gb monthly_iterative_read_operations ' +
    'monthly_iterative_write_operations monthly_list_and_create_container_operations ' +
    'monthly_other_operations monthly_read_operations monthly_write_operations snapshots_storage_gb ' +
    'storage_gb',
  azurerm_storage_queue:
    'monthly_class_1_operations monthly_class_2_operations monthly_geo_replication_data_transfer_gb ' +
    'monthly_storage_gb',
  azurerm_storage_share:
    'metadata_at_rest_storage_gb monthly_data_retrieval_gb monthly_list_operations ' +
    'monthly_other_operations monthly_read_operations monthly_write_operations snapshots_storage_gb ' +
    'storage_gb',
  azurerm_storage_table:
    'monthly_batch_write_operations monthly_delete_operations monthly_list_operations ' +
    'monthly_read_operations monthly_scan_operations monthly_storage_gb monthly_write_operations',
  azurerm_traffic_manager_profile: 'monthly_dns_queries monthly_traffic_view_data_points',
  azurerm_virtual_hub: 'monthly_data_processed_gb',
  azurerm_virtual_machine: 'monthly_disk_operations monthly_hrs storage_data_disk storage_os_disk',
  azurerm_virtual_machine_scale_set:
    'instances monthly_disk_operations storage_profile_data_disk storage_profile_os_disk',
  azurerm_virtual_network_peering: 'monthly_data_transfer_gb',
  azurerm_vpn_gateway: 'monthly_p2s_connections_hrs',
  azurerm_windows_virtual_machine: 'monthly_disk_operations monthly_hrs os_disk',
  azurerm_windows_virtual_machine_scale_set: 'instances os_disk',
  google_artifact_registry_repository: 'monthly_egress_data_transfer_gb storage_gb',
  google_bigquery_dataset: 'monthly_queries_tb',
  google_bigquery_table:
    'monthly_active_storage_gb monthly_long_term_storage_gb monthly_storage_read_api_tb ' +
    'monthly_storage_write_api_gb monthly_streaming_inserts_mb',
  google_cloud_run_v2_job: 'average_task_execution_mins monthly_job_executions',
  google_cloud_run_v2_service:
    'average_request_duration_ms concurrent_requests_per_instance instance_hrs monthly_requests',
  google_cloudfunctions_function: 'monthly_function_invocations monthly_outbound_data_gb request_duration_ms',
  google_compute_external_vpn_gateway: 'monthly_egress_data_transfer_gb',
  google_compute_forwarding_rule: 'monthly_ingress_data_gb',
  google_compute_global_forwarding_rule: 'monthly_ingress_data_gb',
  google_compute_image: 'storage_gb',
  google_compute_instance: 'monthly_hrs',
  google_compute_machine_image: 'storage_gb',
  google_compute_router_nat: 'assigned_vms monthly_data_processed_gb',
  google_compute_snapshot: 'storage_gb',
  google_compute_target_grpc_proxy: 'monthly_data_processed_gb monthly_proxy_instances',
  google_compute_target_http_proxy: 'monthly_data_processed_gb monthly_proxy_instances',
  google_compute_target_https_proxy: 'monthly_data_processed_gb monthly_proxy_instances',
  google_compute_target_ssl_proxy: 'monthly_data_processed_gb monthly_proxy_instances',
  google_compute_target_tcp_proxy: 'monthly_data_processed_gb monthly_proxy_instances',
  google_compute_region_target_http_proxy: 'monthly_data_processed_gb monthly_proxy_instances',
  google_compute_region_target_https_proxy: 'monthly_data_processed_gb monthly_proxy_instances',
  google_compute_vpn_gateway: 'monthly_egress_data_transfer_gb',
  google_container_cluster: 'autopilot_ephemeral_storage_gb autopilot_memory_gb autopilot_vcpu_count nodes',
  google_container_node_pool: 'nodes',
  google_container_registry:
    'monthly_class_a_operations monthly_class_b_operations monthly_egress_data_transfer_gb storage_gb',
  google_dns_record_set: 'monthly_queries',
  google_kms_crypto_key: 'key_versions monthly_key_operations',
  google_monitoring_metric_descriptor: 'monthly_api_calls monthly_monitoring_data_mb',
  google_pubsub_subscription: 'monthly_message_data_tb snapshot_storage_gb storage_gb',
  google_pubsub_topic: 'monthly_message_data_tb',
  google_redis_cluster: 'backup_storage_gb',
  google_secret_manager_secret:
    'active_secret_versions monthly_access_operations monthly_rotation_notifications',
  google_secret_manager_secret_version: 'monthly_access_operations',
  google_sql_database_instance: 'backup_storage_gb',
  google_storage_bucket:
    'monthly_class_a_operations monthly_class_b_operations monthly_data_retrieval_gb ' +
    'monthly_egress_data_transfer_gb storage_gb',
};

export const USAGE_KEYS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(KEYS).map(([type, keys]) => [type, new Set(keys.split(' '))]),
);

/** Keys that take text; all others take a number or an object of numbers. */
export const TEXT_USAGE_KEYS: ReadonlySet<string> = new Set([
  'api_throughput_limit',
  'architecture',
  'capture_enabled',
  'disaster_recovery_enabled',
  'region',
  'operating_system',
  'reserved_instance_term',
  'reserved_instance_payment_option',
  'reserved_instance_type',
  'dx_connection_type',
  'dx_virtual_interface_type',
  'endpoint_type',
  'instance_tier',
  'sku',
]);
