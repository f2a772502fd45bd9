import { BALANCER_TYPES, judgeBalancers, judgeTargets } from './aws-balancers.rules.js';
import { ENTRY_POINT_TYPES, judgeEntryPoints } from './aws-entry-points.rules.js';
import { HOST_TYPES, judgeHosts } from './aws-hosts.rules.js';
import { NETWORK_ACL_TYPES } from './aws-network-acls.rules.js';
import { AwsNetwork } from './aws-network.js';
import { judgePolicies, POLICY_TYPES } from './aws-policies.rules.js';
import { ROUTE_TYPES } from './aws-routes.rules.js';
import { GROUP_RULE_TYPES, SECURITY_GROUP_TYPES } from './aws-security-groups.rules.js';
import { knownText } from './network-index.js';
import type { ReachabilityRules } from './reachability.js';
import { guardVerdict } from './verdict.js';

/** In an order in which what stands in front is judged before what stands behind. */
export const awsReachability: ReachabilityRules = {
  types: [
    ...[...HOST_TYPES, ...ROUTE_TYPES, ...NETWORK_ACL_TYPES, ...SECURITY_GROUP_TYPES, ...GROUP_RULE_TYPES],
    ...[...BALANCER_TYPES, ...ENTRY_POINT_TYPES, ...POLICY_TYPES],
  ],
  judge(instances) {
    const network = new AwsNetwork(instances);
    judgeHosts(network);
    judgeBalancers(network);
    judgeEntryPoints(network);
    judgeTargets(network);
    judgePolicies(network);
    judgeGroups(network);
    return network.verdicts.all();
  },
};

/** Groups and their rules are as reachable as what they guard. */
function judgeGroups(network: AwsNetwork): void {
  const { verdicts } = network;
  for (const { ref, attributes } of network.ofTypes(...SECURITY_GROUP_TYPES))
    verdicts.set(ref, guardVerdict(verdicts.guardedBy(knownText(attributes, 'id'))));
  for (const { ref, attributes } of network.ofTypes(...GROUP_RULE_TYPES))
    verdicts.set(ref, guardVerdict(verdicts.guardedBy(knownText(attributes, 'security_group_id'))));
}
