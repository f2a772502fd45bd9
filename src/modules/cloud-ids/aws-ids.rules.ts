import { type IdAttributes, idText } from './cloud-id.js';

/** Ids of these prefixes are unique over all accounts and regions. Services whose ARNs end with one of them. */
const UNIQUE_ID =
  /^(?:i|vol|snap|ami|aki|ari|eni|eipalloc|sg|sgr|subnet|vpc|igw|eigw|nat|rtb|acl|vpce|vpce-svc|vgw|cgw|vpn|tgw|tgw-attach|tgw-rtb|pcx|dopt|lt|fs|fsap|fsmt|fl|pl|cr|sir|fleet|lgw|cagw|host|asso|ipam|ipam-pool|mvol|fc|backup|d|ws|mi|rslvr-in|rslvr-out|rslvr-rr|cvpn-endpoint)-[0-9a-z]{3,}$/;

/** Settings of another resource, which carry that resource's id or ARN as their own. */
const BORROWED = new Set([
  ...['aws_sns_topic_policy', 'aws_sns_topic_data_protection_policy', 'aws_secretsmanager_secret_version'],
  ...['aws_secretsmanager_secret_policy', 'aws_secretsmanager_secret_rotation', 'aws_sqs_queue_policy'],
  ...['aws_sqs_queue_redrive_policy', 'aws_sqs_queue_redrive_allow_policy', 'aws_ec2_instance_state'],
  ...['aws_vpc_endpoint_policy', 'aws_vpc_endpoint_private_dns', 'aws_vpc_peering_connection_options'],
  ...['aws_lambda_alias', 'aws_efs_file_system_policy', 'aws_efs_backup_policy', 'aws_kms_key_policy'],
  ...['aws_ecr_repository_policy', 'aws_ecr_lifecycle_policy', 'aws_eip_domain_name'],
  ...['aws_dynamodb_table_item', 'aws_dynamodb_resource_policy', 'aws_cloudwatch_log_resource_policy'],
  ...[
    'aws_security_group_rules_exclusive',
    'aws_ecs_cluster_capacity_providers',
    'aws_acm_certificate_validation',
  ],
  ...['aws_route53_key_signing_key', 'aws_lb_listener_certificate', 'aws_wafv2_web_acl_association'],
  ...[
    'aws_wafv2_web_acl_logging_configuration',
    'aws_cloudwatch_event_bus_policy',
    'aws_glue_resource_policy',
  ],
  ...['aws_ebs_fast_snapshot_restore', 'aws_ami_launch_permission', 'aws_network_interface_permission'],
]);
const BORROWED_PREFIX = /^aws_s3_bucket_/;

/** The ids by which AWS bills and lists an instance. */
export function awsIdsOf(type: string, attributes: IdAttributes): string[] {
  if (BORROWED.has(type) || BORROWED_PREFIX.test(type)) return [];
  return [...new Set([...arnsOf(attributes), ...uniqueIdsOf(attributes), ...namesOf(type, attributes)])];
}

function arnOf(attributes: IdAttributes): string | undefined {
  const id = idText(attributes['id']);
  return idText(attributes['arn']) ?? (id?.startsWith('arn:') === true ? id : undefined);
}

function arnsOf(attributes: IdAttributes): string[] {
  const arn = arnOf(attributes);
  return arn?.startsWith('arn:') === true ? [normalizedArn(arn)] : [];
}

function uniqueIdsOf(attributes: IdAttributes): string[] {
  return ['id', 'allocation_id', 'security_group_rule_id', 'spot_instance_id']
    .map((name) => idText(attributes[name]))
    .filter((value) => value !== undefined && UNIQUE_ID.test(value)) as string[];
}

/** A queue is billed by its URL, a bucket without an ARN by its name. */
function namesOf(type: string, attributes: IdAttributes): string[] {
  const id = idText(attributes['id']);
  if (type === 'aws_sqs_queue') {
    const url = idText(attributes['url']) ?? id;
    return url?.startsWith('https://') === true ? [url] : [];
  }
  if (type !== 'aws_s3_bucket' || arnOf(attributes) !== undefined) return [];
  const bucket = idText(attributes['bucket']) ?? id;
  return bucket === undefined ? [] : [`arn:aws:s3:::${bucket}`];
}

/** The ids under which an ARN, a bare id, a queue's URL or (with its service) a bucket's name may be stored. */
export function awsLookupIds(id: string, service?: string): string[] {
  if (id.startsWith('arn:')) {
    const arn = normalizedArn(id);
    const last = arn.slice(Math.max(arn.lastIndexOf('/'), arn.lastIndexOf(':')) + 1);
    const owner = arn.split(':')[2] ?? '';
    return UNIQUE_ID.test(last) && SERVICES_OF_UNIQUE_IDS.has(owner) ? [arn, last] : [arn];
  }
  if (service !== undefined && /^(?:amazon)?s3$/i.test(service))
    return ['aws', 'aws-cn', 'aws-us-gov'].map((partition) => `arn:${partition}:s3:::${id}`);
  return UNIQUE_ID.test(id) || id.startsWith('https://') ? [id] : [];
}

const SERVICES_OF_UNIQUE_IDS = new Set([
  ...['ec2', 'elasticfilesystem', 'fsx', 'ds', 'workspaces', 'route53resolver', 'ssm', 'backup'],
]);

/** One spelling of an ARN: without `:*` of log groups, and without the version or alias of a function. */
function normalizedArn(arn: string): string {
  const plain = arn.endsWith(':*') ? arn.slice(0, -2) : arn;
  const parts = plain.split(':');
  if (parts[2] === 'lambda' && parts[5] === 'function' && parts.length > 7)
    return parts.slice(0, 7).join(':');
  return plain;
}
