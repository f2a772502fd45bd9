import { canImportAws, mapAwsImport } from './aws-import.rules.js';

/** resource type | Terraform type | ARN | import id, or - where the ARN does not tell it */
const EXAMPLES = `
ec2:instance | aws_instance | arn:aws:ec2:eu-west-1:123456789012:instance/i-0abc | i-0abc
ec2:elastic-ip | aws_eip | arn:aws:ec2:eu-west-1:123456789012:elastic-ip/eipalloc-0abc | eipalloc-0abc
ec2:volume | aws_ebs_volume | arn:aws:ec2:eu-west-1:123456789012:volume/vol-0abc | vol-0abc
ec2:vpc | aws_vpc | arn:aws:ec2:eu-west-1:123456789012:vpc/vpc-0abc | vpc-0abc
ec2:subnet | aws_subnet | arn:aws:ec2:eu-west-1:123456789012:subnet/subnet-0abc | subnet-0abc
ec2:security-group | aws_security_group | arn:aws:ec2:eu-west-1:123456789012:security-group/sg-0abc | sg-0abc
ec2:internet-gateway | aws_internet_gateway | arn:aws:ec2:eu-west-1:123456789012:internet-gateway/igw-0abc | igw-0abc
ec2:natgateway | aws_nat_gateway | arn:aws:ec2:eu-west-1:123456789012:natgateway/nat-0abc | nat-0abc
ec2:route-table | aws_route_table | arn:aws:ec2:eu-west-1:123456789012:route-table/rtb-0abc | rtb-0abc
ec2:network-acl | aws_network_acl | arn:aws:ec2:eu-west-1:123456789012:network-acl/acl-0abc | acl-0abc
ec2:network-interface | aws_network_interface | arn:aws:ec2:eu-west-1:123456789012:network-interface/eni-0abc | eni-0abc
ec2:vpc-endpoint | aws_vpc_endpoint | arn:aws:ec2:eu-west-1:123456789012:vpc-endpoint/vpce-0abc | vpce-0abc
ec2:vpc-endpoint-service | aws_vpc_endpoint_service | arn:aws:ec2:eu-west-1:123456789012:vpc-endpoint-service/vpce-svc-0abc | vpce-svc-0abc
ec2:vpc-flow-log | aws_flow_log | arn:aws:ec2:eu-west-1:123456789012:vpc-flow-log/fl-0abc | fl-0abc
ec2:vpc-peering-connection | aws_vpc_peering_connection | arn:aws:ec2:eu-west-1:123456789012:vpc-peering-connection/pcx-0abc | pcx-0abc
ec2:customer-gateway | aws_customer_gateway | arn:aws:ec2:eu-west-1:123456789012:customer-gateway/cgw-0abc | cgw-0abc
ec2:vpn-gateway | aws_vpn_gateway | arn:aws:ec2:eu-west-1:123456789012:vpn-gateway/vgw-0abc | vgw-0abc
ec2:vpn-connection | aws_vpn_connection | arn:aws:ec2:eu-west-1:123456789012:vpn-connection/vpn-0abc | vpn-0abc
ec2:dhcp-options | aws_vpc_dhcp_options | arn:aws:ec2:eu-west-1:123456789012:dhcp-options/dopt-0abc | dopt-0abc
ec2:egress-only-internet-gateway | aws_egress_only_internet_gateway | arn:aws:ec2:eu-west-1:123456789012:egress-only-internet-gateway/eigw-0abc | eigw-0abc
ec2:launch-template | aws_launch_template | arn:aws:ec2:eu-west-1:123456789012:launch-template/lt-0abc | lt-0abc
ec2:transit-gateway | aws_ec2_transit_gateway | arn:aws:ec2:eu-west-1:123456789012:transit-gateway/tgw-0abc | tgw-0abc
ec2:transit-gateway-route-table | aws_ec2_transit_gateway_route_table | arn:aws:ec2:eu-west-1:123456789012:transit-gateway-route-table/tgw-rtb-0abc | tgw-rtb-0abc
ec2:transit-gateway-connect-peer | aws_ec2_transit_gateway_connect_peer | arn:aws:ec2:eu-west-1:123456789012:transit-gateway-connect-peer/tgw-connect-peer-0abc | tgw-connect-peer-0abc
ec2:transit-gateway-multicast-domain | aws_ec2_transit_gateway_multicast_domain | arn:aws:ec2:eu-west-1:123456789012:transit-gateway-multicast-domain/tgw-mcast-domain-0abc | tgw-mcast-domain-0abc
ec2:capacity-reservation | aws_ec2_capacity_reservation | arn:aws:ec2:eu-west-1:123456789012:capacity-reservation/cr-0abc | cr-0abc
ec2:carrier-gateway | aws_ec2_carrier_gateway | arn:aws:ec2:eu-west-1:123456789012:carrier-gateway/cagw-0abc | cagw-0abc
ec2:client-vpn-endpoint | aws_ec2_client_vpn_endpoint | arn:aws:ec2:eu-west-1:123456789012:client-vpn-endpoint/cvpn-endpoint-0abc | cvpn-endpoint-0abc
ec2:prefix-list | aws_ec2_managed_prefix_list | arn:aws:ec2:eu-west-1:123456789012:prefix-list/pl-0abc | pl-0abc
ec2:dedicated-host | aws_ec2_host | arn:aws:ec2:eu-west-1:123456789012:dedicated-host/h-0abc | h-0abc
ec2:fleet | aws_ec2_fleet | arn:aws:ec2:eu-west-1:123456789012:fleet/fleet-0abc | fleet-0abc
ec2:spot-fleet-request | aws_spot_fleet_request | arn:aws:ec2:eu-west-1:123456789012:spot-fleet-request/sfr-0abc | sfr-0abc
ec2:ipam | aws_vpc_ipam | arn:aws:ec2:eu-west-1:123456789012:ipam/ipam-0abc | ipam-0abc
ec2:ipam-pool | aws_vpc_ipam_pool | arn:aws:ec2:eu-west-1:123456789012:ipam-pool/ipam-pool-0abc | ipam-pool-0abc
ec2:ipam-scope | aws_vpc_ipam_scope | arn:aws:ec2:eu-west-1:123456789012:ipam-scope/ipam-scope-0abc | ipam-scope-0abc
ec2:traffic-mirror-filter | aws_ec2_traffic_mirror_filter | arn:aws:ec2:eu-west-1:123456789012:traffic-mirror-filter/tmf-0abc | tmf-0abc
ec2:traffic-mirror-session | aws_ec2_traffic_mirror_session | arn:aws:ec2:eu-west-1:123456789012:traffic-mirror-session/tms-0abc | tms-0abc
ec2:traffic-mirror-target | aws_ec2_traffic_mirror_target | arn:aws:ec2:eu-west-1:123456789012:traffic-mirror-target/tmt-0abc | tmt-0abc
ec2:placement-group | aws_placement_group | arn:aws:ec2:eu-west-1:123456789012:placement-group/my-group | my-group
ec2:verified-access-instance | aws_verifiedaccess_instance | arn:aws:ec2:eu-west-1:123456789012:verified-access-instance/vai-0abc | vai-0abc
ec2:transit-gateway-attachment | aws_ec2_transit_gateway_vpc_attachment | arn:aws:ec2:eu-west-1:123456789012:transit-gateway-attachment/tgw-attach-0abc | tgw-attach-0abc
ec2:key-pair | aws_key_pair | arn:aws:ec2:eu-west-1:123456789012:key-pair/key-0abc | -
ec2:security-group-rule | aws_vpc_security_group_ingress_rule | arn:aws:ec2:eu-west-1:123456789012:security-group-rule/sgr-0abc | -
ec2:image | aws_ami | arn:aws:ec2:eu-west-1::image/main | main
ec2:snapshot | aws_ebs_snapshot | arn:aws:ec2:eu-west-1::snapshot/main | main
s3:bucket | aws_s3_bucket | arn:aws:s3:::main | main
s3:accesspoint | aws_s3_access_point | arn:aws:s3:eu-west-1:123456789012:accesspoint/main | 123456789012:main
s3:storage-lens | aws_s3control_storage_lens_configuration | arn:aws:s3:eu-west-1:123456789012:storage-lens/main | 123456789012:main
sns:topic | aws_sns_topic | arn:aws:sns:eu-west-1:123456789012:main | arn:aws:sns:eu-west-1:123456789012:main
sqs:queue | aws_sqs_queue | arn:aws:sqs:eu-west-1:123456789012:main | https://sqs.eu-west-1.amazonaws.com/123456789012/main
rds:db | aws_db_instance | arn:aws:rds:eu-west-1:123456789012:db:main | main
rds:cluster | aws_rds_cluster | arn:aws:rds:eu-west-1:123456789012:cluster:main | main
rds:pg | aws_db_parameter_group | arn:aws:rds:eu-west-1:123456789012:pg:main | main
rds:cluster-pg | aws_rds_cluster_parameter_group | arn:aws:rds:eu-west-1:123456789012:cluster-pg:main | main
rds:subgrp | aws_db_subnet_group | arn:aws:rds:eu-west-1:123456789012:subgrp:main | main
rds:og | aws_db_option_group | arn:aws:rds:eu-west-1:123456789012:og:main | main
rds:es | aws_db_event_subscription | arn:aws:rds:eu-west-1:123456789012:es:main | main
rds:snapshot | aws_db_snapshot | arn:aws:rds:eu-west-1:123456789012:snapshot:main | main
rds:cluster-snapshot | aws_db_cluster_snapshot | arn:aws:rds:eu-west-1:123456789012:cluster-snapshot:main | main
rds:global-cluster | aws_rds_global_cluster | arn:aws:rds::123456789012:global-cluster:main | main
rds:db-proxy | aws_db_proxy | arn:aws:rds:eu-west-1:123456789012:db-proxy:main | -
logs:log-group | aws_cloudwatch_log_group | arn:aws:logs:eu-west-1:123456789012:log-group:main | main
logs:destination | aws_cloudwatch_log_destination | arn:aws:logs:eu-west-1:123456789012:destination:main | main
events:rule | aws_cloudwatch_event_rule | arn:aws:events:eu-west-1:123456789012:rule/main | main
events:event-bus | aws_cloudwatch_event_bus | arn:aws:events:eu-west-1:123456789012:event-bus/main | main
events:archive | aws_cloudwatch_event_archive | arn:aws:events:eu-west-1:123456789012:archive/main | main
events:api-destination | aws_cloudwatch_event_api_destination | arn:aws:events:eu-west-1:123456789012:api-destination/alpha/0f8e7d6c-1111-4222-8333-444455556666 | alpha
events:connection | aws_cloudwatch_event_connection | arn:aws:events:eu-west-1:123456789012:connection/alpha/0f8e7d6c-1111-4222-8333-444455556666 | alpha
cloudwatch:alarm | aws_cloudwatch_metric_alarm | arn:aws:cloudwatch:eu-west-1:123456789012:alarm:main | main
cloudwatch:dashboard | aws_cloudwatch_dashboard | arn:aws:cloudwatch::123456789012:dashboard/main | main
cloudwatch:metric-stream | aws_cloudwatch_metric_stream | arn:aws:cloudwatch:eu-west-1:123456789012:metric-stream/main | main
elasticloadbalancing:loadbalancer/app | aws_lb | arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/main/50dc6c495c0c9188 | arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/main/50dc6c495c0c9188
elasticloadbalancing:loadbalancer/net | aws_lb | arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/net/main/50dc6c495c0c9188 | arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/net/main/50dc6c495c0c9188
elasticloadbalancing:loadbalancer/gwy | aws_lb | arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/gwy/main/50dc6c495c0c9188 | arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/gwy/main/50dc6c495c0c9188
elasticloadbalancing:loadbalancer | aws_elb | arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/main | main
elasticloadbalancing:targetgroup | aws_lb_target_group | arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/main/50dc6c495c0c9188 | arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/main/50dc6c495c0c9188
elasticloadbalancing:listener/app | aws_lb_listener | arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/app/front/50dc6c495c0c9188/f2f7dc8efc522ab2 | arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/app/front/50dc6c495c0c9188/f2f7dc8efc522ab2
elasticloadbalancing:listener/net | aws_lb_listener | arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/net/front/50dc6c495c0c9188/f2f7dc8efc522ab2 | arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/net/front/50dc6c495c0c9188/f2f7dc8efc522ab2
elasticloadbalancing:listener/gwy | aws_lb_listener | arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/gwy/front/50dc6c495c0c9188/f2f7dc8efc522ab2 | arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/gwy/front/50dc6c495c0c9188/f2f7dc8efc522ab2
elasticloadbalancing:listener-rule/app | aws_lb_listener_rule | arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener-rule/app/front/50dc6c495c0c9188/f2f7dc8efc522ab2/9683b2d02a6cabee | arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener-rule/app/front/50dc6c495c0c9188/f2f7dc8efc522ab2/9683b2d02a6cabee
ecs:cluster | aws_ecs_cluster | arn:aws:ecs:eu-west-1:123456789012:cluster/main | main
ecs:service | aws_ecs_service | arn:aws:ecs:eu-west-1:123456789012:service/alpha/beta | alpha/beta
ecs:task-definition | aws_ecs_task_definition | arn:aws:ecs:eu-west-1:123456789012:task-definition/web:7 | arn:aws:ecs:eu-west-1:123456789012:task-definition/web:7
ecs:capacity-provider | aws_ecs_capacity_provider | arn:aws:ecs:eu-west-1:123456789012:capacity-provider/main | arn:aws:ecs:eu-west-1:123456789012:capacity-provider/main
iam:role | aws_iam_role | arn:aws:iam::123456789012:role/team/main | main
iam:user | aws_iam_user | arn:aws:iam::123456789012:user/team/main | main
iam:group | aws_iam_group | arn:aws:iam::123456789012:group/team/main | main
iam:policy | aws_iam_policy | arn:aws:iam::123456789012:policy/team/main | arn:aws:iam::123456789012:policy/team/main
iam:instance-profile | aws_iam_instance_profile | arn:aws:iam::123456789012:instance-profile/team/main | main
iam:oidc-provider | aws_iam_openid_connect_provider | arn:aws:iam::123456789012:oidc-provider/team/main | arn:aws:iam::123456789012:oidc-provider/team/main
iam:saml-provider | aws_iam_saml_provider | arn:aws:iam::123456789012:saml-provider/team/main | arn:aws:iam::123456789012:saml-provider/team/main
iam:server-certificate | aws_iam_server_certificate | arn:aws:iam::123456789012:server-certificate/team/main | main
lambda:function | aws_lambda_function | arn:aws:lambda:eu-west-1:123456789012:function:main | main
lambda:layer/version | aws_lambda_layer_version | arn:aws:lambda:eu-west-1:123456789012:layer:main:3 | arn:aws:lambda:eu-west-1:123456789012:layer:main:3
lambda:event-source-mapping | aws_lambda_event_source_mapping | arn:aws:lambda:eu-west-1:123456789012:event-source-mapping:main | main
lambda:code-signing-config | aws_lambda_code_signing_config | arn:aws:lambda:eu-west-1:123456789012:code-signing-config:main | arn:aws:lambda:eu-west-1:123456789012:code-signing-config:main
states:stateMachine | aws_sfn_state_machine | arn:aws:states:eu-west-1:123456789012:stateMachine:main | arn:aws:states:eu-west-1:123456789012:stateMachine:main
states:activity | aws_sfn_activity | arn:aws:states:eu-west-1:123456789012:activity:main | arn:aws:states:eu-west-1:123456789012:activity:main
acm:certificate | aws_acm_certificate | arn:aws:acm:eu-west-1:123456789012:certificate/main | arn:aws:acm:eu-west-1:123456789012:certificate/main
acm-pca:certificate-authority | aws_acmpca_certificate_authority | arn:aws:acm-pca:eu-west-1:123456789012:certificate-authority/main | arn:aws:acm-pca:eu-west-1:123456789012:certificate-authority/main
secretsmanager:secret | aws_secretsmanager_secret | arn:aws:secretsmanager:eu-west-1:123456789012:secret:main-a1B2c3 | arn:aws:secretsmanager:eu-west-1:123456789012:secret:main-a1B2c3
kms:key | aws_kms_key | arn:aws:kms:eu-west-1:123456789012:key/main | main
kms:alias | aws_kms_alias | arn:aws:kms:eu-west-1:123456789012:alias/main | alias/main
dynamodb:table | aws_dynamodb_table | arn:aws:dynamodb:eu-west-1:123456789012:table/main | main
ssm:parameter | aws_ssm_parameter | arn:aws:ssm:eu-west-1:123456789012:parameter/main | main
ssm:document | aws_ssm_document | arn:aws:ssm:eu-west-1:123456789012:document/main | main
ssm:maintenancewindow | aws_ssm_maintenance_window | arn:aws:ssm:eu-west-1:123456789012:maintenancewindow/main | main
ssm:patchbaseline | aws_ssm_patch_baseline | arn:aws:ssm:eu-west-1:123456789012:patchbaseline/main | main
cognito-idp:userpool | aws_cognito_user_pool | arn:aws:cognito-idp:eu-west-1:123456789012:userpool/main | main
cognito-identity:identitypool | aws_cognito_identity_pool | arn:aws:cognito-identity:eu-west-1:123456789012:identitypool/main | main
elasticache:cluster | aws_elasticache_cluster | arn:aws:elasticache:eu-west-1:123456789012:cluster:main | main
elasticache:replicationgroup | aws_elasticache_replication_group | arn:aws:elasticache:eu-west-1:123456789012:replicationgroup:main | main
elasticache:parametergroup | aws_elasticache_parameter_group | arn:aws:elasticache:eu-west-1:123456789012:parametergroup:main | main
elasticache:subnetgroup | aws_elasticache_subnet_group | arn:aws:elasticache:eu-west-1:123456789012:subnetgroup:main | main
elasticache:user | aws_elasticache_user | arn:aws:elasticache:eu-west-1:123456789012:user:main | main
elasticache:usergroup | aws_elasticache_user_group | arn:aws:elasticache:eu-west-1:123456789012:usergroup:main | main
elasticache:globalreplicationgroup | aws_elasticache_global_replication_group | arn:aws:elasticache::123456789012:globalreplicationgroup:main | main
es:domain | aws_opensearch_domain | arn:aws:es:eu-west-1:123456789012:domain/main | main
elasticfilesystem:file-system | aws_efs_file_system | arn:aws:elasticfilesystem:eu-west-1:123456789012:file-system/main | main
elasticfilesystem:access-point | aws_efs_access_point | arn:aws:elasticfilesystem:eu-west-1:123456789012:access-point/main | main
apigateway:restapis | aws_api_gateway_rest_api | arn:aws:apigateway:eu-west-1::/restapis/alpha | alpha
apigateway:restapis/stages | aws_api_gateway_stage | arn:aws:apigateway:eu-west-1::/restapis/alpha/stages/gamma | alpha/gamma
apigateway:apis | aws_apigatewayv2_api | arn:aws:apigateway:eu-west-1::/apis/alpha | alpha
apigateway:apis/stages | aws_apigatewayv2_stage | arn:aws:apigateway:eu-west-1::/apis/alpha/stages/gamma | alpha/gamma
apigateway:vpclinks | aws_api_gateway_vpc_link | arn:aws:apigateway:eu-west-1::/vpclinks/alpha | alpha
kafka:cluster | aws_msk_cluster | arn:aws:kafka:eu-west-1:123456789012:cluster/main/0f8e7d6c-1111-4222-8333-444455556666 | arn:aws:kafka:eu-west-1:123456789012:cluster/main/0f8e7d6c-1111-4222-8333-444455556666
kafka:configuration | aws_msk_configuration | arn:aws:kafka:eu-west-1:123456789012:configuration/main/0f8e7d6c-1111-4222-8333-444455556666 | arn:aws:kafka:eu-west-1:123456789012:configuration/main/0f8e7d6c-1111-4222-8333-444455556666
elasticmapreduce:cluster | aws_emr_cluster | arn:aws:elasticmapreduce:eu-west-1:123456789012:cluster/main | main
emr-serverless:applications | aws_emrserverless_application | arn:aws:emr-serverless:eu-west-1:123456789012:/applications/main | main
glue:database | aws_glue_catalog_database | arn:aws:glue:eu-west-1:123456789012:database/main | 123456789012:main
glue:table | aws_glue_catalog_table | arn:aws:glue:eu-west-1:123456789012:table/alpha/beta | 123456789012:alpha:beta
glue:crawler | aws_glue_crawler | arn:aws:glue:eu-west-1:123456789012:crawler/main | main
glue:job | aws_glue_job | arn:aws:glue:eu-west-1:123456789012:job/main | main
glue:trigger | aws_glue_trigger | arn:aws:glue:eu-west-1:123456789012:trigger/main | main
glue:workflow | aws_glue_workflow | arn:aws:glue:eu-west-1:123456789012:workflow/main | main
glue:registry | aws_glue_registry | arn:aws:glue:eu-west-1:123456789012:registry/main | arn:aws:glue:eu-west-1:123456789012:registry/main
config:config-rule | aws_config_config_rule | arn:aws:config:eu-west-1:123456789012:config-rule/main | -
kinesis:stream | aws_kinesis_stream | arn:aws:kinesis:eu-west-1:123456789012:stream/main | main
firehose:deliverystream | aws_kinesis_firehose_delivery_stream | arn:aws:firehose:eu-west-1:123456789012:deliverystream/main | arn:aws:firehose:eu-west-1:123456789012:deliverystream/main
kinesisvideo:stream | aws_kinesis_video_stream | arn:aws:kinesisvideo:eu-west-1:123456789012:stream/main/1473694023638 | arn:aws:kinesisvideo:eu-west-1:123456789012:stream/main/1473694023638
cloudfront:distribution | aws_cloudfront_distribution | arn:aws:cloudfront::123456789012:distribution/main | main
cloudfront:function | aws_cloudfront_function | arn:aws:cloudfront::123456789012:function/main | main
cloudfront:origin-access-control | aws_cloudfront_origin_access_control | arn:aws:cloudfront::123456789012:origin-access-control/main | main
cloudfront:origin-access-identity | aws_cloudfront_origin_access_identity | arn:aws:cloudfront::123456789012:origin-access-identity/main | main
cloudfront:cache-policy | aws_cloudfront_cache_policy | arn:aws:cloudfront::123456789012:cache-policy/main | main
cloudfront:origin-request-policy | aws_cloudfront_origin_request_policy | arn:aws:cloudfront::123456789012:origin-request-policy/main | main
cloudfront:response-headers-policy | aws_cloudfront_response_headers_policy | arn:aws:cloudfront::123456789012:response-headers-policy/main | main
cloudfront:realtime-log-config | aws_cloudfront_realtime_log_config | arn:aws:cloudfront::123456789012:realtime-log-config/main | arn:aws:cloudfront::123456789012:realtime-log-config/main
cloudtrail:trail | aws_cloudtrail | arn:aws:cloudtrail:eu-west-1:123456789012:trail/main | arn:aws:cloudtrail:eu-west-1:123456789012:trail/main
cloudformation:stack | aws_cloudformation_stack | arn:aws:cloudformation:eu-west-1:123456789012:stack/alpha/0f8e7d6c-1111-4222-8333-444455556666 | alpha
cloudformation:stackset | aws_cloudformation_stack_set | arn:aws:cloudformation:eu-west-1:123456789012:stackset/base:0f8e7d6c-1111-4222-8333-444455556666 | base
ecr:repository | aws_ecr_repository | arn:aws:ecr:eu-west-1:123456789012:repository/main | main
ecr-public:repository | aws_ecrpublic_repository | arn:aws:ecr-public::123456789012:repository/main | main
eks:cluster | aws_eks_cluster | arn:aws:eks:eu-west-1:123456789012:cluster/main | main
eks:nodegroup | aws_eks_node_group | arn:aws:eks:eu-west-1:123456789012:nodegroup/alpha/beta/0f8e7d6c-1111-4222-8333-444455556666 | alpha:beta
eks:addon | aws_eks_addon | arn:aws:eks:eu-west-1:123456789012:addon/alpha/beta/0f8e7d6c-1111-4222-8333-444455556666 | alpha:beta
eks:fargateprofile | aws_eks_fargate_profile | arn:aws:eks:eu-west-1:123456789012:fargateprofile/alpha/beta/0f8e7d6c-1111-4222-8333-444455556666 | alpha:beta
eks:podidentityassociation | aws_eks_pod_identity_association | arn:aws:eks:eu-west-1:123456789012:podidentityassociation/alpha/beta | alpha,beta
backup:backup-vault | aws_backup_vault | arn:aws:backup:eu-west-1:123456789012:backup-vault:main | main
backup:backup-plan | aws_backup_plan | arn:aws:backup:eu-west-1:123456789012:backup-plan:main | main
fsx:file-system | aws_fsx_lustre_file_system | arn:aws:fsx:eu-west-1:123456789012:file-system/main | -
dms:endpoint | aws_dms_endpoint | arn:aws:dms:eu-west-1:123456789012:endpoint:main | -
dms:rep | aws_dms_replication_instance | arn:aws:dms:eu-west-1:123456789012:rep:main | -
dms:subgrp | aws_dms_replication_subnet_group | arn:aws:dms:eu-west-1:123456789012:subgrp:main | main
route53:hostedzone | aws_route53_zone | arn:aws:route53:::hostedzone/main | main
route53:healthcheck | aws_route53_health_check | arn:aws:route53:::healthcheck/main | main
route53resolver:resolver-endpoint | aws_route53_resolver_endpoint | arn:aws:route53resolver:eu-west-1:123456789012:resolver-endpoint/main | main
route53resolver:resolver-rule | aws_route53_resolver_rule | arn:aws:route53resolver:eu-west-1:123456789012:resolver-rule/main | main
route53resolver:firewall-domain-list | aws_route53_resolver_firewall_domain_list | arn:aws:route53resolver:eu-west-1:123456789012:firewall-domain-list/main | main
route53resolver:firewall-rule-group | aws_route53_resolver_firewall_rule_group | arn:aws:route53resolver:eu-west-1:123456789012:firewall-rule-group/main | main
route53resolver:resolver-query-log-config | aws_route53_resolver_query_log_config | arn:aws:route53resolver:eu-west-1:123456789012:resolver-query-log-config/main | main
wafv2:webacl | aws_wafv2_web_acl | arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/main/main | main/main/REGIONAL
wafv2:ipset | aws_wafv2_ip_set | arn:aws:wafv2:eu-west-1:123456789012:regional/ipset/main/main | main/main/REGIONAL
wafv2:rulegroup | aws_wafv2_rule_group | arn:aws:wafv2:eu-west-1:123456789012:regional/rulegroup/main/main | main/main/REGIONAL
wafv2:regexpatternset | aws_wafv2_regex_pattern_set | arn:aws:wafv2:eu-west-1:123456789012:regional/regexpatternset/main/main | main/main/REGIONAL
guardduty:detector | aws_guardduty_detector | arn:aws:guardduty:eu-west-1:123456789012:detector/main | main
guardduty:detector/filter | aws_guardduty_filter | arn:aws:guardduty:eu-west-1:123456789012:detector/alpha/filter/gamma | alpha:gamma
guardduty:detector/ipset | aws_guardduty_ipset | arn:aws:guardduty:eu-west-1:123456789012:detector/alpha/ipset/gamma | alpha:gamma
redshift:cluster | aws_redshift_cluster | arn:aws:redshift:eu-west-1:123456789012:cluster:main | main
redshift:parametergroup | aws_redshift_parameter_group | arn:aws:redshift:eu-west-1:123456789012:parametergroup:main | main
redshift:subnetgroup | aws_redshift_subnet_group | arn:aws:redshift:eu-west-1:123456789012:subnetgroup:main | main
redshift:eventsubscription | aws_redshift_event_subscription | arn:aws:redshift:eu-west-1:123456789012:eventsubscription:main | main
redshift:snapshotschedule | aws_redshift_snapshot_schedule | arn:aws:redshift:eu-west-1:123456789012:snapshotschedule:main | main
ses:identity | aws_ses_domain_identity | arn:aws:ses:eu-west-1:123456789012:identity/main | main
ses:configuration-set | aws_ses_configuration_set | arn:aws:ses:eu-west-1:123456789012:configuration-set/main | main
scheduler:schedule-group | aws_scheduler_schedule_group | arn:aws:scheduler:eu-west-1:123456789012:schedule-group/main | main
autoscaling:autoScalingGroup | aws_autoscaling_group | arn:aws:autoscaling:eu-west-1:123456789012:autoScalingGroup:0f8e7d6c-1111-4222-8333-444455556666:autoScalingGroupName/workers | workers
directconnect:dx-gateway | aws_dx_gateway | arn:aws:directconnect::123456789012:dx-gateway/main | main
directconnect:dxcon | aws_dx_connection | arn:aws:directconnect:eu-west-1:123456789012:dxcon/main | main
network-firewall:firewall | aws_networkfirewall_firewall | arn:aws:network-firewall:eu-west-1:123456789012:firewall/main | arn:aws:network-firewall:eu-west-1:123456789012:firewall/main
network-firewall:firewall-policy | aws_networkfirewall_firewall_policy | arn:aws:network-firewall:eu-west-1:123456789012:firewall-policy/main | arn:aws:network-firewall:eu-west-1:123456789012:firewall-policy/main
network-firewall:stateful-rulegroup | aws_networkfirewall_rule_group | arn:aws:network-firewall:eu-west-1:123456789012:stateful-rulegroup/main | arn:aws:network-firewall:eu-west-1:123456789012:stateful-rulegroup/main
network-firewall:stateless-rulegroup | aws_networkfirewall_rule_group | arn:aws:network-firewall:eu-west-1:123456789012:stateless-rulegroup/main | arn:aws:network-firewall:eu-west-1:123456789012:stateless-rulegroup/main
mq:broker | aws_mq_broker | arn:aws:mq:eu-west-1:123456789012:broker:main:main | main
dax:cache | aws_dax_cluster | arn:aws:dax:eu-west-1:123456789012:cache/main | main
sagemaker:endpoint | aws_sagemaker_endpoint | arn:aws:sagemaker:eu-west-1:123456789012:endpoint/main | main
sagemaker:endpoint-config | aws_sagemaker_endpoint_configuration | arn:aws:sagemaker:eu-west-1:123456789012:endpoint-config/main | main
sagemaker:notebook-instance | aws_sagemaker_notebook_instance | arn:aws:sagemaker:eu-west-1:123456789012:notebook-instance/main | main
sagemaker:domain | aws_sagemaker_domain | arn:aws:sagemaker:eu-west-1:123456789012:domain/main | main
sagemaker:model | aws_sagemaker_model | arn:aws:sagemaker:eu-west-1:123456789012:model/main | main
batch:compute-environment | aws_batch_compute_environment | arn:aws:batch:eu-west-1:123456789012:compute-environment/main | main
batch:job-queue | aws_batch_job_queue | arn:aws:batch:eu-west-1:123456789012:job-queue/main | arn:aws:batch:eu-west-1:123456789012:job-queue/main
batch:job-definition | aws_batch_job_definition | arn:aws:batch:eu-west-1:123456789012:job-definition/main | arn:aws:batch:eu-west-1:123456789012:job-definition/main
transfer:server | aws_transfer_server | arn:aws:transfer:eu-west-1:123456789012:server/main | main
transfer:user | aws_transfer_user | arn:aws:transfer:eu-west-1:123456789012:user/alpha/beta | alpha/beta
storagegateway:gateway | aws_storagegateway_gateway | arn:aws:storagegateway:eu-west-1:123456789012:gateway/main | arn:aws:storagegateway:eu-west-1:123456789012:gateway/main
apprunner:service | aws_apprunner_service | arn:aws:apprunner:eu-west-1:123456789012:service/main/main | arn:aws:apprunner:eu-west-1:123456789012:service/main/main
amplify:apps | aws_amplify_app | arn:aws:amplify:eu-west-1:123456789012:apps/main | main
appsync:apis | aws_appsync_graphql_api | arn:aws:appsync:eu-west-1:123456789012:apis/main | main
appconfig:application | aws_appconfig_application | arn:aws:appconfig:eu-west-1:123456789012:application/main | main
athena:workgroup | aws_athena_workgroup | arn:aws:athena:eu-west-1:123456789012:workgroup/main | main
athena:datacatalog | aws_athena_data_catalog | arn:aws:athena:eu-west-1:123456789012:datacatalog/main | main
budgets:budget | aws_budgets_budget | arn:aws:budgets::123456789012:budget/main | 123456789012:main
codebuild:project | aws_codebuild_project | arn:aws:codebuild:eu-west-1:123456789012:project/main | main
codecommit:repository | aws_codecommit_repository | arn:aws:codecommit:eu-west-1:123456789012:main | main
codeconnections:connection | aws_codeconnections_connection | arn:aws:codeconnections:eu-west-1:123456789012:connection/main | arn:aws:codeconnections:eu-west-1:123456789012:connection/main
codepipeline:pipeline | aws_codepipeline | arn:aws:codepipeline:eu-west-1:123456789012:main | main
codedeploy:application | aws_codedeploy_app | arn:aws:codedeploy:eu-west-1:123456789012:application:main | main
codeartifact:domain | aws_codeartifact_domain | arn:aws:codeartifact:eu-west-1:123456789012:domain/main | arn:aws:codeartifact:eu-west-1:123456789012:domain/main
codeartifact:repository | aws_codeartifact_repository | arn:aws:codeartifact:eu-west-1:123456789012:repository/corp/main | arn:aws:codeartifact:eu-west-1:123456789012:repository/corp/main
connect:instance | aws_connect_instance | arn:aws:connect:eu-west-1:123456789012:instance/main | main
datasync:task | aws_datasync_task | arn:aws:datasync:eu-west-1:123456789012:task/main | arn:aws:datasync:eu-west-1:123456789012:task/main
ds:directory | aws_directory_service_directory | arn:aws:ds:eu-west-1:123456789012:directory/main | main
aps:workspace | aws_prometheus_workspace | arn:aws:aps:eu-west-1:123456789012:workspace/main | main
grafana:workspaces | aws_grafana_workspace | arn:aws:grafana:eu-west-1:123456789012:/workspaces/main | main
globalaccelerator:accelerator | aws_globalaccelerator_accelerator | arn:aws:globalaccelerator::123456789012:accelerator/main | arn:aws:globalaccelerator::123456789012:accelerator/main
memorydb:cluster | aws_memorydb_cluster | arn:aws:memorydb:eu-west-1:123456789012:cluster/main | main
airflow:environment | aws_mwaa_environment | arn:aws:airflow:eu-west-1:123456789012:environment/main | main
workspaces:workspace | aws_workspaces_workspace | arn:aws:workspaces:eu-west-1:123456789012:workspace/main | main
aoss:collection | aws_opensearchserverless_collection | arn:aws:aoss:eu-west-1:123456789012:collection/main | main
elasticbeanstalk:application | aws_elastic_beanstalk_application | arn:aws:elasticbeanstalk:eu-west-1:123456789012:application/main | main
elasticbeanstalk:environment | aws_elastic_beanstalk_environment | arn:aws:elasticbeanstalk:eu-west-1:123456789012:environment/alpha/beta | -
synthetics:canary | aws_synthetics_canary | arn:aws:synthetics:eu-west-1:123456789012:canary:main | main
ram:resource-share | aws_ram_resource_share | arn:aws:ram:eu-west-1:123456789012:resource-share/main | arn:aws:ram:eu-west-1:123456789012:resource-share/main
resource-groups:group | aws_resourcegroups_group | arn:aws:resource-groups:eu-west-1:123456789012:group/main | main
servicediscovery:service | aws_service_discovery_service | arn:aws:servicediscovery:eu-west-1:123456789012:service/main | main
vpc-lattice:service | aws_vpclattice_service | arn:aws:vpc-lattice:eu-west-1:123456789012:service/main | main
dlm:policy | aws_dlm_lifecycle_policy | arn:aws:dlm:eu-west-1:123456789012:policy/main | main
imagebuilder:image-pipeline | aws_imagebuilder_image_pipeline | arn:aws:imagebuilder:eu-west-1:123456789012:image-pipeline/main | arn:aws:imagebuilder:eu-west-1:123456789012:image-pipeline/main
imagebuilder:image-recipe | aws_imagebuilder_image_recipe | arn:aws:imagebuilder:eu-west-1:123456789012:image-recipe/main/3 | arn:aws:imagebuilder:eu-west-1:123456789012:image-recipe/main/3
oam:sink | aws_oam_sink | arn:aws:oam:eu-west-1:123456789012:sink/main | arn:aws:oam:eu-west-1:123456789012:sink/main
iot:policy | aws_iot_policy | arn:aws:iot:eu-west-1:123456789012:policy/main | main
iot:thing | aws_iot_thing | arn:aws:iot:eu-west-1:123456789012:thing/main | main
`;
const examples = EXAMPLES.trim()
  .split('\n')
  .map((line) => line.split(' | ') as [string, string, string, string]);

describe('The import of a resource of AWS', () => {
  it('knows 243 types', () => expect(new Set(examples.map(([type]) => type)).size).toBe(243));

  it.each(examples)(
    'an AWS resource of type %s gets the import id of %s',
    (resourceType, terraformType, arn, importId) => {
      // The ARN alone tells the same as with the type.
      for (const type of [resourceType, undefined]) {
        const mapping = mapAwsImport({ id: arn, resourceType: type });
        if (importId === '-')
          expect(mapping).toEqual({
            reason: expect.stringContaining('the ARN does not tell the import id') as string,
          });
        else expect(mapping).toMatchObject({ target: { terraformType, importId } });
      }
    },
  );

  it.each([
    ['a trailing :* of a log group', 'arn:aws:logs:eu-west-1:123456789012:log-group:/aws/x:*', '/aws/x'],
    ['a name with slashes', 'arn:aws:ecr:eu-west-1:123456789012:repository/team/app', 'team/app'],
    ['a hierarchical parameter', 'arn:aws:ssm:eu-west-1:123456789012:parameter/app/db/host', '/app/db/host'],
    [
      'a queue in China',
      'arn:aws-cn:sqs:cn-north-1:123456789012:q',
      'https://sqs.cn-north-1.amazonaws.com.cn/123456789012/q',
    ],
    [
      'a queue in GovCloud',
      'arn:aws-us-gov:sqs:us-gov-west-1:123456789012:q',
      'https://sqs.us-gov-west-1.amazonaws.com/123456789012/q',
    ],
    ['a rule of another bus', 'arn:aws:events:eu-west-1:123456789012:rule/bus/r', 'bus/r'],
    [
      'an identity pool',
      'arn:aws:cognito-identity:eu-west-1:123456789012:identitypool/eu-west-1:9a',
      'eu-west-1:9a',
    ],
    [
      'a global web ACL',
      'arn:aws:wafv2:us-east-1:123456789012:global/webacl/edge/1-2',
      '1-2/edge/CLOUDFRONT',
    ],
    [
      'a secret whose name has dashes',
      'arn:aws:secretsmanager:eu-west-1:123456789012:secret:a-b/c-a1B2c3',
      'arn:aws:secretsmanager:eu-west-1:123456789012:secret:a-b/c-a1B2c3',
    ],
    [
      'a classic load balancer',
      'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/old',
      'old',
    ],
    [
      'an alarm with a free name',
      'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:CPU: 90%/5m',
      'CPU: 90%/5m',
    ],
  ])('reads %s', (_, id, importId) => {
    expect(mapAwsImport({ id })).toMatchObject({ target: { importId } });
    expect(canImportAws({ id })).toBe(true);
  });

  it('tells mail addresses from domains', () => {
    const identity = (id: string) =>
      mapAwsImport({ id: `arn:aws:ses:eu-west-1:123456789012:identity/${id}` });
    expect(identity('example.com')).toMatchObject({ target: { terraformType: 'aws_ses_domain_identity' } });
    expect(identity('a@example.com')).toMatchObject({ target: { terraformType: 'aws_ses_email_identity' } });
  });

  it.each([
    ['no ARN', 'main'],
    ['an empty resource', 'arn:aws:ec2:eu-west-1:123456789012:'],
    ['a control character', 'arn:aws:sns:eu-west-1:123456789012:a\nb'],
    ['an object of a bucket', 'arn:aws:s3:::bucket/key'],
    ['a version of a function', 'arn:aws:lambda:eu-west-1:123456789012:function:f:7'],
    ['a stream of a table', 'arn:aws:dynamodb:eu-west-1:123456789012:table/t/stream/2020'],
    ['a service of the old form', 'arn:aws:ecs:eu-west-1:123456789012:service/web'],
    ['an unknown service', 'arn:aws:nothing:eu-west-1:123456789012:a/b'],
  ])('is not made from %s', (_, id) => {
    expect(mapAwsImport({ id })).toEqual({ reason: expect.any(String) as string });
    expect(canImportAws({ id })).toBe(false);
  });

  it('takes region and account of a bucket from the inventory, and of others from the ARN', () => {
    const told = { region: 'eu-north-1', account: '222222222222' };
    expect(mapAwsImport({ id: 'arn:aws:s3:::b', ...told })).toMatchObject({ target: told });
    expect(mapAwsImport({ id: 'arn:aws:sns:eu-west-1:123456789012:t', ...told })).toMatchObject({
      target: { region: 'eu-west-1', account: '123456789012' },
    });
    expect(mapAwsImport({ id: 'arn:aws:iam::123456789012:role/r', region: 'global' })).toMatchObject({
      target: { region: undefined, account: '123456789012', arguments: [['name', 'r']] },
    });
  });
});
