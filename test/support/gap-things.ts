import type { CloudProvider } from '../../src/modules/cloud-ids/index.js';
import type { CloudResource } from '../../src/modules/gaps/clouds/cloud-inventory.js';

interface ManagedInstance {
  type: string;
  attributes: Record<string, unknown>;
}

/** One thing in a cloud: how the cloud lists it, and how a state has it. */
export interface Thing {
  provider: CloudProvider;
  listed: CloudResource;
  managedAs: ManagedInstance;
  isPhantom?: boolean;
}

const ONE = '111111111111';
const TWO = '222222222222';
const arn = (service: string, rest: string, where = `eu-west-1:${ONE}`, partition = 'aws'): string =>
  `arn:${partition}:${service}:${where}:${rest}`;
const aws = (
  resourceType: string,
  id: string,
  managedAs: ManagedInstance,
  more: Partial<Thing> & { tags?: Record<string, string> } = {},
): Thing => {
  const { tags, ...rest } = more;
  const service = resourceType.slice(0, resourceType.indexOf(':'));
  return {
    provider: 'aws',
    listed: { id, service, resourceType, ...(tags ? { tags } : {}) },
    managedAs,
    ...rest,
  };
};
const topic = (id: string): Thing =>
  aws('sns:topic', id, { type: 'aws_sns_topic', attributes: { id, arn: id } });
const group = (where: string, spelled: string): Thing => {
  const id = arn('logs', 'log-group:/app', where);
  return aws('logs:log-group', `${id}:*`, {
    type: 'aws_cloudwatch_log_group',
    attributes: { id: '/app', name: '/app', arn: `${id}${spelled}` },
  });
};

const SUBSCRIPTION = '0f8e7d6c-1111-4222-8333-444455556666';
const vm = (groupName: string, name: string): Thing => {
  const id = (resourceGroups: string, machine: string) =>
    `/subscriptions/${SUBSCRIPTION}/${resourceGroups}/${groupName}/providers/Microsoft.Compute/virtualMachines/${machine}`;
  const resourceType = 'microsoft.compute/virtualmachines';
  return {
    provider: 'azure',
    listed: { id: id('resourceGroups', name.toUpperCase()), service: 'microsoft.compute', resourceType },
    managedAs: {
      type: 'azurerm_linux_virtual_machine',
      attributes: { id: id('resourcegroups', name), name },
    },
  };
};
const gcp = (
  host: string,
  kind: string,
  path: string,
  managedAs: ManagedInstance,
  more: Partial<Thing> = {},
): Thing => ({
  provider: 'gcp',
  listed: {
    id: `//${host}.googleapis.com/${path}`,
    service: host,
    resourceType: `${host}.googleapis.com/${kind}`,
  },
  managedAs,
  ...more,
});

/** Things that only differ by region, account, partition, project or spelling stand side by side. */
export const THINGS: readonly Thing[] = [
  aws('ec2:instance', arn('ec2', 'instance/i-0aaa1111'), {
    type: 'aws_instance',
    attributes: { id: 'i-0aaa1111' },
  }),
  aws('ec2:instance', arn('ec2', 'instance/i-0bbb2222', `us-east-1:${ONE}`), {
    type: 'aws_instance',
    attributes: { id: 'i-0bbb2222', arn: arn('ec2', 'instance/i-0bbb2222', `us-east-1:${ONE}`) },
  }),
  aws(
    'ec2:instance',
    arn('ec2', 'instance/i-0ccc3333'),
    { type: 'aws_instance', attributes: { id: 'i-0ccc3333' } },
    { tags: { 'aws:autoscaling:groupName': 'web' }, isPhantom: true },
  ),
  ...[`eu-west-1:${ONE}`, `us-east-1:${ONE}`, `eu-west-1:${TWO}`].map((where, at) =>
    group(where, at === 1 ? ':*' : ''),
  ),
  ...[
    arn('sns', 'main'),
    arn('sns', 'main', `eu-west-1:${TWO}`),
    arn('sns', 'main', `cn-north-1:${ONE}`, 'aws-cn'),
  ].map(topic),
  aws('lambda:function', arn('lambda', 'function:f'), {
    type: 'aws_lambda_function',
    attributes: { id: 'f', arn: arn('lambda', 'function:f:7') },
  }),
  aws('sqs:queue', arn('sqs', 'q'), {
    type: 'aws_sqs_queue',
    attributes: { id: `https://sqs.eu-west-1.amazonaws.com/${ONE}/q`, arn: arn('sqs', 'q') },
  }),
  aws('s3:bucket', 'arn:aws:s3:::logs', {
    type: 'aws_s3_bucket',
    attributes: { id: 'logs', bucket: 'logs' },
  }),
  aws('rds:db', arn('rds', 'db:main'), {
    type: 'aws_db_instance',
    attributes: { id: 'db-CA52517FFUYEK4U', identifier: 'main', arn: arn('rds', 'db:main') },
  }),
  aws(
    'iam:role',
    `arn:aws:iam::${ONE}:role/aws-service-role/x.amazonaws.com/Y`,
    {
      type: 'aws_iam_service_linked_role',
      attributes: {
        id: `arn:aws:iam::${ONE}:role/aws-service-role/x.amazonaws.com/Y`,
        arn: `arn:aws:iam::${ONE}:role/aws-service-role/x.amazonaws.com/Y`,
      },
    },
    { isPhantom: true },
  ),
  vm('rg', 'one'),
  vm('rg', 'two'),
  vm('other', 'one'),
  gcp('compute', 'Instance', 'projects/p/zones/z/instances/web', {
    type: 'google_compute_instance',
    attributes: { id: 'projects/p/zones/z/instances/web' },
  }),
  gcp('compute', 'Instance', 'projects/q/zones/z/instances/web', {
    type: 'google_compute_instance',
    attributes: { self_link: 'https://www.googleapis.com/compute/v1/projects/q/zones/z/instances/web' },
  }),
  gcp(
    'compute',
    'Network',
    'projects/p/global/networks/default',
    { type: 'google_compute_network', attributes: { id: 'projects/p/global/networks/default' } },
    { isPhantom: true },
  ),
  {
    ...gcp('secretmanager', 'Secret', 'projects/42/secrets/token', {
      type: 'google_secret_manager_secret',
      attributes: { id: 'projects/my-project/secrets/token' },
    }),
    listed: {
      id: '//secretmanager.googleapis.com/projects/42/secrets/token',
      service: 'secretmanager',
      resourceType: 'secretmanager.googleapis.com/Secret',
      aliases: ['//secretmanager.googleapis.com/projects/my-project/secrets/token'],
    },
  },
  gcp('storage', 'Bucket', 'assets', {
    type: 'google_storage_bucket',
    attributes: { id: 'assets', name: 'assets', self_link: 'https://www.googleapis.com/storage/v1/b/assets' },
  }),
];

/** Instances that have the ids of a thing and do not manage it. */
export function lookAlikes({
  managedAs,
}: Thing): (ManagedInstance & { mode: string; deposed: string | null })[] {
  const { type, attributes } = managedAs;
  return [
    { type, attributes, mode: 'data', deposed: null },
    { type, attributes, mode: 'managed', deposed: '0a1b2c3d' },
    { type: 'random_id', attributes, mode: 'managed', deposed: null },
  ];
}
