import fc from 'fast-check';
import { type Json, UNKNOWN } from '../engine/attribute-path.rules.js';
import { awsReachability } from './aws-reachability.rules.js';
import { anyInstances, type Case, changed, type Estate, instancesOf, reachOf } from './estate.fixture.js';

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
const CASES: Case[] = [
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

const ACL = (...ingress: Json[]): Record<string, Json> => ({
  id: 'acl-1',
  subnet_ids: ['subnet-1'],
  ingress,
});
const aclRule = (rule_no: number, action: string, port?: number): Json => ({
  rule_no,
  action,
  cidr_block: '0.0.0.0/0',
  protocol: port === undefined ? '-1' : '6',
  from_port: port ?? 0,
  to_port: port ?? 0,
});
const OPEN_ACL: Estate = { ...HOST, 'aws_network_acl.n': ACL(aclRule(100, 'allow')) };
const SERVICE: Estate = {
  ...HOST,
  'aws_ecs_service.s': {
    id: 'svc',
    network_configuration: [{ assign_public_ip: true, security_groups: ['sg-1'], subnets: ['subnet-1'] }],
  },
};
const BALANCED_SERVICE: Estate = {
  ...BALANCED,
  'aws_ecs_service.s': {
    id: 'svc',
    network_configuration: [{ assign_public_ip: false, security_groups: ['sg-b'], subnets: [] }],
    load_balancer: [{ target_group_arn: 'arn:tg', container_port: 8080 }],
  },
};
const SCALED: Estate = {
  ...BALANCED,
  'aws_launch_template.t': { id: 'lt-1', vpc_security_group_ids: ['sg-b'] },
  'aws_autoscaling_group.g': {
    id: 'asg',
    name: 'asg',
    launch_template: [{ id: 'lt-1' }],
    target_group_arns: ['arn:tg'],
  },
};
const API: Estate = {
  'aws_api_gateway_rest_api.a': {
    id: 'api1',
    arn: 'arn:api',
    endpoint_configuration: [{ types: ['REGIONAL'] }],
  },
  'aws_api_gateway_integration.i': {
    id: 'agi',
    rest_api_id: 'api1',
    uri: 'arn:aws:apigateway:eu:lambda:path/2015-03-31/functions/arn:aws:lambda:eu:1:function:f/invocations',
  },
  'aws_lambda_function.f': { id: 'f', function_name: 'f', arn: 'arn:aws:lambda:eu:1:function:f' },
};
const HTTP_API: Estate = {
  'aws_apigatewayv2_api.a': { id: 'api2', arn: 'arn:api2' },
  'aws_apigatewayv2_integration.i': { id: 'i', api_id: 'api2', integration_uri: 'arn:listener' },
  'aws_lb_listener.l': { id: 'arn:listener', arn: 'arn:listener', load_balancer_arn: 'arn:lb' },
  'aws_lb.l': { id: 'arn:lb', arn: 'arn:lb', internal: true, security_groups: [] },
};
const DISTRIBUTED: Estate = {
  'aws_cloudfront_distribution.d': {
    id: 'EDFDVBD',
    enabled: true,
    origin: [{ domain_name: 'site.s3.eu-west-1.amazonaws.com' }],
  },
  'aws_s3_bucket.b': { id: 'site', bucket: 'site' },
};
const DATABASE: Estate = {
  ...HOST,
  'aws_db_subnet_group.g': { id: 'dbs', name: 'dbs', subnet_ids: ['subnet-1'] },
  'aws_db_instance.d': {
    id: 'd',
    publicly_accessible: true,
    vpc_security_group_ids: ['sg-1'],
    db_subnet_group_name: 'dbs',
  },
};
const policyWith = (statement: Record<string, Json>): string =>
  JSON.stringify({ Statement: [{ Effect: 'Allow', Principal: { AWS: '*' }, Action: '*', ...statement }] });
const KEY: Estate = { 'aws_kms_key.k': { id: 'k', arn: 'arn:k', policy: policyWith({}) } };

const MORE_CASES: Case[] = [
  [
    'a list that denies the port before it allows all',
    OPEN_ACL,
    'aws_instance.i',
    { 'aws_network_acl.n': ACL(aclRule(50, 'deny', 22), aclRule(100, 'allow')) },
  ],
  [
    'a list that allows another port only',
    OPEN_ACL,
    'aws_instance.i',
    { 'aws_network_acl.n': ACL(aclRule(100, 'allow', 443)) },
  ],
  [
    'a rule resource of a list',
    OPEN_ACL,
    'aws_instance.i',
    {
      'aws_network_acl_rule.r': {
        network_acl_id: 'acl-1',
        rule_number: 10,
        rule_action: 'deny',
        egress: false,
        cidr_block: '0.0.0.0/0',
        protocol: '-1',
      },
    },
  ],
  [
    'an IPv6 address',
    { ...HOST, ...changed(HOST, 'aws_instance.i', { public_ip: '', ipv6_addresses: ['2001:db8::1'] }) },
    'aws_instance.i',
    changed(HOST, 'aws_instance.i', { public_ip: '' }),
  ],
  [
    'a subnet that assigns addresses',
    {
      ...HOST,
      ...changed(HOST, 'aws_subnet.s', { map_public_ip_on_launch: true }),
      'aws_instance.i': { id: 'i-1', subnet_id: 'subnet-1', vpc_security_group_ids: ['sg-1'] },
    },
    'aws_instance.i',
    { 'aws_subnet.s': { id: 'subnet-1', vpc_id: 'vpc-1', map_public_ip_on_launch: false } },
  ],
  [
    'a subnet that assigns addresses, refused by the instance',
    {
      ...HOST,
      ...changed(HOST, 'aws_subnet.s', { map_public_ip_on_launch: true }),
      'aws_instance.i': { id: 'i-1', subnet_id: 'subnet-1', vpc_security_group_ids: ['sg-1'] },
    },
    'aws_instance.i',
    {
      'aws_instance.i': {
        id: 'i-1',
        subnet_id: 'subnet-1',
        vpc_security_group_ids: ['sg-1'],
        associate_public_ip_address: false,
      },
    },
  ],
  [
    'the main table of the network',
    {
      ...HOST,
      'aws_route_table_association.a': { subnet_id: 'subnet-9', route_table_id: 'rtb-1' },
      'aws_vpc.v': { id: 'vpc-1', main_route_table_id: 'rtb-1' },
    },
    'aws_instance.i',
    { 'aws_route_table.t': { id: 'rtb-1', route: [] } },
  ],
  [
    'a route resource',
    {
      ...HOST,
      'aws_route_table.t': { id: 'rtb-1', route: [] },
      'aws_route.r': { route_table_id: 'rtb-1', destination_cidr_block: '0.0.0.0/0', gateway_id: 'igw-2' },
    },
    'aws_instance.i',
    { 'aws_route.r': { route_table_id: 'rtb-1', destination_cidr_block: '0.0.0.0/0', gateway_id: 'vgw-2' } },
  ],
  [
    'a service with public addresses',
    SERVICE,
    'aws_ecs_service.s',
    { 'aws_security_group.g': group('sg-1') },
  ],
  [
    'a service without public addresses',
    SERVICE,
    'aws_ecs_service.s',
    {
      'aws_ecs_service.s': {
        id: 'svc',
        network_configuration: [
          { assign_public_ip: false, security_groups: ['sg-1'], subnets: ['subnet-1'] },
        ],
      },
    },
  ],
  [
    'a service behind a balancer',
    BALANCED_SERVICE,
    'aws_ecs_service.s',
    { 'aws_security_group.back': group('sg-b') },
  ],
  [
    'a scaling group behind a balancer',
    SCALED,
    'aws_autoscaling_group.g',
    { 'aws_security_group.back': group('sg-b') },
  ],
  [
    'the template of a scaling group',
    SCALED,
    'aws_launch_template.t',
    changed(SCALED, 'aws_autoscaling_group.g', { target_group_arns: [] }),
  ],
  [
    'an attachment of a scaling group',
    {
      ...SCALED,
      ...changed(SCALED, 'aws_autoscaling_group.g', { target_group_arns: [] }),
      'aws_autoscaling_attachment.a': { autoscaling_group_name: 'asg', lb_target_group_arn: 'arn:tg' },
    },
    'aws_autoscaling_group.g',
    { 'aws_autoscaling_attachment.a': { autoscaling_group_name: 'other', lb_target_group_arn: 'arn:tg' } },
  ],
  [
    'a private API',
    API,
    'aws_api_gateway_rest_api.a',
    changed(API, 'aws_api_gateway_rest_api.a', { endpoint_configuration: [{ types: ['PRIVATE'] }] }),
  ],
  [
    'the stage of an API',
    { ...API, 'aws_api_gateway_stage.s': { id: 's', rest_api_id: 'api1' } },
    'aws_api_gateway_stage.s',
    changed(API, 'aws_api_gateway_rest_api.a', { endpoint_configuration: [{ types: ['PRIVATE'] }] }),
  ],
  [
    'a balancer behind an API',
    HTTP_API,
    'aws_lb.l',
    changed(HTTP_API, 'aws_apigatewayv2_integration.i', { integration_uri: 'arn:another' }),
  ],
  [
    'a distribution',
    DISTRIBUTED,
    'aws_cloudfront_distribution.d',
    changed(DISTRIBUTED, 'aws_cloudfront_distribution.d', { enabled: false }),
  ],
  [
    'the origin of a distribution',
    DISTRIBUTED,
    'aws_s3_bucket.b',
    changed(DISTRIBUTED, 'aws_cloudfront_distribution.d', { origin: [] }),
  ],
  [
    'a database whose subnets have a route',
    DATABASE,
    'aws_db_instance.d',
    { 'aws_route_table.t': { id: 'rtb-1', route: [] } },
  ],
  [
    'an instance of a database cluster',
    {
      ...HOST,
      'aws_rds_cluster.c': { id: 'c', vpc_security_group_ids: ['sg-1'] },
      'aws_rds_cluster_instance.d': { id: 'd', cluster_identifier: 'c', publicly_accessible: true },
    },
    'aws_rds_cluster_instance.d',
    { 'aws_security_group.g': group('sg-1') },
  ],
  [
    'a key for everybody within an organization',
    KEY,
    'aws_kms_key.k',
    {
      'aws_kms_key.k': {
        id: 'k',
        policy: policyWith({ Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-1' } } }),
      },
    },
  ],
  [
    'a key for everybody over TLS, and for one address',
    {
      'aws_kms_key.k': {
        id: 'k',
        policy: policyWith({ Condition: { Bool: { 'aws:SecureTransport': 'true' } } }),
      },
    },
    'aws_kms_key.k',
    {
      'aws_kms_key.k': {
        id: 'k',
        policy: policyWith({ Condition: { IpAddress: { 'aws:SourceIp': ['192.0.2.0/24'] } } }),
      },
    },
  ],
  [
    'a bucket in an account that blocks public ones',
    { 'aws_s3_bucket.b': { id: 'b', bucket: 'b', acl: 'public-read' } },
    'aws_s3_bucket.b',
    { 'aws_s3_account_public_access_block.a': { id: '1', ignore_public_acls: true } },
  ],
  [
    'a search domain outside of networks',
    { 'aws_opensearch_domain.d': { arn: 'arn:d', access_policies: POLICY } },
    'aws_opensearch_domain.d',
    {
      'aws_opensearch_domain.d': { arn: 'arn:d', access_policies: POLICY, vpc_options: [{ subnet_ids: [] }] },
    },
  ],
];

describe('Reachability on AWS', () => {
  it.each([...CASES, ...MORE_CASES])('%s', (_name, estate, address, change) => {
    expect([
      reachOf(awsReachability, estate, address),
      reachOf(awsReachability, { ...estate, ...change }, address),
    ]).toEqual(['reachable', 'closed']);
  });

  it('the evidence names each hop from the internet to the AWS resource', () => {
    const [verdict] = awsReachability.judge(instancesOf(HOST)).filter(({ ref }) => ref === 'aws_instance.i');
    expect(verdict).toEqual({
      ref: 'aws_instance.i',
      reach: 'reachable',
      evidence: 'internet > igw-1 > sg-1:22 > i-1',
      ports: '22',
    });
  });

  it('says that the route is unknown where no routing is known', () => {
    const { 'aws_instance.i': host, 'aws_security_group.g': guard } = HOST;
    const estate: Estate = { 'aws_instance.i': host ?? {}, 'aws_security_group.g': guard ?? {} };
    const evidenceIn = (more: Estate): string | undefined =>
      awsReachability.judge(instancesOf({ ...estate, ...more })).find(({ ref }) => ref === 'aws_instance.i')
        ?.evidence;
    expect(evidenceIn({})).toBe('internet > route unknown > sg-1:22 > i-1');
    // A subnet alone does not tell where it routes; its route table does.
    expect(evidenceIn({ 'aws_subnet.s': HOST['aws_subnet.s'] ?? {} })).toContain('route unknown');
    expect(evidenceIn(HOST)).not.toContain('route unknown');
  });

  it('ends where groups and balancers name each other', () => {
    const admitting = (id: string, other: string): Record<string, Json> =>
      group(id, { protocol: 'tcp', from_port: 80, to_port: 80, security_groups: [other] });
    const balancer = (arn: string, guard: string): Record<string, Json> => ({
      id: arn,
      arn,
      internal: false,
      load_balancer_type: 'application',
      security_groups: [guard],
    });
    const forwarding = (arn: string, target: string): Record<string, Json> => ({
      load_balancer_arn: arn,
      default_action: [{ target_group_arn: target }],
    });
    const ring: Estate = {
      'aws_security_group.a': admitting('sg-a', 'sg-b'),
      'aws_security_group.b': admitting('sg-b', 'sg-a'),
      'aws_lb.a': balancer('arn:lb-a', 'sg-a'),
      'aws_lb.b': balancer('arn:lb-b', 'sg-b'),
      'aws_lb_listener.a': forwarding('arn:lb-a', 'arn:tg-b'),
      'aws_lb_listener.b': forwarding('arn:lb-b', 'arn:tg-a'),
      'aws_lb_target_group_attachment.a': { target_group_arn: 'arn:tg-a', target_id: 'arn:lb-a', port: 80 },
      'aws_lb_target_group_attachment.b': { target_group_arn: 'arn:tg-b', target_id: 'arn:lb-b', port: 80 },
      'aws_lb_target_group_attachment.i': { target_group_arn: 'arn:tg-b', target_id: 'i-2', port: 80 },
      'aws_instance.i': { id: 'i-2', public_ip: '', vpc_security_group_ids: ['sg-b'] },
    };
    const members = ['aws_lb.a', 'aws_lb.b', 'aws_instance.i'];
    const reach = (estate: Estate): (string | undefined)[] =>
      members.map((address) => reachOf(awsReachability, estate, address));
    expect(reach(ring)).toEqual(['closed', 'closed', 'closed']);
    // The world comes in by one of the groups: the balancer in front, and the instance behind it, are open.
    const open = group('sg-a', world(443), {
      protocol: 'tcp',
      from_port: 80,
      to_port: 80,
      security_groups: ['sg-b'],
    });
    expect(reach({ ...ring, 'aws_security_group.a': open })).toEqual(['reachable', 'closed', 'reachable']);
  });

  it('does not decide where a group is not known', () => {
    expect(
      reachOf(
        awsReachability,
        { 'aws_instance.i': { id: 'i', public_ip: '203.0.113.7', vpc_security_group_ids: ['sg-9'] } },
        'aws_instance.i',
      ),
    ).toBe('undecided');
    expect(
      reachOf(
        awsReachability,
        { ...HOST, 'aws_security_group.g': { id: 'sg-1', ingress: UNKNOWN } },
        'aws_instance.i',
      ),
    ).toBe('undecided');
  });

  it('is total on any JSON', () => {
    const names = [
      'id',
      'arn',
      'ingress',
      'vpc_security_group_ids',
      'route',
      'policy',
      'vpc_config',
      'origin',
    ];
    const more = [
      'default_action',
      'load_balancer',
      'network_configuration',
      'subnet_ids',
      'launch_template',
    ];
    fc.assert(
      fc.property(anyInstances(awsReachability, [...names, ...more]), (list) => {
        const verdicts = awsReachability.judge(list);
        expect(new Set(verdicts.map(({ ref }) => ref)).size).toBe(verdicts.length);
      }),
    );
  });
});
