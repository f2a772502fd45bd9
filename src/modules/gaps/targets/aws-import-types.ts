/** A type of Resource Explorer as Terraform imports it. */
export interface AwsImportType {
  resourceType: string;
  terraformType: string;
  /** form of the ARN behind its partition: `{id}` is what follows the type, other placeholders are segments */
  pattern: string;
  /** template of the id that `terraform import` takes; undefined: the ARN does not tell it, and the remark says why */
  importId: string | undefined;
  remark: string | undefined;
}

/** resource type | Terraform type | form of the ARN | import id, or - | remark */
const TABLE = `
ec2:instance | aws_instance | ec2:{region}:{account}:instance/{id} | {id}
ec2:elastic-ip | aws_eip | ec2:{region}:{account}:elastic-ip/{id} | {id}
ec2:volume | aws_ebs_volume | ec2:{region}:{account}:volume/{id} | {id}
ec2:vpc | aws_vpc | ec2:{region}:{account}:vpc/{id} | {id}
ec2:subnet | aws_subnet | ec2:{region}:{account}:subnet/{id} | {id}
ec2:security-group | aws_security_group | ec2:{region}:{account}:security-group/{id} | {id}
ec2:internet-gateway | aws_internet_gateway | ec2:{region}:{account}:internet-gateway/{id} | {id}
ec2:natgateway | aws_nat_gateway | ec2:{region}:{account}:natgateway/{id} | {id}
ec2:route-table | aws_route_table | ec2:{region}:{account}:route-table/{id} | {id}
ec2:network-acl | aws_network_acl | ec2:{region}:{account}:network-acl/{id} | {id}
ec2:network-interface | aws_network_interface | ec2:{region}:{account}:network-interface/{id} | {id}
ec2:vpc-endpoint | aws_vpc_endpoint | ec2:{region}:{account}:vpc-endpoint/{id} | {id}
ec2:vpc-endpoint-service | aws_vpc_endpoint_service | ec2:{region}:{account}:vpc-endpoint-service/{id} | {id}
ec2:vpc-flow-log | aws_flow_log | ec2:{region}:{account}:vpc-flow-log/{id} | {id}
ec2:vpc-peering-connection | aws_vpc_peering_connection | ec2:{region}:{account}:vpc-peering-connection/{id} | {id}
ec2:customer-gateway | aws_customer_gateway | ec2:{region}:{account}:customer-gateway/{id} | {id}
ec2:vpn-gateway | aws_vpn_gateway | ec2:{region}:{account}:vpn-gateway/{id} | {id}
ec2:vpn-connection | aws_vpn_connection | ec2:{region}:{account}:vpn-connection/{id} | {id}
ec2:dhcp-options | aws_vpc_dhcp_options | ec2:{region}:{account}:dhcp-options/{id} | {id}
ec2:egress-only-internet-gateway | aws_egress_only_internet_gateway | ec2:{region}:{account}:egress-only-internet-gateway/{id} | {id}
ec2:launch-template | aws_launch_template | ec2:{region}:{account}:launch-template/{id} | {id}
ec2:transit-gateway | aws_ec2_transit_gateway | ec2:{region}:{account}:transit-gateway/{id} | {id}
ec2:transit-gateway-route-table | aws_ec2_transit_gateway_route_table | ec2:{region}:{account}:transit-gateway-route-table/{id} | {id}
ec2:transit-gateway-connect-peer | aws_ec2_transit_gateway_connect_peer | ec2:{region}:{account}:transit-gateway-connect-peer/{id} | {id}
ec2:transit-gateway-multicast-domain | aws_ec2_transit_gateway_multicast_domain | ec2:{region}:{account}:transit-gateway-multicast-domain/{id} | {id}
ec2:capacity-reservation | aws_ec2_capacity_reservation | ec2:{region}:{account}:capacity-reservation/{id} | {id}
ec2:carrier-gateway | aws_ec2_carrier_gateway | ec2:{region}:{account}:carrier-gateway/{id} | {id}
ec2:client-vpn-endpoint | aws_ec2_client_vpn_endpoint | ec2:{region}:{account}:client-vpn-endpoint/{id} | {id}
ec2:prefix-list | aws_ec2_managed_prefix_list | ec2:{region}:{account}:prefix-list/{id} | {id}
ec2:dedicated-host | aws_ec2_host | ec2:{region}:{account}:dedicated-host/{id} | {id}
ec2:fleet | aws_ec2_fleet | ec2:{region}:{account}:fleet/{id} | {id}
ec2:spot-fleet-request | aws_spot_fleet_request | ec2:{region}:{account}:spot-fleet-request/{id} | {id}
ec2:ipam | aws_vpc_ipam | ec2:{region}:{account}:ipam/{id} | {id}
ec2:ipam-pool | aws_vpc_ipam_pool | ec2:{region}:{account}:ipam-pool/{id} | {id}
ec2:ipam-scope | aws_vpc_ipam_scope | ec2:{region}:{account}:ipam-scope/{id} | {id}
ec2:traffic-mirror-filter | aws_ec2_traffic_mirror_filter | ec2:{region}:{account}:traffic-mirror-filter/{id} | {id}
ec2:traffic-mirror-session | aws_ec2_traffic_mirror_session | ec2:{region}:{account}:traffic-mirror-session/{id} | {id}
ec2:traffic-mirror-target | aws_ec2_traffic_mirror_target | ec2:{region}:{account}:traffic-mirror-target/{id} | {id}
ec2:placement-group | aws_placement_group | ec2:{region}:{account}:placement-group/{id} | {id}
ec2:verified-access-instance | aws_verifiedaccess_instance | ec2:{region}:{account}:verified-access-instance/{id} | {id}
ec2:transit-gateway-attachment | aws_ec2_transit_gateway_vpc_attachment | ec2:{region}:{account}:transit-gateway-attachment/{id} | {id}
ec2:key-pair | aws_key_pair | ec2:{region}:{account}:key-pair/{id} | - | DescribeKeyPairs: import id is the key NAME, the ARN holds key-<id>
ec2:security-group-rule | aws_vpc_security_group_ingress_rule | ec2:{region}:{account}:security-group-rule/{id} | - | DescribeSecurityGroupRules: IsEgress decides ingress or egress type
ec2:image | aws_ami | ec2:{region}::image/{id} | {id}
ec2:snapshot | aws_ebs_snapshot | ec2:{region}::snapshot/{id} | {id} | rarely worth an import
s3:bucket | aws_s3_bucket | s3:::{id} | {id}
s3:accesspoint | aws_s3_access_point | s3:{region}:{account}:accesspoint/{id} | {account}:{id}
s3:storage-lens | aws_s3control_storage_lens_configuration | s3:{region}:{account}:storage-lens/{id} | {account}:{id}
sns:topic | aws_sns_topic | sns:{region}:{account}:{id} | {arn}
sqs:queue | aws_sqs_queue | sqs:{region}:{account}:{id} | https://sqs.{region}.{dns_suffix}/{account}/{id}
rds:db | aws_db_instance | rds:{region}:{account}:db:{id} | {id}
rds:cluster | aws_rds_cluster | rds:{region}:{account}:cluster:{id} | {id}
rds:pg | aws_db_parameter_group | rds:{region}:{account}:pg:{id} | {id}
rds:cluster-pg | aws_rds_cluster_parameter_group | rds:{region}:{account}:cluster-pg:{id} | {id}
rds:subgrp | aws_db_subnet_group | rds:{region}:{account}:subgrp:{id} | {id}
rds:og | aws_db_option_group | rds:{region}:{account}:og:{id} | {id}
rds:es | aws_db_event_subscription | rds:{region}:{account}:es:{id} | {id}
rds:snapshot | aws_db_snapshot | rds:{region}:{account}:snapshot:{id} | {id} | rarely worth an import
rds:cluster-snapshot | aws_db_cluster_snapshot | rds:{region}:{account}:cluster-snapshot:{id} | {id} | rarely worth an import
rds:global-cluster | aws_rds_global_cluster | rds::{account}:global-cluster:{id} | {id}
rds:db-proxy | aws_db_proxy | rds:{region}:{account}:db-proxy:{id} | - | import id is the proxy name, ARN holds prx-<id>
logs:log-group | aws_cloudwatch_log_group | logs:{region}:{account}:log-group:{id} | {id}
logs:destination | aws_cloudwatch_log_destination | logs:{region}:{account}:destination:{id} | {id}
events:rule | aws_cloudwatch_event_rule | events:{region}:{account}:rule/{id} | {id}
events:event-bus | aws_cloudwatch_event_bus | events:{region}:{account}:event-bus/{id} | {id}
events:archive | aws_cloudwatch_event_archive | events:{region}:{account}:archive/{id} | {id}
events:api-destination | aws_cloudwatch_event_api_destination | events:{region}:{account}:api-destination/{p1}/{uuid} | {p1}
events:connection | aws_cloudwatch_event_connection | events:{region}:{account}:connection/{p1}/{uuid} | {p1}
cloudwatch:alarm | aws_cloudwatch_metric_alarm | cloudwatch:{region}:{account}:alarm:{id} | {id}
cloudwatch:dashboard | aws_cloudwatch_dashboard | cloudwatch::{account}:dashboard/{id} | {id}
cloudwatch:metric-stream | aws_cloudwatch_metric_stream | cloudwatch:{region}:{account}:metric-stream/{id} | {id}
elasticloadbalancing:loadbalancer/app | aws_lb | elasticloadbalancing:{region}:{account}:loadbalancer/app/{name}/{hash} | {arn}
elasticloadbalancing:loadbalancer/net | aws_lb | elasticloadbalancing:{region}:{account}:loadbalancer/net/{name}/{hash} | {arn}
elasticloadbalancing:loadbalancer/gwy | aws_lb | elasticloadbalancing:{region}:{account}:loadbalancer/gwy/{name}/{hash} | {arn}
elasticloadbalancing:loadbalancer | aws_elb | elasticloadbalancing:{region}:{account}:loadbalancer/{id} | {id}
elasticloadbalancing:targetgroup | aws_lb_target_group | elasticloadbalancing:{region}:{account}:targetgroup/{name}/{hash} | {arn}
elasticloadbalancing:listener/app | aws_lb_listener | elasticloadbalancing:{region}:{account}:listener/app/{lb}/{hash}/{hash2} | {arn}
elasticloadbalancing:listener/net | aws_lb_listener | elasticloadbalancing:{region}:{account}:listener/net/{lb}/{hash}/{hash2} | {arn}
elasticloadbalancing:listener/gwy | aws_lb_listener | elasticloadbalancing:{region}:{account}:listener/gwy/{lb}/{hash}/{hash2} | {arn}
elasticloadbalancing:listener-rule/app | aws_lb_listener_rule | elasticloadbalancing:{region}:{account}:listener-rule/app/{lb}/{h}/{h2}/{h3} | {arn}
ecs:cluster | aws_ecs_cluster | ecs:{region}:{account}:cluster/{id} | {id}
ecs:service | aws_ecs_service | ecs:{region}:{account}:service/{p1}/{p2} | {p1}/{p2}
ecs:task-definition | aws_ecs_task_definition | ecs:{region}:{account}:task-definition/{family}:{rev} | {arn}
ecs:capacity-provider | aws_ecs_capacity_provider | ecs:{region}:{account}:capacity-provider/{id} | {arn}
iam:role | aws_iam_role | iam::{account}:role/{path}{id} | {id}
iam:user | aws_iam_user | iam::{account}:user/{path}{id} | {id}
iam:group | aws_iam_group | iam::{account}:group/{path}{id} | {id}
iam:policy | aws_iam_policy | iam::{account}:policy/{path}{id} | {arn}
iam:instance-profile | aws_iam_instance_profile | iam::{account}:instance-profile/{path}{id} | {id}
iam:oidc-provider | aws_iam_openid_connect_provider | iam::{account}:oidc-provider/{path}{id} | {arn}
iam:saml-provider | aws_iam_saml_provider | iam::{account}:saml-provider/{path}{id} | {arn}
iam:server-certificate | aws_iam_server_certificate | iam::{account}:server-certificate/{path}{id} | {id}
lambda:function | aws_lambda_function | lambda:{region}:{account}:function:{id} | {id}
lambda:layer/version | aws_lambda_layer_version | lambda:{region}:{account}:layer:{name}:{version} | {arn}
lambda:event-source-mapping | aws_lambda_event_source_mapping | lambda:{region}:{account}:event-source-mapping:{id} | {id}
lambda:code-signing-config | aws_lambda_code_signing_config | lambda:{region}:{account}:code-signing-config:{id} | {arn}
states:stateMachine | aws_sfn_state_machine | states:{region}:{account}:stateMachine:{id} | {arn}
states:activity | aws_sfn_activity | states:{region}:{account}:activity:{id} | {arn}
acm:certificate | aws_acm_certificate | acm:{region}:{account}:certificate/{id} | {arn}
acm-pca:certificate-authority | aws_acmpca_certificate_authority | acm-pca:{region}:{account}:certificate-authority/{id} | {arn}
secretsmanager:secret | aws_secretsmanager_secret | secretsmanager:{region}:{account}:secret:{name}-{suffix6} | {arn}
kms:key | aws_kms_key | kms:{region}:{account}:key/{id} | {id}
kms:alias | aws_kms_alias | kms:{region}:{account}:alias/{id} | alias/{id}
dynamodb:table | aws_dynamodb_table | dynamodb:{region}:{account}:table/{id} | {id}
ssm:parameter | aws_ssm_parameter | ssm:{region}:{account}:parameter/{id} | {ssm_name}
ssm:document | aws_ssm_document | ssm:{region}:{account}:document/{id} | {id}
ssm:maintenancewindow | aws_ssm_maintenance_window | ssm:{region}:{account}:maintenancewindow/{id} | {id}
ssm:patchbaseline | aws_ssm_patch_baseline | ssm:{region}:{account}:patchbaseline/{id} | {id}
cognito-idp:userpool | aws_cognito_user_pool | cognito-idp:{region}:{account}:userpool/{id} | {id}
cognito-identity:identitypool | aws_cognito_identity_pool | cognito-identity:{region}:{account}:identitypool/{id} | {id}
elasticache:cluster | aws_elasticache_cluster | elasticache:{region}:{account}:cluster:{id} | {id}
elasticache:replicationgroup | aws_elasticache_replication_group | elasticache:{region}:{account}:replicationgroup:{id} | {id}
elasticache:parametergroup | aws_elasticache_parameter_group | elasticache:{region}:{account}:parametergroup:{id} | {id}
elasticache:subnetgroup | aws_elasticache_subnet_group | elasticache:{region}:{account}:subnetgroup:{id} | {id}
elasticache:user | aws_elasticache_user | elasticache:{region}:{account}:user:{id} | {id}
elasticache:usergroup | aws_elasticache_user_group | elasticache:{region}:{account}:usergroup:{id} | {id}
elasticache:globalreplicationgroup | aws_elasticache_global_replication_group | elasticache::{account}:globalreplicationgroup:{id} | {id}
es:domain | aws_opensearch_domain | es:{region}:{account}:domain/{id} | {id}
elasticfilesystem:file-system | aws_efs_file_system | elasticfilesystem:{region}:{account}:file-system/{id} | {id}
elasticfilesystem:access-point | aws_efs_access_point | elasticfilesystem:{region}:{account}:access-point/{id} | {id}
apigateway:restapis | aws_api_gateway_rest_api | apigateway:{region}::/restapis/{p1} | {p1}
apigateway:restapis/stages | aws_api_gateway_stage | apigateway:{region}::/restapis/{p1}/stages/{p3} | {p1}/{p3}
apigateway:apis | aws_apigatewayv2_api | apigateway:{region}::/apis/{p1} | {p1}
apigateway:apis/stages | aws_apigatewayv2_stage | apigateway:{region}::/apis/{p1}/stages/{p3} | {p1}/{p3}
apigateway:vpclinks | aws_api_gateway_vpc_link | apigateway:{region}::/vpclinks/{p1} | {p1}
kafka:cluster | aws_msk_cluster | kafka:{region}:{account}:cluster/{name}/{uuid} | {arn}
kafka:configuration | aws_msk_configuration | kafka:{region}:{account}:configuration/{name}/{uuid} | {arn}
elasticmapreduce:cluster | aws_emr_cluster | elasticmapreduce:{region}:{account}:cluster/{id} | {id}
emr-serverless:applications | aws_emrserverless_application | emr-serverless:{region}:{account}:/applications/{id} | {id}
glue:database | aws_glue_catalog_database | glue:{region}:{account}:database/{id} | {account}:{id}
glue:table | aws_glue_catalog_table | glue:{region}:{account}:table/{p1}/{p2} | {account}:{p1}:{p2}
glue:crawler | aws_glue_crawler | glue:{region}:{account}:crawler/{id} | {id}
glue:job | aws_glue_job | glue:{region}:{account}:job/{id} | {id}
glue:trigger | aws_glue_trigger | glue:{region}:{account}:trigger/{id} | {id}
glue:workflow | aws_glue_workflow | glue:{region}:{account}:workflow/{id} | {id}
glue:registry | aws_glue_registry | glue:{region}:{account}:registry/{id} | {arn}
config:config-rule | aws_config_config_rule | config:{region}:{account}:config-rule/{id} | - | DescribeConfigRules: import id is the rule name
kinesis:stream | aws_kinesis_stream | kinesis:{region}:{account}:stream/{id} | {id}
firehose:deliverystream | aws_kinesis_firehose_delivery_stream | firehose:{region}:{account}:deliverystream/{id} | {arn}
kinesisvideo:stream | aws_kinesis_video_stream | kinesisvideo:{region}:{account}:stream/{name}/{ts} | {arn}
cloudfront:distribution | aws_cloudfront_distribution | cloudfront::{account}:distribution/{id} | {id}
cloudfront:function | aws_cloudfront_function | cloudfront::{account}:function/{id} | {id}
cloudfront:origin-access-control | aws_cloudfront_origin_access_control | cloudfront::{account}:origin-access-control/{id} | {id}
cloudfront:origin-access-identity | aws_cloudfront_origin_access_identity | cloudfront::{account}:origin-access-identity/{id} | {id}
cloudfront:cache-policy | aws_cloudfront_cache_policy | cloudfront::{account}:cache-policy/{id} | {id}
cloudfront:origin-request-policy | aws_cloudfront_origin_request_policy | cloudfront::{account}:origin-request-policy/{id} | {id}
cloudfront:response-headers-policy | aws_cloudfront_response_headers_policy | cloudfront::{account}:response-headers-policy/{id} | {id}
cloudfront:realtime-log-config | aws_cloudfront_realtime_log_config | cloudfront::{account}:realtime-log-config/{id} | {arn}
cloudtrail:trail | aws_cloudtrail | cloudtrail:{region}:{account}:trail/{id} | {arn}
cloudformation:stack | aws_cloudformation_stack | cloudformation:{region}:{account}:stack/{p1}/{uuid} | {p1} | rarely worth an import
cloudformation:stackset | aws_cloudformation_stack_set | cloudformation:{region}:{account}:stackset/{stackset_name}:{uuid} | {stackset_name} | rarely worth an import
ecr:repository | aws_ecr_repository | ecr:{region}:{account}:repository/{id} | {id}
ecr-public:repository | aws_ecrpublic_repository | ecr-public::{account}:repository/{id} | {id}
eks:cluster | aws_eks_cluster | eks:{region}:{account}:cluster/{id} | {id}
eks:nodegroup | aws_eks_node_group | eks:{region}:{account}:nodegroup/{p1}/{p2}/{uuid} | {p1}:{p2}
eks:addon | aws_eks_addon | eks:{region}:{account}:addon/{p1}/{p2}/{uuid} | {p1}:{p2}
eks:fargateprofile | aws_eks_fargate_profile | eks:{region}:{account}:fargateprofile/{p1}/{p2}/{uuid} | {p1}:{p2}
eks:podidentityassociation | aws_eks_pod_identity_association | eks:{region}:{account}:podidentityassociation/{p1}/{p2} | {p1},{p2}
backup:backup-vault | aws_backup_vault | backup:{region}:{account}:backup-vault:{id} | {id}
backup:backup-plan | aws_backup_plan | backup:{region}:{account}:backup-plan:{id} | {id}
fsx:file-system | aws_fsx_lustre_file_system | fsx:{region}:{account}:file-system/{id} | - | DescribeFileSystems FileSystemType: lustre, windows, ontap or openzfs type
dms:endpoint | aws_dms_endpoint | dms:{region}:{account}:endpoint:{id} | - | import id is EndpointIdentifier
dms:rep | aws_dms_replication_instance | dms:{region}:{account}:rep:{id} | - | import id is ReplicationInstanceIdentifier
dms:subgrp | aws_dms_replication_subnet_group | dms:{region}:{account}:subgrp:{id} | {id}
route53:hostedzone | aws_route53_zone | route53:::hostedzone/{id} | {id}
route53:healthcheck | aws_route53_health_check | route53:::healthcheck/{id} | {id}
route53resolver:resolver-endpoint | aws_route53_resolver_endpoint | route53resolver:{region}:{account}:resolver-endpoint/{id} | {id}
route53resolver:resolver-rule | aws_route53_resolver_rule | route53resolver:{region}:{account}:resolver-rule/{id} | {id}
route53resolver:firewall-domain-list | aws_route53_resolver_firewall_domain_list | route53resolver:{region}:{account}:firewall-domain-list/{id} | {id}
route53resolver:firewall-rule-group | aws_route53_resolver_firewall_rule_group | route53resolver:{region}:{account}:firewall-rule-group/{id} | {id}
route53resolver:resolver-query-log-config | aws_route53_resolver_query_log_config | route53resolver:{region}:{account}:resolver-query-log-config/{id} | {id}
wafv2:webacl | aws_wafv2_web_acl | wafv2:{region}:{account}:{scope}/webacl/{name}/{id} | {id}/{name}/{SCOPE}
wafv2:ipset | aws_wafv2_ip_set | wafv2:{region}:{account}:{scope}/ipset/{name}/{id} | {id}/{name}/{SCOPE}
wafv2:rulegroup | aws_wafv2_rule_group | wafv2:{region}:{account}:{scope}/rulegroup/{name}/{id} | {id}/{name}/{SCOPE}
wafv2:regexpatternset | aws_wafv2_regex_pattern_set | wafv2:{region}:{account}:{scope}/regexpatternset/{name}/{id} | {id}/{name}/{SCOPE}
guardduty:detector | aws_guardduty_detector | guardduty:{region}:{account}:detector/{id} | {id}
guardduty:detector/filter | aws_guardduty_filter | guardduty:{region}:{account}:detector/{p1}/filter/{p3} | {p1}:{p3}
guardduty:detector/ipset | aws_guardduty_ipset | guardduty:{region}:{account}:detector/{p1}/ipset/{p3} | {p1}:{p3}
redshift:cluster | aws_redshift_cluster | redshift:{region}:{account}:cluster:{id} | {id}
redshift:parametergroup | aws_redshift_parameter_group | redshift:{region}:{account}:parametergroup:{id} | {id}
redshift:subnetgroup | aws_redshift_subnet_group | redshift:{region}:{account}:subnetgroup:{id} | {id}
redshift:eventsubscription | aws_redshift_event_subscription | redshift:{region}:{account}:eventsubscription:{id} | {id}
redshift:snapshotschedule | aws_redshift_snapshot_schedule | redshift:{region}:{account}:snapshotschedule:{id} | {id}
ses:identity | aws_ses_domain_identity | ses:{region}:{account}:identity/{id} | {id}
ses:configuration-set | aws_ses_configuration_set | ses:{region}:{account}:configuration-set/{id} | {id}
scheduler:schedule-group | aws_scheduler_schedule_group | scheduler:{region}:{account}:schedule-group/{id} | {id}
autoscaling:autoScalingGroup | aws_autoscaling_group | autoscaling:{region}:{account}:autoScalingGroup:{uuid}:autoScalingGroupName/{asg_name} | {asg_name}
directconnect:dx-gateway | aws_dx_gateway | directconnect::{account}:dx-gateway/{id} | {id}
directconnect:dxcon | aws_dx_connection | directconnect:{region}:{account}:dxcon/{id} | {id}
network-firewall:firewall | aws_networkfirewall_firewall | network-firewall:{region}:{account}:firewall/{id} | {arn}
network-firewall:firewall-policy | aws_networkfirewall_firewall_policy | network-firewall:{region}:{account}:firewall-policy/{id} | {arn}
network-firewall:stateful-rulegroup | aws_networkfirewall_rule_group | network-firewall:{region}:{account}:stateful-rulegroup/{id} | {arn}
network-firewall:stateless-rulegroup | aws_networkfirewall_rule_group | network-firewall:{region}:{account}:stateless-rulegroup/{id} | {arn}
mq:broker | aws_mq_broker | mq:{region}:{account}:broker:{name}:{id} | {id}
dax:cache | aws_dax_cluster | dax:{region}:{account}:cache/{id} | {id}
sagemaker:endpoint | aws_sagemaker_endpoint | sagemaker:{region}:{account}:endpoint/{id} | {id}
sagemaker:endpoint-config | aws_sagemaker_endpoint_configuration | sagemaker:{region}:{account}:endpoint-config/{id} | {id}
sagemaker:notebook-instance | aws_sagemaker_notebook_instance | sagemaker:{region}:{account}:notebook-instance/{id} | {id}
sagemaker:domain | aws_sagemaker_domain | sagemaker:{region}:{account}:domain/{id} | {id}
sagemaker:model | aws_sagemaker_model | sagemaker:{region}:{account}:model/{id} | {id}
batch:compute-environment | aws_batch_compute_environment | batch:{region}:{account}:compute-environment/{id} | {id}
batch:job-queue | aws_batch_job_queue | batch:{region}:{account}:job-queue/{id} | {arn}
batch:job-definition | aws_batch_job_definition | batch:{region}:{account}:job-definition/{id} | {arn}
transfer:server | aws_transfer_server | transfer:{region}:{account}:server/{id} | {id}
transfer:user | aws_transfer_user | transfer:{region}:{account}:user/{p1}/{p2} | {p1}/{p2}
storagegateway:gateway | aws_storagegateway_gateway | storagegateway:{region}:{account}:gateway/{id} | {arn}
apprunner:service | aws_apprunner_service | apprunner:{region}:{account}:service/{name}/{id} | {arn}
amplify:apps | aws_amplify_app | amplify:{region}:{account}:apps/{id} | {id}
appsync:apis | aws_appsync_graphql_api | appsync:{region}:{account}:apis/{id} | {id}
appconfig:application | aws_appconfig_application | appconfig:{region}:{account}:application/{id} | {id}
athena:workgroup | aws_athena_workgroup | athena:{region}:{account}:workgroup/{id} | {id}
athena:datacatalog | aws_athena_data_catalog | athena:{region}:{account}:datacatalog/{id} | {id}
budgets:budget | aws_budgets_budget | budgets::{account}:budget/{id} | {account}:{id}
codebuild:project | aws_codebuild_project | codebuild:{region}:{account}:project/{id} | {id}
codecommit:repository | aws_codecommit_repository | codecommit:{region}:{account}:{id} | {id}
codeconnections:connection | aws_codeconnections_connection | codeconnections:{region}:{account}:connection/{id} | {arn}
codepipeline:pipeline | aws_codepipeline | codepipeline:{region}:{account}:{id} | {id}
codedeploy:application | aws_codedeploy_app | codedeploy:{region}:{account}:application:{id} | {id}
codeartifact:domain | aws_codeartifact_domain | codeartifact:{region}:{account}:domain/{id} | {arn}
codeartifact:repository | aws_codeartifact_repository | codeartifact:{region}:{account}:repository/{domain}/{id} | {arn}
connect:instance | aws_connect_instance | connect:{region}:{account}:instance/{id} | {id}
datasync:task | aws_datasync_task | datasync:{region}:{account}:task/{id} | {arn}
ds:directory | aws_directory_service_directory | ds:{region}:{account}:directory/{id} | {id}
aps:workspace | aws_prometheus_workspace | aps:{region}:{account}:workspace/{id} | {id}
grafana:workspaces | aws_grafana_workspace | grafana:{region}:{account}:/workspaces/{id} | {id}
globalaccelerator:accelerator | aws_globalaccelerator_accelerator | globalaccelerator::{account}:accelerator/{id} | {arn}
memorydb:cluster | aws_memorydb_cluster | memorydb:{region}:{account}:cluster/{id} | {id}
airflow:environment | aws_mwaa_environment | airflow:{region}:{account}:environment/{id} | {id}
workspaces:workspace | aws_workspaces_workspace | workspaces:{region}:{account}:workspace/{id} | {id}
aoss:collection | aws_opensearchserverless_collection | aoss:{region}:{account}:collection/{id} | {id}
elasticbeanstalk:application | aws_elastic_beanstalk_application | elasticbeanstalk:{region}:{account}:application/{id} | {id}
elasticbeanstalk:environment | aws_elastic_beanstalk_environment | elasticbeanstalk:{region}:{account}:environment/{p1}/{p2} | - | import id is e-<id>
synthetics:canary | aws_synthetics_canary | synthetics:{region}:{account}:canary:{id} | {id}
ram:resource-share | aws_ram_resource_share | ram:{region}:{account}:resource-share/{id} | {arn}
resource-groups:group | aws_resourcegroups_group | resource-groups:{region}:{account}:group/{id} | {id}
servicediscovery:service | aws_service_discovery_service | servicediscovery:{region}:{account}:service/{id} | {id}
vpc-lattice:service | aws_vpclattice_service | vpc-lattice:{region}:{account}:service/{id} | {id}
dlm:policy | aws_dlm_lifecycle_policy | dlm:{region}:{account}:policy/{id} | {id}
imagebuilder:image-pipeline | aws_imagebuilder_image_pipeline | imagebuilder:{region}:{account}:image-pipeline/{id} | {arn}
imagebuilder:image-recipe | aws_imagebuilder_image_recipe | imagebuilder:{region}:{account}:image-recipe/{name}/{version} | {arn}
oam:sink | aws_oam_sink | oam:{region}:{account}:sink/{id} | {arn}
iot:policy | aws_iot_policy | iot:{region}:{account}:policy/{id} | {id}
iot:thing | aws_iot_thing | iot:{region}:{account}:thing/{id} | {id}
`;

export const AWS_IMPORT_TYPES: readonly AwsImportType[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [resourceType = '', terraformType = '', pattern = '', importId, remark] = line.split(' | ');
    return {
      resourceType,
      terraformType,
      pattern,
      importId: importId === '-' ? undefined : importId,
      remark,
    };
  });
