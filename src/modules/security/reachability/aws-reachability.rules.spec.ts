import fc from 'fast-check';
import { type Json, UNKNOWN } from '../engine/attribute-path.rules.js';
import { awsReachability } from './aws-reachability.rules.js';
import type { NetworkInstance } from './reachability.js';

type Estate = Record<string, Record<string, Json>>;

/** `type.name` to attributes. */
function instancesOf(estate: Estate): NetworkInstance[] {
  return Object.entries(estate).map(([address, attributes]) => ({
    ref: address,
    stateId: 's',
    address,
    type: address.split('.')[0] ?? '',
    attributes,
  }));
}

function reachOf(estate: Estate, address: string): string | undefined {
  return awsReachability.judge(instancesOf(estate)).find(({ ref }) => ref === address)?.reach;
}

const world = (port: number): Json => ({
  protocol: 'tcp',
  from_port: port,
  to_port: port,
  cidr_blocks: ['0.0.0.0/0'],
});
const group = (id: string, ...ingress: Json[]): Record<string, Json> => ({ id, ingress });
const HOST: Estate = {
  'aws_vpc.v': { id: 'vpc-1', main_route_table_id: 'rtb-0' },
  'aws_subnet.s': { id: 'subnet-1', vpc_id: 'vpc-1' },
  'aws_route_table.t': { id: 'rtb-1', route: [{ cidr_block: '0.0.0.0/0', gateway_id: 'igw-1' }] },
  'aws_route_table_association.a': { subnet_id: 'subnet-1', route_table_id: 'rtb-1' },
  'aws_security_group.g': group('sg-1', world(22)),
  'aws_instance.i': {
    id: 'i-1',
    public_ip: '203.0.113.7',
    subnet_id: 'subnet-1',
    vpc_security_group_ids: ['sg-1'],
  },
};
const BALANCED: Estate = {
  'aws_security_group.front': group('sg-f', world(443)),
  'aws_security_group.back': group('sg-b', {
    protocol: 'tcp',
    from_port: 80,
    to_port: 80,
    security_groups: ['sg-f'],
  }),
  'aws_lb.l': {
    id: 'arn:lb',
    arn: 'arn:lb',
    internal: false,
    load_balancer_type: 'application',
    security_groups: ['sg-f'],
  },
  'aws_lb_listener.l': { load_balancer_arn: 'arn:lb', default_action: [{ target_group_arn: 'arn:tg' }] },
  'aws_lb_target_group_attachment.a': { target_group_arn: 'arn:tg', target_id: 'i-2', port: 80 },
  'aws_instance.i': { id: 'i-2', public_ip: '', vpc_security_group_ids: ['sg-b'] },
};
const POLICY = '{"Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject"}]}';

/** Each estate is open for the instance; the change closes it. */
const CASES: [name: string, estate: Estate, address: string, change: Estate][] = [
  [
    'no public address',
    HOST,
    'aws_instance.i',
    { 'aws_instance.i': { ...HOST['aws_instance.i'], public_ip: '' } },
  ],
  ['a group for known networks', HOST, 'aws_instance.i', { 'aws_security_group.g': group('sg-1') }],
  [
    'a route to a NAT gateway',
    HOST,
    'aws_instance.i',
    { 'aws_route_table.t': { id: 'rtb-1', route: [{ cidr_block: '0.0.0.0/0', nat_gateway_id: 'nat-1' }] } },
  ],
  [
    'what a group guards',
    HOST,
    'aws_security_group.g',
    { 'aws_instance.i': { ...HOST['aws_instance.i'], public_ip: '' } },
  ],
  [
    'a rule resource',
    {
      ...HOST,
      'aws_security_group.g': group('sg-1'),
      'aws_security_group_rule.r': {
        type: 'ingress',
        security_group_id: 'sg-1',
        protocol: '-1',
        cidr_blocks: ['0.0.0.0/0'],
      },
    },
    'aws_instance.i',
    {
      'aws_security_group_rule.r': {
        type: 'ingress',
        security_group_id: 'sg-1',
        protocol: '-1',
        cidr_blocks: ['10.0.0.0/8'],
      },
    },
  ],
  [
    'a VPC rule resource',
    {
      ...HOST,
      'aws_security_group.g': group('sg-1'),
      'aws_vpc_security_group_ingress_rule.r': {
        security_group_id: 'sg-1',
        ip_protocol: 'tcp',
        from_port: 22,
        to_port: 22,
        cidr_ipv6: '::/0',
      },
    },
    'aws_instance.i',
    {
      'aws_vpc_security_group_ingress_rule.r': {
        security_group_id: 'sg-1',
        ip_protocol: 'tcp',
        from_port: 22,
        to_port: 22,
        cidr_ipv6: 'fd00::/8',
      },
    },
  ],
  [
    'an elastic address',
    {
      ...HOST,
      'aws_instance.i': { ...HOST['aws_instance.i'], public_ip: '' },
      'aws_eip.e': { instance: 'i-1', public_ip: '203.0.113.9' },
    },
    'aws_instance.i',
    { 'aws_eip.e': { instance: 'i-9', public_ip: '203.0.113.9' } },
  ],
  [
    'a target of a balancer',
    BALANCED,
    'aws_instance.i',
    { 'aws_lb.l': { ...BALANCED['aws_lb.l'], internal: true } },
  ],
  [
    'a target whose group refuses the balancer',
    BALANCED,
    'aws_instance.i',
    { 'aws_security_group.back': group('sg-b') },
  ],
  ['a balancer', BALANCED, 'aws_lb.l', { 'aws_security_group.front': group('sg-f') }],
  [
    'a database',
    {
      'aws_security_group.g': group('sg-1', world(5432)),
      'aws_db_instance.d': { id: 'd', publicly_accessible: true, vpc_security_group_ids: ['sg-1'] },
    },
    'aws_db_instance.d',
    { 'aws_db_instance.d': { id: 'd', publicly_accessible: false, vpc_security_group_ids: ['sg-1'] } },
  ],
  [
    'a cluster endpoint',
    {
      'aws_eks_cluster.c': {
        id: 'c',
        vpc_config: [{ endpoint_public_access: true, public_access_cidrs: ['0.0.0.0/0'] }],
      },
    },
    'aws_eks_cluster.c',
    {
      'aws_eks_cluster.c': {
        id: 'c',
        vpc_config: [{ endpoint_public_access: true, public_access_cidrs: ['192.0.2.0/24'] }],
      },
    },
  ],
  [
    'a function address',
    { 'aws_lambda_function_url.u': { function_name: 'f', authorization_type: 'NONE' } },
    'aws_lambda_function_url.u',
    { 'aws_lambda_function_url.u': { function_name: 'f', authorization_type: 'AWS_IAM' } },
  ],
  [
    'a bucket by its ACL',
    { 'aws_s3_bucket.b': { id: 'b', bucket: 'b', acl: 'public-read' } },
    'aws_s3_bucket.b',
    { 'aws_s3_bucket_public_access_block.b': { bucket: 'b', ignore_public_acls: true } },
  ],
  [
    'a bucket by its policy',
    {
      'aws_s3_bucket.b': { id: 'b', bucket: 'b' },
      'aws_s3_bucket_policy.b': { bucket: 'b', policy: POLICY },
    },
    'aws_s3_bucket.b',
    { 'aws_s3_bucket_public_access_block.b': { bucket: 'b', restrict_public_buckets: true } },
  ],
  [
    'a queue by its policy',
    {
      'aws_sqs_queue.q': { id: 'https://q', url: 'https://q' },
      'aws_sqs_queue_policy.q': { queue_url: 'https://q', policy: POLICY },
    },
    'aws_sqs_queue.q',
    { 'aws_sqs_queue_policy.q': { queue_url: 'https://q', policy: '{}' } },
  ],
];

describe('Reachability on AWS', () => {
  it.each(CASES)('%s', (_name, estate, address, change) => {
    expect([reachOf(estate, address), reachOf({ ...estate, ...change }, address)]).toEqual([
      'reachable',
      'closed',
    ]);
  });

  it('names the way', () => {
    const [verdict] = awsReachability.judge(instancesOf(HOST)).filter(({ ref }) => ref === 'aws_instance.i');
    expect(verdict).toEqual({
      ref: 'aws_instance.i',
      reach: 'reachable',
      evidence: 'internet > igw-1 > sg-1:22 > i-1',
      ports: '22',
    });
  });

  it('does not decide where a group is not known', () => {
    expect(
      reachOf(
        { 'aws_instance.i': { id: 'i', public_ip: '203.0.113.7', vpc_security_group_ids: ['sg-9'] } },
        'aws_instance.i',
      ),
    ).toBe('undecided');
    expect(
      reachOf({ ...HOST, 'aws_security_group.g': { id: 'sg-1', ingress: UNKNOWN } }, 'aws_instance.i'),
    ).toBe('undecided');
  });

  it('is total on any JSON', () => {
    const json = fc.oneof(fc.jsonValue(), fc.constant(UNKNOWN)) as fc.Arbitrary<Json>;
    const attributes = fc.record({
      id: json,
      ingress: json,
      vpc_security_group_ids: json,
      route: json,
      policy: json,
      vpc_config: json,
      default_action: json,
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...awsReachability.types), attributes)), (list) => {
        awsReachability.judge(
          list.map(([type, given], index) => ({
            ref: String(index),
            stateId: 's',
            address: 'a',
            type,
            attributes: given,
          })),
        );
      }),
    );
  });
});
