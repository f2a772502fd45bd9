import fc from 'fast-check';
import { type Json, UNKNOWN } from '../engine/attribute-path.rules.js';
import { anyInstances, type Case, changed, type Estate, instancesOf, reachOf } from './estate.fixture.js';
import { googleReachability } from './google-reachability.rules.js';

const NETWORK = 'https://www.googleapis.com/compute/v1/projects/p/global/networks/main';
const firewall = (rule: Record<string, Json>): Record<string, Json> => ({
  name: 'ssh',
  network: 'main',
  direction: 'INGRESS',
  source_ranges: ['0.0.0.0/0'],
  allow: [{ protocol: 'tcp', ports: ['22'] }],
  ...rule,
});
const HOST: Estate = {
  'google_compute_instance.i': {
    name: 'vm',
    tags: ['web'],
    service_account: [{ email: 'vm@p.iam' }],
    network_interface: [{ network: NETWORK, access_config: [{ nat_ip: '203.0.113.7' }] }],
  },
  'google_compute_firewall.f': firewall({}),
};
const INSTANCE = 'google_compute_instance.i';
const withRule = (rule: Record<string, Json>): Estate => ({ 'google_compute_firewall.f': firewall(rule) });
const denial = (rule: Record<string, Json>): Estate => ({
  'google_compute_firewall.d': firewall({ name: 'deny', allow: [], deny: [{ protocol: 'all' }], ...rule }),
});
const BUCKET: Estate = {
  'google_storage_bucket.b': { id: 'b', name: 'b', public_access_prevention: 'inherited' },
  'google_storage_bucket_iam_member.m': {
    bucket: 'b',
    member: 'allUsers',
    role: 'roles/storage.objectViewer',
  },
};
const database = (networks: Json[], ipv4 = true): Estate => ({
  'google_sql_database_instance.d': {
    name: 'd',
    settings: [{ ip_configuration: [{ ipv4_enabled: ipv4, authorized_networks: networks }] }],
  },
});
const cluster = (attributes: Record<string, Json>): Estate => ({
  'google_container_cluster.c': { name: 'c', ...attributes },
});
const authorized = (cidr_block: string): Record<string, Json> => ({
  master_authorized_networks_config: [{ cidr_blocks: [{ cidr_block }] }],
});
const RUN: Estate = {
  'google_cloud_run_v2_service.s': { id: 'run', name: 'run', ingress: 'INGRESS_TRAFFIC_ALL' },
  'google_cloud_run_v2_service_iam_binding.b': { name: 'run', members: ['allUsers'] },
};
const CODE: Estate = {
  'google_cloudfunctions_function.f': { id: 'code', name: 'code', ingress_settings: 'ALLOW_ALL' },
  'google_cloudfunctions_function_iam_member.m': { cloud_function: 'code', member: 'allAuthenticatedUsers' },
};

const CASES: Case[] = [
  [
    'an instance without an external address',
    HOST,
    INSTANCE,
    changed(HOST, INSTANCE, { network_interface: [{ network: NETWORK, access_config: [] }] }),
  ],
  ['a rule for known networks', HOST, INSTANCE, withRule({ source_ranges: ['10.0.0.0/8'] })],
  ['a rule that is off', HOST, INSTANCE, withRule({ disabled: true })],
  ['a rule for what leaves', HOST, INSTANCE, withRule({ direction: 'EGRESS' })],
  ['a rule of another network', HOST, INSTANCE, withRule({ network: 'other' })],
  ['a rule for other tags', HOST, INSTANCE, withRule({ target_tags: ['db'] })],
  [
    'a rule for its tag',
    { ...HOST, ...withRule({ target_tags: ['web'] }) },
    INSTANCE,
    withRule({ target_tags: ['db'] }),
  ],
  [
    'a rule for its service account',
    { ...HOST, ...withRule({ target_service_accounts: ['vm@p.iam'] }) },
    INSTANCE,
    withRule({ target_service_accounts: ['other@p.iam'] }),
  ],
  [
    'a rule from tags',
    { ...HOST, ...withRule({ source_ranges: [] }) },
    INSTANCE,
    withRule({ source_ranges: [], source_tags: ['lb'] }),
  ],
  [
    'a denial that comes first',
    { ...HOST, ...denial({ priority: 2000 }) },
    INSTANCE,
    denial({ priority: 900 }),
  ],
  [
    'a denial of the same rank',
    { ...HOST, ...denial({ source_ranges: ['10.0.0.0/8'] }) },
    INSTANCE,
    denial({}),
  ],
  [
    'a network that the subnetwork names',
    {
      ...HOST,
      ...changed(HOST, INSTANCE, { network_interface: [{ subnetwork: 'sub', access_config: [{}] }] }),
      'google_compute_subnetwork.s': { name: 'sub', network: NETWORK },
    },
    INSTANCE,
    { 'google_compute_subnetwork.s': { name: 'sub', network: 'projects/p/global/networks/other' } },
  ],
  [
    'what a rule guards',
    HOST,
    'google_compute_firewall.f',
    changed(HOST, INSTANCE, { network_interface: [{ network: NETWORK }] }),
  ],
  [
    'a bucket for everybody',
    BUCKET,
    'google_storage_bucket.b',
    changed(BUCKET, 'google_storage_bucket.b', { public_access_prevention: 'enforced' }),
  ],
  [
    'a member of a bucket',
    BUCKET,
    'google_storage_bucket_iam_member.m',
    changed(BUCKET, 'google_storage_bucket_iam_member.m', { member: 'user:a@example.com' }),
  ],
  [
    'a bucket by its list',
    {
      'google_storage_bucket.b': { id: 'b', name: 'b' },
      'google_storage_bucket_acl.a': { bucket: 'b', role_entity: ['READER:allUsers'] },
    },
    'google_storage_bucket.b',
    { 'google_storage_bucket_acl.a': { bucket: 'b', role_entity: ['READER:project-viewers'] } },
  ],
  [
    'a database',
    database([{ value: '0.0.0.0/0' }]),
    'google_sql_database_instance.d',
    database([{ value: '192.0.2.0/24' }]),
  ],
  [
    'a database without a public address',
    database([{ value: '0.0.0.0/0' }]),
    'google_sql_database_instance.d',
    database([{ value: '0.0.0.0/0' }], false),
  ],
  ['a cluster', cluster({}), 'google_container_cluster.c', cluster(authorized('192.0.2.0/24'))],
  [
    'a cluster with a private endpoint',
    cluster(authorized('0.0.0.0/0')),
    'google_container_cluster.c',
    cluster({ private_cluster_config: [{ enable_private_endpoint: true }] }),
  ],
  [
    'a service that everybody may call',
    RUN,
    'google_cloud_run_v2_service.s',
    changed(RUN, 'google_cloud_run_v2_service_iam_binding.b', { members: ['user:a@example.com'] }),
  ],
  [
    'a service for inside only',
    RUN,
    'google_cloud_run_v2_service.s',
    changed(RUN, 'google_cloud_run_v2_service.s', { ingress: 'INGRESS_TRAFFIC_INTERNAL_ONLY' }),
  ],
  [
    'a function',
    CODE,
    'google_cloudfunctions_function.f',
    changed(CODE, 'google_cloudfunctions_function.f', { ingress_settings: 'ALLOW_INTERNAL_ONLY' }),
  ],
  [
    'a forwarding rule',
    { 'google_compute_forwarding_rule.r': { name: 'r', load_balancing_scheme: 'EXTERNAL' } },
    'google_compute_forwarding_rule.r',
    { 'google_compute_forwarding_rule.r': { name: 'r', load_balancing_scheme: 'INTERNAL' } },
  ],
];

describe('Reachability on Google Cloud', () => {
  it.each(CASES)('%s', (_name, estate, address, change) => {
    expect([
      reachOf(googleReachability, estate, address),
      reachOf(googleReachability, { ...estate, ...change }, address),
    ]).toEqual(['reachable', 'closed']);
  });

  it('the evidence names each hop from the internet to the Google resource', () => {
    const [verdict] = googleReachability.judge(instancesOf(HOST)).filter(({ ref }) => ref === INSTANCE);
    expect(verdict).toEqual({
      ref: INSTANCE,
      reach: 'reachable',
      evidence: 'internet > ssh:22 > vm',
      ports: '22',
    });
  });

  it('does not decide where a value is not known', () => {
    const unclear = { ...HOST, ...withRule({ source_ranges: UNKNOWN }) };
    expect(reachOf(googleReachability, unclear, INSTANCE)).toBe('undecided');
    const bucket = {
      ...BUCKET,
      ...changed(BUCKET, 'google_storage_bucket_iam_member.m', { member: UNKNOWN }),
    };
    expect(reachOf(googleReachability, bucket, 'google_storage_bucket.b')).toBe('undecided');
  });

  it('is total on any JSON', () => {
    const names = [
      'id',
      'name',
      'network',
      'network_interface',
      'allow',
      'deny',
      'source_ranges',
      'priority',
    ];
    const more = ['bucket', 'member', 'settings', 'service', 'metadata', 'tags', 'private_cluster_config'];
    fc.assert(
      fc.property(anyInstances(googleReachability, [...names, ...more]), (list) => {
        const verdicts = googleReachability.judge(list);
        expect(new Set(verdicts.map(({ ref }) => ref)).size).toBe(verdicts.length);
      }),
    );
  });
});
