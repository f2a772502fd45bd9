import type { Attributes, Json } from '../engine/attribute-path.rules.js';
import type { AwsNetwork } from './aws-network.js';
import { nameOf } from './aws-network.js';
import { groupsOf } from './aws-security-groups.rules.js';
import { blocks, flag, isUnknown, knownText, knownTexts } from './network-index.js';
import type { NetworkInstance } from './reachability.js';
import { beyond, CLOSED, reachable, UNDECIDED, type Verdict } from './verdict.js';

const MODERN = ['aws_lb', 'aws_alb'] as const;
const LOAD_BALANCERS = [...MODERN, 'aws_elb'] as const;
const LISTENERS = ['aws_lb_listener', 'aws_alb_listener'] as const;
const LISTENER_RULES = ['aws_lb_listener_rule', 'aws_alb_listener_rule'] as const;
const TARGETS = ['aws_lb_target_group_attachment', 'aws_alb_target_group_attachment'] as const;
const TEMPLATES = ['aws_launch_template', 'aws_launch_configuration'] as const;

export const BALANCER_TYPES = [
  ...[...LOAD_BALANCERS, ...LISTENERS, ...LISTENER_RULES, ...TARGETS, ...TEMPLATES],
  ...['aws_autoscaling_group', 'aws_autoscaling_attachment', 'aws_ecs_service'],
] as const;

export function judgeBalancers(network: AwsNetwork): void {
  for (const one of network.ofTypes(...LOAD_BALANCERS)) network.set(one, loadBalancer(network, one));
}

function loadBalancer(network: AwsNetwork, instance: NetworkInstance): Verdict {
  const { type, attributes } = instance;
  if (isUnknown(attributes, 'internal')) return UNDECIDED;
  if (flag(attributes, 'internal') === true) return CLOSED;
  const name = nameOf(instance);
  const groups = groupsOf(attributes);
  const isNetwork = type !== 'aws_elb' && knownText(attributes, 'load_balancer_type') === 'network';
  if (isNetwork && groups.length === 0) return reachable([name]);
  const admitted = network.admitted(groups);
  if (admitted === 'unknown') return UNDECIDED;
  return admitted === undefined ? CLOSED : reachable([admitted.step, name], admitted.ports);
}

/** What stands behind reachable balancers: instances, scaling groups with their templates, and services. */
export function judgeTargets(network: AwsNetwork): void {
  const fronts = frontsOf(network);
  const judge = (target: Target, front: NetworkInstance | undefined): void => {
    const verdict = front && verdictBehind(network, target, front);
    if (verdict === undefined) return;
    for (const instance of [target.instance, ...target.parts]) network.setUnlessReachable(instance, verdict);
  };
  for (const { attributes } of network.ofTypes(...TARGETS)) {
    const instance = network.find(knownText(attributes, 'target_id'), 'aws_instance');
    const front = fronts.get(knownText(attributes, 'target_group_arn') ?? '');
    if (instance !== undefined)
      judge(
        { instance, groups: groupsOf(instance.attributes), port: knownText(attributes, 'port'), parts: [] },
        front,
      );
  }
  for (const balancer of network.ofTypes('aws_elb'))
    for (const id of knownTexts(balancer.attributes, 'instances')) {
      const instance = network.find(id, 'aws_instance');
      if (instance !== undefined)
        judge({ instance, groups: groupsOf(instance.attributes), port: undefined, parts: [] }, balancer);
    }
  for (const instance of network.ofTypes('aws_ecs_service'))
    judgeService(network, instance, { fronts, judge });
  for (const instance of network.ofTypes('aws_autoscaling_group'))
    judgeScalingGroup(network, instance, { fronts, judge });
}

interface Target {
  instance: NetworkInstance;
  groups: readonly string[];
  port: string | undefined;
  /** what is as reachable as the target itself */
  parts: readonly NetworkInstance[];
}

interface Judging {
  fronts: ReadonlyMap<string, NetworkInstance>;
  judge: (target: Target, front: NetworkInstance | undefined) => void;
}

/** Balancers by the target groups that their listeners and rules forward to. */
function frontsOf(network: AwsNetwork): ReadonlyMap<string, NetworkInstance> {
  const fronts = new Map<string, NetworkInstance>();
  const add = (attributes: Attributes, balancer: NetworkInstance | undefined): void => {
    if (balancer === undefined) return;
    for (const group of targetGroupsOf(attributes)) {
      const known = fronts.get(group);
      if (known === undefined || !network.verdicts.isReachable(known.ref)) fronts.set(group, balancer);
    }
  };
  const balancerOf = (listener: NetworkInstance | undefined): NetworkInstance | undefined =>
    listener && network.find(knownText(listener.attributes, 'load_balancer_arn'), ...MODERN);
  for (const listener of network.ofTypes(...LISTENERS)) add(listener.attributes, balancerOf(listener));
  for (const { attributes } of network.ofTypes(...LISTENER_RULES))
    add(attributes, balancerOf(network.find(knownText(attributes, 'listener_arn'), ...LISTENERS)));
  return fronts;
}

function targetGroupsOf(attributes: Attributes): string[] {
  return [...blocks(attributes, 'default_action'), ...blocks(attributes, 'action')].flatMap((action) => [
    ...knownTexts(action, 'target_group_arn'),
    ...blocks(action, 'forward.0.target_group').flatMap((group) => knownTexts(group, 'arn')),
  ]);
}

/** Undefined unless the balancer is reachable and a group of the target admits the balancer. */
function verdictBehind(network: AwsNetwork, target: Target, front: NetworkInstance): Verdict | undefined {
  const verdict = network.verdicts.get(front.ref);
  if (verdict?.reach !== 'reachable') return undefined;
  if (!network.admitsFrom(target.groups, groupsOf(front.attributes))) return undefined;
  return beyond(verdict, knownText(target.instance.attributes, 'id'), target.port);
}

/** Services with public addresses, and services behind balancers. */
function judgeService(network: AwsNetwork, instance: NetworkInstance, { fronts, judge }: Judging): void {
  const { attributes } = instance;
  const path = 'network_configuration.0';
  const groups = knownTexts(attributes, `${path}.security_groups`);
  const isPublic = flag(attributes, `${path}.assign_public_ip`);
  // Without a network of their own the tasks stand on hosts, whose groups decide.
  const isOnHosts = blocks(attributes, 'network_configuration').length === 0;
  if (isPublic === true)
    network.set(
      instance,
      network.way(knownText(attributes, 'id'), groups, knownTexts(attributes, `${path}.subnets`)),
    );
  else network.set(instance, isOnHosts || isUnknown(attributes, path) ? UNDECIDED : CLOSED);
  for (const balancer of blocks(attributes, 'load_balancer'))
    for (const group of knownTexts(balancer, 'target_group_arn'))
      judge({ instance, groups, port: knownText(balancer, 'container_port'), parts: [] }, fronts.get(group));
}

function judgeScalingGroup(network: AwsNetwork, instance: NetworkInstance, { fronts, judge }: Judging): void {
  const { attributes } = instance;
  const template = templateOf(network, attributes);
  const parts = template === undefined ? [] : [template];
  const groups = template === undefined ? [] : groupsOf(template.attributes);
  const isPublic =
    template !== undefined &&
    ['associate_public_ip_address', 'network_interfaces.0.associate_public_ip_address'].some(
      (path) => flag(template.attributes, path) === true,
    );
  const subnets = knownTexts(attributes, 'vpc_zone_identifier');
  const id = knownText(attributes, 'id');
  const verdict = isPublic ? network.way(id, groups, subnets) : template === undefined ? UNDECIDED : CLOSED;
  for (const one of [instance, ...parts]) network.setUnlessReachable(one, verdict);
  const name = knownText(attributes, 'name') ?? id;
  const attachments = network
    .ofTypes('aws_autoscaling_attachment')
    .map((attachment) => attachment.attributes)
    .filter((attachment) => knownText(attachment, 'autoscaling_group_name') === name);
  const target: Target = { instance, groups, port: undefined, parts };
  const targetGroups = [
    ...knownTexts(attributes, 'target_group_arns'),
    ...attachments.flatMap((one) => [
      ...knownTexts(one, 'lb_target_group_arn'),
      ...knownTexts(one, 'alb_target_group_arn'),
    ]),
  ];
  for (const group of targetGroups) judge(target, fronts.get(group));
  const classic = [
    ...knownTexts(attributes, 'load_balancers'),
    ...attachments.flatMap((one) => knownTexts(one, 'elb')),
  ];
  for (const one of classic) judge(target, network.find(one, 'aws_elb'));
}

function templateOf(network: AwsNetwork, attributes: Json): NetworkInstance | undefined {
  const mixed = 'mixed_instances_policy.0.launch_template.0.launch_template_specification.0';
  const named =
    knownText(attributes, 'launch_template.0.id') ??
    knownText(attributes, 'launch_template.0.name') ??
    knownText(attributes, `${mixed}.launch_template_id`) ??
    knownText(attributes, `${mixed}.launch_template_name`) ??
    knownText(attributes, 'launch_configuration');
  return network.find(named, ...TEMPLATES);
}
