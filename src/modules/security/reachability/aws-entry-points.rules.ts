import { isWorldCidr } from '../engine/network-match.rules.js';
import type { AwsNetwork } from './aws-network.js';
import { nameOf } from './aws-network.js';
import { blocks, flag, isUnknown, knownText, knownTexts } from './network-index.js';
import type { NetworkInstance } from './reachability.js';
import { beyond, CLOSED, reachable, UNDECIDED, type Verdict } from './verdict.js';

const REST_API = 'aws_api_gateway_rest_api';
const HTTP_API = 'aws_apigatewayv2_api';
const FUNCTION = 'aws_lambda_function';
const FUNCTION_URL = 'aws_lambda_function_url';
const DISTRIBUTION = 'aws_cloudfront_distribution';
const CLUSTER = 'aws_eks_cluster';
const BROKER = 'aws_msk_cluster';
/** What belongs to an API, with the attribute that names it. */
const PARTS_OF_APIS: Readonly<Record<string, { api: string; via: string }>> = {
  aws_api_gateway_stage: { api: REST_API, via: 'rest_api_id' },
  aws_api_gateway_deployment: { api: REST_API, via: 'rest_api_id' },
  aws_api_gateway_method: { api: REST_API, via: 'rest_api_id' },
  aws_api_gateway_integration: { api: REST_API, via: 'rest_api_id' },
  aws_apigatewayv2_stage: { api: HTTP_API, via: 'api_id' },
  aws_apigatewayv2_route: { api: HTTP_API, via: 'api_id' },
  aws_apigatewayv2_integration: { api: HTTP_API, via: 'api_id' },
};
const INTEGRATIONS = ['aws_api_gateway_integration', 'aws_apigatewayv2_integration'];
const BALANCERS = ['aws_lb', 'aws_alb', 'aws_elb'];

export const ENTRY_POINT_TYPES = [
  ...[REST_API, HTTP_API, FUNCTION, FUNCTION_URL, DISTRIBUTION, CLUSTER, BROKER],
  ...Object.keys(PARTS_OF_APIS),
];

/** Endpoints that need no address of their own, and what they pass requests on to. */
export function judgeEntryPoints(network: AwsNetwork): void {
  for (const one of network.ofTypes(CLUSTER)) network.set(one, cluster(one));
  for (const one of network.ofTypes(BROKER)) network.set(one, broker(one));
  for (const one of network.ofTypes(FUNCTION_URL)) judgeFunctionUrl(network, one);
  for (const one of network.ofTypes(REST_API, HTTP_API)) network.set(one, api(one));
  for (const [type, { api: owner, via }] of Object.entries(PARTS_OF_APIS))
    for (const one of network.ofTypes(type)) {
      const found = network.find(knownText(one.attributes, via), owner);
      const verdict = (found && network.verdicts.get(found.ref)) ?? UNDECIDED;
      network.set(one, verdict);
      if (INTEGRATIONS.includes(type) && verdict.reach === 'reachable') judgeBackend(network, one, verdict);
    }
  for (const one of network.ofTypes(DISTRIBUTION)) judgeDistribution(network, one);
}

function cluster(instance: NetworkInstance): Verdict {
  const { attributes } = instance;
  if (flag(attributes, 'vpc_config.0.endpoint_public_access') === false) return CLOSED;
  if (isUnknown(attributes, 'vpc_config') || isUnknown(attributes, 'vpc_config.0.public_access_cidrs'))
    return UNDECIDED;
  const cidrs = knownTexts(attributes, 'vpc_config.0.public_access_cidrs');
  return cidrs.length === 0 || cidrs.some(isWorldCidr) ? reachable([nameOf(instance)], '443') : CLOSED;
}

function broker(instance: NetworkInstance): Verdict {
  const path = 'broker_node_group_info.0.connectivity_info.0.public_access.0.type';
  if (isUnknown(instance.attributes, path)) return UNDECIDED;
  const isPublic = knownText(instance.attributes, path) === 'SERVICE_PROVIDED_EIPS';
  return isPublic ? reachable([nameOf(instance)]) : CLOSED;
}

function judgeFunctionUrl(network: AwsNetwork, instance: NetworkInstance): void {
  const { attributes } = instance;
  const name = knownText(attributes, 'function_name') ?? knownText(attributes, 'id');
  const isUnclear = isUnknown(attributes, 'authorization_type');
  const isOpen = knownText(attributes, 'authorization_type') === 'NONE';
  const verdict = isOpen ? reachable([name], '443') : isUnclear ? UNDECIDED : CLOSED;
  network.set(instance, verdict);
  const owner = network.find(name, FUNCTION);
  if (owner !== undefined && isOpen) network.set(owner, verdict);
}

/** APIs are public unless they say otherwise. With its own endpoint off, an API may have another name. */
function api(instance: NetworkInstance): Verdict {
  const { attributes } = instance;
  const path = 'endpoint_configuration.0.types';
  if (isUnknown(attributes, 'endpoint_configuration') || isUnknown(attributes, path)) return UNDECIDED;
  if (knownTexts(attributes, path).includes('PRIVATE')) return CLOSED;
  if (flag(attributes, 'disable_execute_api_endpoint') === true) return UNDECIDED;
  return reachable([nameOf(instance)], '443');
}

/** The function or balancer that an integration passes requests on to. */
function judgeBackend(network: AwsNetwork, { attributes }: NetworkInstance, front: Verdict): void {
  const uri = knownText(attributes, 'uri') ?? knownText(attributes, 'integration_uri');
  if (uri === undefined) return;
  const arn = /functions\/(arn:[^/]+)\/invocations$/.exec(uri)?.[1] ?? uri;
  // An alias or version may stand behind the name of the function.
  const unqualified = /^(arn:[^:]*:lambda:[^:]*:[^:]*:function:[^:]+)/.exec(arn)?.[1] ?? arn;
  const listener = network.find(uri, 'aws_lb_listener', 'aws_alb_listener');
  const balancer = knownText(listener?.attributes ?? {}, 'load_balancer_arn');
  const backend = network.find(unqualified, FUNCTION) ?? network.find(balancer, ...BALANCERS);
  if (backend !== undefined) network.setUnlessReachable(backend, beyond(front, nameOf(backend)));
}

/** A distribution, and the buckets, balancers and APIs that it fetches from. */
function judgeDistribution(network: AwsNetwork, instance: NetworkInstance): void {
  const { attributes } = instance;
  if (flag(attributes, 'enabled') !== true) {
    network.set(instance, isUnknown(attributes, 'enabled') ? UNDECIDED : CLOSED);
    return;
  }
  const verdict = reachable([knownText(attributes, 'id') ?? nameOf(instance)], '80, 443');
  network.set(instance, verdict);
  for (const origin of blocks(attributes, 'origin')) {
    const domain = knownText(origin, 'domain_name');
    const bucket = domain === undefined ? undefined : /^(.+?)\.s3[.-]/.exec(domain)?.[1];
    const backend = network.find(domain, ...BALANCERS) ?? network.find(bucket, 'aws_s3_bucket');
    if (backend !== undefined) network.setUnlessReachable(backend, beyond(verdict, nameOf(backend)));
  }
}
