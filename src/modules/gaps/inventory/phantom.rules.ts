import type { CloudProvider } from '../../cloud-ids/index.js';
import { idOfResource, parseArn } from '../targets/arn.rules.js';
import type { CloudResource } from '../clouds/cloud-inventory.js';

/** What a cloud makes by itself. All conditions of a rule must hold; `tag` is a beginning of a tag's name. */
export interface PhantomRule {
  /** stable name */
  id: string;
  reason: string;
  provider: CloudProvider;
  /** resource type */
  type?: RegExp;
  /** ARN, asset name or ARM id */
  name?: RegExp;
  /** what stands behind the type in an ARN; the last segment of other ids */
  last?: RegExp;
  tag?: RegExp;
}

const aws = (id: string, reason: string, conditions: Partial<PhantomRule>): PhantomRule => ({
  id,
  reason,
  provider: 'aws',
  ...conditions,
});
const azure = (id: string, reason: string, conditions: Partial<PhantomRule>): PhantomRule => ({
  id,
  reason,
  provider: 'azure',
  ...conditions,
});
const gcp = (id: string, reason: string, conditions: Partial<PhantomRule>): PhantomRule => ({
  id,
  reason,
  provider: 'gcp',
  ...conditions,
});

/** The first rule that matches counts. `default-vpc` and `aws-managed-key` are no patterns: the scan asks AWS for them. */
export const PHANTOM_RULES: readonly PhantomRule[] = [
  aws('service-linked-role', 'service-linked role, created by AWS', {
    type: /^iam:role$/,
    name: /:role\/aws-service-role\//,
  }),
  aws('reserved-role', 'role of IAM Identity Center', { type: /^iam:role$/, name: /:role\/aws-reserved\// }),
  aws('aws-managed-policy', 'policy managed by AWS', { name: /^arn:[^:]+:iam::aws:/ }),
  aws('default-parameter-group', 'default parameter group of an engine', {
    type: /:(?:parametergroup|pg|cluster-pg)$/,
    last: /^default\./,
  }),
  aws('default-option-group', 'default option group of an engine', { type: /^rds:og$/, last: /^default:/ }),
  aws('default-subnet-group', 'default subnet group', {
    type: /^(?:rds:subgrp|elasticache:subnetgroup|redshift:subnetgroup)$/,
    last: /^(?:default$|default-vpc-)/,
  }),
  aws('default-security-group-classic', 'default database security group', {
    type: /^rds:secgrp$/,
    last: /^default$/,
  }),
  aws('default-cache-user', 'default user of an engine', {
    type: /^(?:elasticache|memorydb):user$/,
    last: /^default$/,
  }),
  aws('open-access-list', 'predefined access list', { type: /^memorydb:acl$/, last: /^open-access$/ }),
  aws('default-event-bus', 'default event bus', { type: /^events:event-bus$/, last: /^default$/ }),
  aws('managed-event-rule', 'rule that an AWS service manages', {
    type: /^events:rule$/,
    last: /^(?:AutoScalingManagedRule|StepFunctionsGetEvents|DO-NOT-DELETE-|AWSHealth|SSMOpsItems|InspectorEc2|AwsCodeStar)/,
  }),
  aws('primary-workgroup', 'workgroup that every account has', {
    type: /^athena:workgroup$/,
    last: /^primary$/,
  }),
  aws('default-data-catalog', 'catalog that every account has', {
    type: /^athena:datacatalog$/,
    last: /^AwsDataCatalog$/,
  }),
  aws('aws-managed-key-alias', 'alias of a key that AWS manages', { type: /^kms:alias$/, last: /^aws\// }),
  aws('explorer', 'index or view of the inventory itself', { type: /^resource-explorer-2:/ }),
  aws('default-dashboard', 'default dashboard of Storage Lens', {
    type: /^s3:storage-lens$/,
    last: /^default-account-dashboard$/,
  }),
  aws('aws-document', 'document owned by AWS', { type: /^ssm:document$/, last: /^(?:AWS-|Amazon)/ }),
  aws('deployment-config', 'predefined deployment configuration', {
    type: /^codedeploy:deploymentconfig$/,
    last: /^CodeDeployDefault\./,
  }),
  aws('deployment-strategy', 'predefined deployment strategy', {
    type: /^appconfig:deploymentstrategy$/,
    last: /^AppConfig\./,
  }),
  aws('cloudfront-policy', 'policy managed by CloudFront', {
    type: /^cloudfront:(?:cache-policy|origin-request-policy|response-headers-policy)$/,
    name: /^arn:[^:]+:cloudfront:::/,
  }),
  aws('default-backup-vault', 'vault that AWS Backup creates', {
    type: /^backup:backup-vault$/,
    last: /^(?:Default|aws\/efs\/automatic-backup-vault)$/,
  }),
  aws('runtime-object', 'runtime or purchase object that no configuration declares', {
    type: /^(?:ecs:(?:task|container-instance)|eks:(?:pod|deployment|service|daemonset|statefulset|replicaset|namespace|ingress|endpointslice|persistentvolume)|lambda:function\/version|ec2:(?:spot-instances-request|reserved-instances)|ssm:(?:automation-execution|session|managed-instance)|rds:(?:auto-backup|ri)|elasticache:reserved-instance|cloudformation:changeSet)$/,
  }),
  aws('child-of-group', 'created by a scaling group, a launch template, a cluster or a job flow', {
    type: /^ec2:(?:instance|volume|network-interface)$/,
    tag: /^(?:aws:autoscaling:groupName|aws:ec2launchtemplate:id|eks:cluster-name|elasticmapreduce:job-flow-id|aws:elasticmapreduce:job-flow-id)$/,
  }),
  aws('other-tool', 'managed by CloudFormation or Service Catalog', {
    tag: /^(?:aws:cloudformation:stack-id$|aws:servicecatalog:)/,
  }),
  aws('default-sampling-rule', 'default sampling rule', { type: /^xray:sampling-rule$/, last: /^Default$/ }),
  aws('default-trace-group', 'default group of traces', { type: /^xray:group$/, last: /^Default(?:\/|$)/i }),
  aws('default-registry', 'default schema registry', { type: /^glue:registry$/, last: /^default-registry$/ }),
  aws('autodefined-resolver-rule', 'rule that the resolver defines itself', {
    type: /^route53resolver:resolver-rule$/,
    last: /^rslvr-autodefined-rr-/,
  }),
  aws('default-schedule-group', 'default group of schedules', {
    type: /^scheduler:schedule-group$/,
    last: /^default$/,
  }),
  aws('aws-platform', 'platform owned by AWS', {
    type: /^elasticbeanstalk:platform$/,
    name: /^arn:[^:]+:elasticbeanstalk:[^:]*::/,
  }),
  aws('control-tower-destination', 'log destination of Control Tower', {
    type: /^logs:destination$/,
    last: /^aws-controltower/i,
  }),

  azure('network-watcher', 'network watcher that Azure creates', {
    type: /^microsoft\.network\/networkwatchers$/,
    name: /\/resourcegroups\/networkwatcherrg\//i,
  }),
  azure('managed-resource-group', 'resource group of a managed service, with what is in it', {
    name: /\/resourcegroups\/(?:mc_[^/]*|defaultresourcegroup-[^/]*|databricks-rg-[^/]*|[^/]*_managed)(?:\/|$)/i,
  }),
  azure('smart-detection-group', 'action group of Application Insights', {
    type: /^microsoft\.insights\/actiongroups$/,
    last: /^application insights smart detection$/i,
  }),
  azure('smart-detector', 'alert rule of Application Insights', {
    type: /^microsoft\.alertsmanagement\/smartdetectoralertrules$/,
  }),
  azure('master-database', 'system database of a server', {
    type: /^microsoft\.sql\/servers\/databases$/,
    last: /^master$/i,
  }),

  gcp('default-network', 'default network with its subnetworks', {
    type: /^compute\.googleapis\.com\/(?:Network|Subnetwork)$/,
    last: /^default$/,
  }),
  gcp('default-firewall', 'firewall rule of the default network', {
    type: /^compute\.googleapis\.com\/Firewall$/,
    last: /^default-allow-/,
  }),
  gcp('google-service-account', 'service account that Google creates', {
    type: /^iam\.googleapis\.com\/ServiceAccount$/,
    name: /\/serviceAccounts\/(?:[^/]*-compute@developer\.gserviceaccount\.com|[^/]*@appspot\.gserviceaccount\.com|service-[^/]*@gcp-sa-[^/]*)$/,
  }),
  gcp('default-log-bucket', 'log bucket or sink that every project has', {
    type: /^logging\.googleapis\.com\/Log(?:Bucket|Sink)$/,
    last: /^_(?:Default|Required)$/,
  }),
  gcp('default-route', 'route that Google creates', {
    type: /^compute\.googleapis\.com\/Route$/,
    last: /^default-route-/,
  }),
  gcp('cluster-node', 'instance or disk of a cluster', {
    type: /^compute\.googleapis\.com\/(?:Instance|Disk|InstanceTemplate|InstanceGroup|InstanceGroupManager)$/,
    last: /^gke-/,
  }),
  gcp('cluster-endpoint-group', 'endpoint group of a cluster', {
    type: /^compute\.googleapis\.com\/NetworkEndpointGroup$/,
    last: /^k8s1-/,
  }),
];

/** Name of the rule that makes the resource a phantom. */
export function phantomRuleOf(provider: CloudProvider, resource: CloudResource): string | undefined {
  const rules = rulesOfType(provider, resource.resourceType);
  if (rules.length === 0) return undefined;
  const names = [resource.id, ...(resource.aliases ?? [])];
  const lasts = rules.some(({ last }) => last) ? names.map((name) => lastOf(provider, name)) : [];
  const tags = Object.keys(resource.tags ?? {});
  return rules.find(
    (rule) =>
      (rule.name === undefined || names.some((name) => rule.name?.test(name))) &&
      (rule.last === undefined || lasts.some((last) => rule.last?.test(last))) &&
      (rule.tag === undefined || tags.some((tag) => rule.tag?.test(tag))),
  )?.id;
}

const MAX_KNOWN_TYPES = 5_000;
const knownTypes = new Map<string, readonly PhantomRule[]>();

/** Rules that can apply to a type. An inventory has many resources of few types, so the answer is kept. */
function rulesOfType(provider: CloudProvider, type: string): readonly PhantomRule[] {
  const key = `${provider} ${type}`;
  const known = knownTypes.get(key);
  if (known) return known;
  const rules = PHANTOM_RULES.filter((rule) => rule.provider === provider && (rule.type?.test(type) ?? true));
  if (knownTypes.size >= MAX_KNOWN_TYPES) knownTypes.clear();
  knownTypes.set(key, rules);
  return rules;
}

function lastOf(provider: CloudProvider, name: string): string {
  if (provider !== 'aws') return name.slice(name.lastIndexOf('/') + 1);
  return idOfResource(parseArn(name)?.resource ?? name);
}
