import type { CloudProvider } from '../../cloud-ids/index.js';
import { PHANTOM_RULES, phantomRuleOf } from './phantom.rules.js';

type Example = readonly [type: string, id: string, tags?: Record<string, string>];
const arn = (service: string, resource: string): string =>
  `arn:aws:${service}:eu-west-1:123456789012:${resource}`;
const iam = (resource: string): string => `arn:aws:iam::123456789012:${resource}`;
const rg = (group: string, rest: string): string =>
  `/subscriptions/0f8e7d6c-1111-4222-8333-444455556666/resourceGroups/${group}/providers/${rest}`;
const asset = (host: string, rest: string): string => `//${host}.googleapis.com/projects/p/${rest}`;

/** A phantom and its near miss, for each rule. */
const CASES: Record<string, readonly [phantom: Example, real: Example]> = {
  'service-linked-role': [
    ['iam:role', iam('role/aws-service-role/x.amazonaws.com/Y')],
    ['iam:role', iam('role/my-aws-service-role')],
  ],
  'reserved-role': [
    ['iam:role', iam('role/aws-reserved/sso/R')],
    ['iam:role', iam('role/reserved/R')],
  ],
  'aws-managed-policy': [
    ['iam:policy', 'arn:aws:iam::aws:policy/ReadOnlyAccess'],
    ['iam:policy', iam('policy/ReadOnlyAccess')],
  ],
  'default-parameter-group': [
    ['rds:pg', arn('rds', 'pg:default.mysql8.0')],
    ['rds:pg', arn('rds', 'pg:defaults')],
  ],
  'default-option-group': [
    ['rds:og', arn('rds', 'og:default:mysql-8-0')],
    ['rds:og', arn('rds', 'og:default-mysql')],
  ],
  'default-subnet-group': [
    ['rds:subgrp', arn('rds', 'subgrp:default-vpc-0a1')],
    ['rds:subgrp', arn('rds', 'subgrp:default-group')],
  ],
  'default-security-group-classic': [
    ['rds:secgrp', arn('rds', 'secgrp:default')],
    ['rds:secgrp', arn('rds', 'secgrp:web')],
  ],
  'default-cache-user': [
    ['elasticache:user', arn('elasticache', 'user:default')],
    ['elasticache:user', arn('elasticache', 'user:defaults')],
  ],
  'open-access-list': [
    ['memorydb:acl', arn('memorydb', 'acl/open-access')],
    ['memorydb:acl', arn('memorydb', 'acl/closed')],
  ],
  'default-event-bus': [
    ['events:event-bus', arn('events', 'event-bus/default')],
    ['events:event-bus', arn('events', 'event-bus/orders')],
  ],
  'managed-event-rule': [
    ['events:rule', arn('events', 'rule/AutoScalingManagedRule')],
    ['events:rule', arn('events', 'rule/nightly')],
  ],
  'primary-workgroup': [
    ['athena:workgroup', arn('athena', 'workgroup/primary')],
    ['athena:workgroup', arn('athena', 'workgroup/primary-2')],
  ],
  'default-data-catalog': [
    ['athena:datacatalog', arn('athena', 'datacatalog/AwsDataCatalog')],
    ['athena:datacatalog', arn('athena', 'datacatalog/Mine')],
  ],
  'aws-managed-key-alias': [
    ['kms:alias', arn('kms', 'alias/aws/s3')],
    ['kms:alias', arn('kms', 'alias/awsome')],
  ],
  explorer: [
    ['resource-explorer-2:index', arn('resource-explorer-2', 'index/1')],
    ['resource-groups:group', arn('resource-groups', 'group/1')],
  ],
  'default-dashboard': [
    ['s3:storage-lens', arn('s3', 'storage-lens/default-account-dashboard')],
    ['s3:storage-lens', arn('s3', 'storage-lens/mine')],
  ],
  'aws-document': [
    ['ssm:document', arn('ssm', 'document/AWS-RunShell')],
    ['ssm:document', arn('ssm', 'document/My-AWS-doc')],
  ],
  'deployment-config': [
    ['codedeploy:deploymentconfig', arn('codedeploy', 'deploymentconfig:CodeDeployDefault.AllAtOnce')],
    ['codedeploy:deploymentconfig', arn('codedeploy', 'deploymentconfig:Mine')],
  ],
  'deployment-strategy': [
    ['appconfig:deploymentstrategy', arn('appconfig', 'deploymentstrategy/AppConfig.Linear')],
    ['appconfig:deploymentstrategy', arn('appconfig', 'deploymentstrategy/Mine')],
  ],
  'cloudfront-policy': [
    ['cloudfront:cache-policy', 'arn:aws:cloudfront:::cache-policy/1'],
    ['cloudfront:cache-policy', 'arn:aws:cloudfront::123456789012:cache-policy/1'],
  ],
  'default-backup-vault': [
    ['backup:backup-vault', arn('backup', 'backup-vault:aws/efs/automatic-backup-vault')],
    ['backup:backup-vault', arn('backup', 'backup-vault:Default2')],
  ],
  'runtime-object': [
    ['ecs:task', arn('ecs', 'task/c/1')],
    ['ecs:task-definition', arn('ecs', 'task-definition/t:1')],
  ],
  'child-of-group': [
    ['ec2:instance', arn('ec2', 'instance/i-1'), { 'aws:autoscaling:groupName': 'g' }],
    ['ec2:instance', arn('ec2', 'instance/i-1'), { autoscaling: 'g' }],
  ],
  'other-tool': [
    ['sns:topic', arn('sns', 't'), { 'aws:cloudformation:stack-id': 's' }],
    ['sns:topic', arn('sns', 't'), { 'cloudformation:stack-id': 's' }],
  ],
  'default-sampling-rule': [
    ['xray:sampling-rule', arn('xray', 'sampling-rule/Default')],
    ['xray:sampling-rule', arn('xray', 'sampling-rule/Mine')],
  ],
  'default-trace-group': [
    ['xray:group', arn('xray', 'group/default')],
    ['xray:group', arn('xray', 'group/defaults')],
  ],
  'default-registry': [
    ['glue:registry', arn('glue', 'registry/default-registry')],
    ['glue:registry', arn('glue', 'registry/registry')],
  ],
  'autodefined-resolver-rule': [
    ['route53resolver:resolver-rule', arn('route53resolver', 'resolver-rule/rslvr-autodefined-rr-x')],
    ['route53resolver:resolver-rule', arn('route53resolver', 'resolver-rule/rslvr-rr-x')],
  ],
  'default-schedule-group': [
    ['scheduler:schedule-group', arn('scheduler', 'schedule-group/default')],
    ['scheduler:schedule-group', arn('scheduler', 'schedule-group/defaults')],
  ],
  'aws-platform': [
    ['elasticbeanstalk:platform', 'arn:aws:elasticbeanstalk:eu-west-1::platform/P/1'],
    ['elasticbeanstalk:platform', arn('elasticbeanstalk', 'platform/P/1')],
  ],
  'control-tower-destination': [
    ['logs:destination', arn('logs', 'destination:aws-controltower-x')],
    ['logs:destination', arn('logs', 'destination:x')],
  ],
  'network-watcher': [
    ['microsoft.network/networkwatchers', rg('NetworkWatcherRG', 'Microsoft.Network/networkWatchers/w')],
    ['microsoft.network/networkwatchers', rg('mine', 'Microsoft.Network/networkWatchers/w')],
  ],
  'managed-resource-group': [
    ['microsoft.compute/disks', rg('MC_a_b_c', 'Microsoft.Compute/disks/d')],
    ['microsoft.compute/disks', rg('amc_b', 'Microsoft.Compute/disks/d')],
  ],
  'smart-detection-group': [
    [
      'microsoft.insights/actiongroups',
      rg('a', 'microsoft.insights/actiongroups/Application Insights Smart Detection'),
    ],
    ['microsoft.insights/actiongroups', rg('a', 'microsoft.insights/actiongroups/oncall')],
  ],
  'smart-detector': [
    [
      'microsoft.alertsmanagement/smartdetectoralertrules',
      rg('a', 'microsoft.alertsmanagement/smartDetectorAlertRules/r'),
    ],
    ['microsoft.insights/metricalerts', rg('a', 'microsoft.insights/metricAlerts/r')],
  ],
  'master-database': [
    ['microsoft.sql/servers/databases', rg('a', 'Microsoft.Sql/servers/s/databases/master')],
    ['microsoft.sql/servers/databases', rg('a', 'Microsoft.Sql/servers/master/databases/d')],
  ],
  'default-network': [
    ['compute.googleapis.com/Subnetwork', asset('compute', 'regions/r/subnetworks/default')],
    ['compute.googleapis.com/Network', asset('compute', 'global/networks/default-2')],
  ],
  'default-firewall': [
    ['compute.googleapis.com/Firewall', asset('compute', 'global/firewalls/default-allow-ssh')],
    ['compute.googleapis.com/Firewall', asset('compute', 'global/firewalls/allow-ssh')],
  ],
  'google-service-account': [
    [
      'iam.googleapis.com/ServiceAccount',
      asset('iam', 'serviceAccounts/123-compute@developer.gserviceaccount.com'),
    ],
    ['iam.googleapis.com/ServiceAccount', asset('iam', 'serviceAccounts/app@p.iam.gserviceaccount.com')],
  ],
  'default-log-bucket': [
    ['logging.googleapis.com/LogSink', asset('logging', 'sinks/_Default')],
    ['logging.googleapis.com/LogSink', asset('logging', 'sinks/Default')],
  ],
  'default-route': [
    ['compute.googleapis.com/Route', asset('compute', 'global/routes/default-route-1a')],
    ['compute.googleapis.com/Route', asset('compute', 'global/routes/to-vpn')],
  ],
  'cluster-node': [
    ['compute.googleapis.com/Instance', asset('compute', 'zones/z/instances/gke-a-1')],
    ['compute.googleapis.com/Instance', asset('compute', 'zones/z/instances/my-gke-a')],
  ],
  'cluster-endpoint-group': [
    ['compute.googleapis.com/NetworkEndpointGroup', asset('compute', 'zones/z/networkEndpointGroups/k8s1-a')],
    ['compute.googleapis.com/NetworkEndpointGroup', asset('compute', 'zones/z/networkEndpointGroups/web')],
  ],
};

const resourceOf = ([resourceType, id, tags]: Example) => ({ id, resourceType, service: 'x', tags });

describe('What a cloud makes by itself', () => {
  it('has a case for each rule, and a reason', () => {
    expect(Object.keys(CASES).sort()).toEqual(PHANTOM_RULES.map(({ id }) => id).sort());
    for (const { reason } of PHANTOM_RULES) expect(reason).not.toBe('');
  });

  it.each(PHANTOM_RULES.map(({ id, provider }): [string, CloudProvider] => [id, provider]))(
    '%s',
    (id, provider) => {
      const [phantom, real] = CASES[id] ?? [];
      if (!phantom || !real) throw new Error('no case');
      expect(phantomRuleOf(provider, resourceOf(phantom))).toBe(id);
      expect(phantomRuleOf(provider, resourceOf(real))).toBeUndefined();
    },
  );
});
