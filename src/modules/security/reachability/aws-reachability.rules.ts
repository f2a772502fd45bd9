import type { Attributes } from '../engine/attribute-path.rules.js';
import { isWorldCidr } from '../engine/network-match.rules.js';
import { policyMatches } from '../engine/policy-statements.rules.js';
import { valueAt } from '../engine/attribute-path.rules.js';
import {
  type Admission,
  admissionsOf,
  GROUP_RULE_TYPES,
  SECURITY_GROUP_TYPES,
} from './aws-security-groups.rules.js';
import { type InternetRoute, ROUTE_TYPES, routesOf } from './aws-routes.rules.js';
import { blocks, flag, isUnknown, knownText, knownTexts, NetworkIndex } from './network-index.js';
import type { NetworkInstance, ReachabilityRules, ReachabilityVerdict } from './reachability.js';

const ID_NAMES = ['id', 'arn', 'bucket', 'url', 'function_name', 'name'];
const LOAD_BALANCERS = ['aws_lb', 'aws_alb', 'aws_elb'] as const;
const DATABASES = ['aws_db_instance', 'aws_rds_cluster_instance', 'aws_redshift_cluster'] as const;
const DATABASES_WITHOUT_GROUPS = new Set(['aws_rds_cluster_instance']);
const TARGETS = ['aws_lb_target_group_attachment', 'aws_alb_target_group_attachment'] as const;
const LISTENERS = ['aws_lb_listener', 'aws_alb_listener', 'aws_lb_listener_rule'] as const;
const BUCKET_SETTINGS = [
  'aws_s3_bucket_acl',
  'aws_s3_bucket_policy',
  'aws_s3_bucket_public_access_block',
] as const;
/** Resources with a policy of their own, and the resources that set it, with the attribute that names the former. */
const POLICIES: Readonly<Record<string, { setter: string; via: string }>> = {
  aws_sqs_queue: { setter: 'aws_sqs_queue_policy', via: 'queue_url' },
  aws_sns_topic: { setter: 'aws_sns_topic_policy', via: 'arn' },
  aws_kms_key: { setter: 'aws_kms_key_policy', via: 'key_id' },
  aws_ecr_repository: { setter: 'aws_ecr_repository_policy', via: 'repository' },
  aws_secretsmanager_secret: { setter: 'aws_secretsmanager_secret_policy', via: 'secret_arn' },
};
const PUBLIC_ACLS = new Set(['public-read', 'public-read-write', 'website', 'authenticated-read']);
const ANYBODY = { effect: 'Allow', principal: '*', noCondition: true } as const;

type Verdict = Omit<ReachabilityVerdict, 'ref'>;
const CLOSED: Verdict = { reach: 'closed' };
const UNDECIDED: Verdict = { reach: 'undecided' };

function reachable(way: readonly (string | undefined)[], ports?: string): Verdict {
  const evidence = ['internet', ...way.filter((step) => step !== undefined)].join(' > ');
  return { reach: 'reachable', evidence, ...(ports === undefined ? {} : { ports }) };
}

export const awsReachability: ReachabilityRules = {
  types: [
    ...[
      'aws_instance',
      'aws_network_interface',
      'aws_eip',
      'aws_eip_association',
      'aws_eks_cluster',
      'aws_s3_bucket',
    ],
    ...[
      'aws_lambda_function_url',
      'aws_lambda_function',
      'aws_elasticsearch_domain',
      'aws_opensearch_domain',
    ],
    ...[
      ...ROUTE_TYPES,
      ...SECURITY_GROUP_TYPES,
      ...GROUP_RULE_TYPES,
      ...LOAD_BALANCERS,
      ...DATABASES,
      ...TARGETS,
    ],
    ...[...LISTENERS, ...BUCKET_SETTINGS, ...Object.keys(POLICIES)],
    ...Object.values(POLICIES).map(({ setter }) => setter),
  ],
  judge: (instances) => new AwsNetwork(instances).judge(),
};

class AwsNetwork {
  private readonly network: NetworkIndex;
  private readonly admissions: ReadonlyMap<string, Admission>;
  private readonly routeOf: (subnetId: string | undefined) => InternetRoute;
  private readonly verdicts = new Map<string, Verdict>();
  /** group ids with the verdicts of what they guard */
  private readonly guarded = new Map<string, Verdict[]>();
  private readonly elasticIps = new Map<string, string>();

  constructor(instances: readonly NetworkInstance[]) {
    this.network = new NetworkIndex(instances, ID_NAMES);
    this.admissions = admissionsOf(this.network);
    this.routeOf = routesOf(this.network);
    for (const { attributes } of this.network.ofTypes('aws_eip', 'aws_eip_association')) {
      const address =
        knownText(attributes, 'public_ip') ?? knownText(attributes, 'allocation_id') ?? 'elastic-ip';
      for (const path of ['instance', 'instance_id', 'network_interface', 'network_interface_id']) {
        const owner = knownText(attributes, path);
        if (owner !== undefined) this.elasticIps.set(owner, address);
      }
    }
  }

  judge(): ReachabilityVerdict[] {
    for (const one of this.network.ofTypes('aws_instance', 'aws_network_interface'))
      this.set(one, this.host(one));
    for (const one of this.network.ofTypes(...DATABASES)) this.set(one, this.database(one));
    for (const one of this.network.ofTypes(...LOAD_BALANCERS)) this.set(one, this.loadBalancer(one));
    this.judgeTargets();
    for (const one of this.network.ofTypes('aws_eks_cluster')) this.set(one, this.cluster(one));
    for (const one of this.network.ofTypes('aws_lambda_function_url')) this.set(one, this.functionUrl(one));
    for (const one of this.network.ofTypes('aws_elasticsearch_domain', 'aws_opensearch_domain'))
      this.set(
        one,
        blocks(one.attributes, 'vpc_options').length > 0 ? CLOSED : this.byPolicy(one, 'access_policies'),
      );
    this.judgeBuckets();
    this.judgePolicies();
    this.judgeGroups();
    return [...this.verdicts].map(([ref, verdict]) => ({ ref, ...verdict }));
  }

  private set(instance: NetworkInstance, verdict: Verdict): void {
    this.verdicts.set(instance.ref, verdict);
    for (const group of groupsOf(instance.attributes))
      this.guarded.set(group, [...(this.guarded.get(group) ?? []), verdict]);
  }

  /** A public address, a group that admits the world, and a route to an internet gateway. */
  private host({ attributes }: NetworkInstance): Verdict {
    const id = knownText(attributes, 'id');
    const address = this.addressOf(attributes, id);
    if (address === 'unknown') return UNDECIDED;
    if (address === undefined) return CLOSED;
    const admitted = this.admitted(groupsOf(attributes));
    if (admitted === 'unknown') return UNDECIDED;
    if (admitted === undefined) return CLOSED;
    const route = this.routeOf(knownText(attributes, 'subnet_id'));
    if (route === 'none') return CLOSED;
    const gateway = route === 'unknown' ? 'route unknown' : route.gateway;
    return reachable([gateway, admitted.step, id], admitted.ports);
  }

  private addressOf(attributes: Attributes, id: string | undefined): string | undefined {
    const elastic = id === undefined ? undefined : this.elasticIps.get(id);
    if (elastic !== undefined) return elastic;
    const own = knownText(attributes, 'public_ip') ?? knownTexts(attributes, 'ipv6_addresses')[0];
    if (own !== undefined) return own;
    const asked = flag(attributes, 'associate_public_ip_address');
    if (asked === true) return 'public address';
    if (isUnknown(attributes, 'public_ip')) return 'unknown';
    if (asked === false) return undefined;
    const subnetId = knownText(attributes, 'subnet_id');
    const subnet =
      subnetId === undefined ? undefined : this.network.find(subnetId, 'aws_subnet', 'aws_default_subnet');
    const assigns = subnet && flag(subnet.attributes, 'map_public_ip_on_launch');
    // A running instance says by an empty public_ip that it got none.
    if (valueAt(attributes, 'public_ip') === '') return undefined;
    return assigns === true ? 'public address' : undefined;
  }

  /** What the groups admit from the whole internet together; `unknown` when a group is not known. */
  private admitted(groups: readonly string[]): { step: string; ports: string } | 'unknown' | undefined {
    for (const group of groups) {
      const ports = this.admissions.get(group)?.ports;
      if (ports !== undefined && ports.size > 0) {
        const list = [...ports].sort().join(', ');
        return { step: `${group}:${list}`, ports: list };
      }
    }
    const isUnclear =
      groups.length === 0 || groups.some((group) => this.admissions.get(group)?.unknown ?? true);
    return isUnclear ? 'unknown' : undefined;
  }

  private database({ type, attributes }: NetworkInstance): Verdict {
    const isPublic = flag(attributes, 'publicly_accessible');
    if (isUnknown(attributes, 'publicly_accessible')) return UNDECIDED;
    if (isPublic !== true) return CLOSED;
    const name = knownText(attributes, 'arn') ?? knownText(attributes, 'id');
    if (DATABASES_WITHOUT_GROUPS.has(type)) return UNDECIDED;
    const admitted = this.admitted(groupsOf(attributes));
    if (admitted === 'unknown') return UNDECIDED;
    return admitted === undefined
      ? CLOSED
      : reachable(['route unknown', admitted.step, name], admitted.ports);
  }

  private loadBalancer({ type, attributes }: NetworkInstance): Verdict {
    if (isUnknown(attributes, 'internal')) return UNDECIDED;
    if (flag(attributes, 'internal') === true) return CLOSED;
    const name = knownText(attributes, 'arn') ?? knownText(attributes, 'id');
    const groups = groupsOf(attributes);
    if (
      type !== 'aws_elb' &&
      knownText(attributes, 'load_balancer_type') === 'network' &&
      groups.length === 0
    )
      return reachable([name]);
    const admitted = this.admitted(groups);
    if (admitted === 'unknown') return UNDECIDED;
    return admitted === undefined ? CLOSED : reachable([admitted.step, name], admitted.ports);
  }

  /** Instances behind a reachable balancer whose group admits the balancer's. */
  private judgeTargets(): void {
    const balancers = new Map<string, NetworkInstance>();
    for (const { attributes } of this.network.ofTypes('aws_lb_listener', 'aws_alb_listener')) {
      const arn = knownText(attributes, 'load_balancer_arn');
      const balancer = arn === undefined ? undefined : this.network.find(arn, 'aws_lb', 'aws_alb');
      if (balancer !== undefined)
        for (const group of targetGroupsOf(attributes)) balancers.set(group, balancer);
    }
    for (const { attributes } of this.network.ofTypes('aws_lb_listener_rule')) {
      const listener = this.network.find(
        knownText(attributes, 'listener_arn') ?? '',
        'aws_lb_listener',
        'aws_alb_listener',
      );
      const balancer =
        listener &&
        this.network.find(knownText(listener.attributes, 'load_balancer_arn') ?? '', 'aws_lb', 'aws_alb');
      if (balancer !== undefined)
        for (const group of targetGroupsOf(attributes)) balancers.set(group, balancer);
    }
    for (const { attributes } of this.network.ofTypes(...TARGETS)) {
      const balancer = balancers.get(knownText(attributes, 'target_group_arn') ?? '');
      const target = this.network.find(knownText(attributes, 'target_id') ?? '', 'aws_instance');
      if (balancer !== undefined && target !== undefined)
        this.judgeTarget(target, balancer, knownText(attributes, 'port'));
    }
    for (const balancer of this.network.ofTypes('aws_elb'))
      for (const id of knownTexts(balancer.attributes, 'instances')) {
        const target = this.network.find(id, 'aws_instance');
        if (target !== undefined) this.judgeTarget(target, balancer, undefined);
      }
  }

  private judgeTarget(target: NetworkInstance, balancer: NetworkInstance, port: string | undefined): void {
    const front = this.verdicts.get(balancer.ref);
    if (front?.reach !== 'reachable' || this.verdicts.get(target.ref)?.reach === 'reachable') return;
    const fronts = groupsOf(balancer.attributes);
    const groups = groupsOf(target.attributes);
    const isAdmitted = groups.some((group) => {
      const admission = this.admissions.get(group);
      return (
        admission !== undefined &&
        (admission.ports.size > 0 || fronts.some((one) => admission.groups.has(one)))
      );
    });
    if (!isAdmitted) return;
    const evidence = [front.evidence, knownText(target.attributes, 'id')]
      .filter((step) => step !== undefined)
      .join(' > ');
    this.set(target, { reach: 'reachable', evidence, ...(port === undefined ? {} : { ports: port }) });
  }

  private cluster({ attributes }: NetworkInstance): Verdict {
    if (flag(attributes, 'vpc_config.0.endpoint_public_access') === false) return CLOSED;
    if (isUnknown(attributes, 'vpc_config') || isUnknown(attributes, 'vpc_config.0.public_access_cidrs'))
      return UNDECIDED;
    const cidrs = knownTexts(attributes, 'vpc_config.0.public_access_cidrs');
    const isOpen = cidrs.length === 0 || cidrs.some(isWorldCidr);
    return isOpen ? reachable([knownText(attributes, 'arn') ?? knownText(attributes, 'id')], '443') : CLOSED;
  }

  private functionUrl({ attributes }: NetworkInstance): Verdict {
    if (isUnknown(attributes, 'authorization_type')) return UNDECIDED;
    if (knownText(attributes, 'authorization_type') !== 'NONE') return CLOSED;
    const name = knownText(attributes, 'function_name') ?? knownText(attributes, 'id');
    const verdict = reachable([name], '443');
    const owner = name === undefined ? undefined : this.network.find(name, 'aws_lambda_function');
    if (owner !== undefined) this.set(owner, verdict);
    return verdict;
  }

  private byPolicy({ attributes }: NetworkInstance, path: string): Verdict {
    const truth = policyMatches(valueAt(attributes, path), ANYBODY);
    if (truth === undefined) return UNDECIDED;
    return truth ? reachable([knownText(attributes, 'arn') ?? knownText(attributes, 'id')]) : CLOSED;
  }

  /** By ACL and policy, less what the bucket's public access block holds back. */
  private judgeBuckets(): void {
    const settings = new Map<string, NetworkInstance[]>();
    for (const setting of this.network.ofTypes(...BUCKET_SETTINGS)) {
      const bucket = knownText(setting.attributes, 'bucket');
      if (bucket !== undefined) settings.set(bucket, [...(settings.get(bucket) ?? []), setting]);
    }
    for (const bucket of this.network.ofTypes('aws_s3_bucket')) {
      const name = knownText(bucket.attributes, 'bucket') ?? knownText(bucket.attributes, 'id');
      const own = (name !== undefined && settings.get(name)) || [];
      const verdict = this.bucket(bucket, name, own);
      this.set(bucket, verdict);
      for (const setting of own) this.set(setting, verdict);
    }
  }

  private bucket(
    bucket: NetworkInstance,
    name: string | undefined,
    settings: readonly NetworkInstance[],
  ): Verdict {
    const block = settings.find(({ type }) => type === 'aws_s3_bucket_public_access_block')?.attributes ?? {};
    const all = [bucket, ...settings].map(({ attributes }) => attributes);
    if (all.some((attributes) => isUnknown(attributes, 'acl') || isUnknown(attributes, 'policy')))
      return UNDECIDED;
    const byAcl = all.some((attributes) => PUBLIC_ACLS.has(knownText(attributes, 'acl') ?? ''));
    const byPolicy = all.some((attributes) => policyMatches(valueAt(attributes, 'policy'), ANYBODY) === true);
    if (byAcl && flag(block, 'ignore_public_acls') !== true) return reachable(['ACL', name]);
    if (byPolicy && flag(block, 'restrict_public_buckets') !== true)
      return reachable(['bucket policy', name]);
    return CLOSED;
  }

  private judgePolicies(): void {
    for (const [type, { setter, via }] of Object.entries(POLICIES)) {
      for (const one of this.network.ofTypes(type)) this.set(one, this.byPolicy(one, 'policy'));
      for (const one of this.network.ofTypes(setter)) {
        const verdict = this.byPolicy(one, 'policy');
        this.set(one, verdict);
        const owner = this.network.find(knownText(one.attributes, via) ?? '', type);
        if (owner !== undefined && verdict.reach !== 'closed') this.set(owner, verdict);
      }
    }
  }

  /** Groups and their rules are as reachable as what they guard. */
  private judgeGroups(): void {
    const of = (id: string | undefined): Verdict => {
      const verdicts = (id !== undefined && this.guarded.get(id)) || [];
      const open = verdicts.find(({ reach }) => reach === 'reachable');
      if (open !== undefined) return open;
      return verdicts.length > 0 && verdicts.every(({ reach }) => reach === 'closed') ? CLOSED : UNDECIDED;
    };
    for (const { ref, attributes } of this.network.ofTypes(...SECURITY_GROUP_TYPES))
      this.verdicts.set(ref, of(knownText(attributes, 'id')));
    for (const { ref, attributes } of this.network.ofTypes(...GROUP_RULE_TYPES))
      this.verdicts.set(ref, of(knownText(attributes, 'security_group_id')));
  }
}

function groupsOf(attributes: Attributes): string[] {
  const paths = ['vpc_security_group_ids', 'security_groups', 'vpc_config.0.security_group_ids'];
  return [...new Set(paths.flatMap((path) => knownTexts(attributes, path)))];
}

function targetGroupsOf(attributes: Attributes): string[] {
  return [...blocks(attributes, 'default_action'), ...blocks(attributes, 'action')].flatMap((action) => [
    ...knownTexts(action, 'target_group_arn'),
    ...blocks(action, 'forward.0.target_group').flatMap((group) => knownTexts(group, 'arn')),
  ]);
}
