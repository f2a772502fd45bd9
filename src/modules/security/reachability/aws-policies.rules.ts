import { type Json, valueAt } from '../engine/attribute-path.rules.js';
import { isOpenToEverybody } from '../engine/open-policy.rules.js';
import type { AwsNetwork } from './aws-network.js';
import { nameOf } from './aws-network.js';
import { blocks, flag, isUnknown, knownText } from './network-index.js';
import type { NetworkInstance } from './reachability.js';
import { CLOSED, reachable, UNDECIDED, type Verdict } from './verdict.js';

const BUCKET = 'aws_s3_bucket';
const ACCOUNT_BLOCK = 'aws_s3_account_public_access_block';
const BLOCK = 'aws_s3_bucket_public_access_block';
const BUCKET_SETTINGS = ['aws_s3_bucket_acl', 'aws_s3_bucket_policy', BLOCK] as const;
const SEARCH_DOMAINS = ['aws_elasticsearch_domain', 'aws_opensearch_domain'] as const;
const SEARCH_POLICIES = ['aws_elasticsearch_domain_policy', 'aws_opensearch_domain_policy'] as const;
/** Resources with a policy of their own, and the resources that set it, with the attribute that names the former. */
const POLICIES: Readonly<Record<string, { setter: string; via: string }>> = {
  aws_sqs_queue: { setter: 'aws_sqs_queue_policy', via: 'queue_url' },
  aws_sns_topic: { setter: 'aws_sns_topic_policy', via: 'arn' },
  aws_kms_key: { setter: 'aws_kms_key_policy', via: 'key_id' },
  aws_ecr_repository: { setter: 'aws_ecr_repository_policy', via: 'repository' },
  aws_secretsmanager_secret: { setter: 'aws_secretsmanager_secret_policy', via: 'secret_arn' },
};
const PUBLIC_ACLS = new Set(['public-read', 'public-read-write', 'website', 'authenticated-read']);
const PUBLIC_GRANTEES = /\/groups\/global\/(?:AllUsers|AuthenticatedUsers)$/;

export const POLICY_TYPES = [
  ...[BUCKET, ACCOUNT_BLOCK, ...BUCKET_SETTINGS, ...SEARCH_DOMAINS, ...SEARCH_POLICIES],
  ...Object.entries(POLICIES).flatMap(([type, { setter }]) => [type, setter]),
];

/** What a policy or an access control list opens to everybody. */
export function judgePolicies(network: AwsNetwork): void {
  judgeBuckets(network);
  for (const type of SEARCH_DOMAINS)
    for (const one of network.ofTypes(type)) network.set(one, searchDomain(network, one));
  for (const [type, { setter, via }] of Object.entries(POLICIES)) {
    for (const one of network.ofTypes(type)) network.set(one, byPolicy(one, 'policy', one));
    for (const one of network.ofTypes(setter)) {
      const owner = network.find(knownText(one.attributes, via), type);
      const verdict = byPolicy(one, 'policy', owner ?? one);
      network.set(one, verdict);
      if (owner !== undefined && verdict.reach !== 'closed') network.setUnlessReachable(owner, verdict);
    }
  }
}

function byPolicy({ attributes }: NetworkInstance, path: string, named: NetworkInstance): Verdict {
  const truth = isOpenToEverybody(valueAt(attributes, path));
  if (truth === undefined) return UNDECIDED;
  return truth ? reachable(['policy', nameOf(named)]) : CLOSED;
}

/** A domain in a VPC has no public endpoint. */
function searchDomain(network: AwsNetwork, domain: NetworkInstance): Verdict {
  if (blocks(domain.attributes, 'vpc_options').length > 0) return CLOSED;
  const name = knownText(domain.attributes, 'domain_name');
  const setters = network
    .ofTypes(...SEARCH_POLICIES)
    .filter(({ attributes }) => name !== undefined && knownText(attributes, 'domain_name') === name);
  const verdicts = [domain, ...setters].map((one) => byPolicy(one, 'access_policies', domain));
  const verdict = ['reachable', 'undecided'].flatMap(
    (reach) => verdicts.find((one) => one.reach === reach) ?? [],
  )[0];
  for (const setter of setters) network.set(setter, verdict ?? CLOSED);
  return verdict ?? CLOSED;
}

/** By ACL and policy, less what the public access blocks of the bucket and of its account hold back. */
function judgeBuckets(network: AwsNetwork): void {
  const settings = new Map<string, NetworkInstance[]>();
  for (const setting of network.ofTypes(...BUCKET_SETTINGS)) {
    const bucket = knownText(setting.attributes, 'bucket');
    if (bucket !== undefined) settings.set(bucket, [...(settings.get(bucket) ?? []), setting]);
  }
  for (const bucket of network.ofTypes(BUCKET)) {
    const name = knownText(bucket.attributes, 'bucket') ?? knownText(bucket.attributes, 'id');
    const own = (name !== undefined && settings.get(name)) || [];
    network.setUnlessReachable(bucket, bucketVerdict(network, bucket, own));
    const verdict = network.verdicts.get(bucket.ref) ?? UNDECIDED;
    for (const setting of own) network.set(setting, verdict);
  }
}

function bucketVerdict(
  network: AwsNetwork,
  bucket: NetworkInstance,
  settings: readonly NetworkInstance[],
): Verdict {
  const all = [bucket, ...settings].map(({ attributes }) => attributes);
  const name = knownText(bucket.attributes, 'bucket') ?? knownText(bucket.attributes, 'id');
  const isBlocked = blockedIn(network, bucket, settings);
  const isUnclear = all.some((attributes) => isUnknown(attributes, 'acl') || isUnknown(attributes, 'policy'));
  const byAcl = all.some(hasPublicAcl) && !isBlocked('ignore_public_acls');
  const isOpen = all.some((attributes) => isOpenToEverybody(valueAt(attributes, 'policy')) === true);
  if (byAcl) return reachable(['ACL', name]);
  if (isOpen && !isBlocked('restrict_public_buckets')) return reachable(['bucket policy', name]);
  return isUnclear ? UNDECIDED : CLOSED;
}

/** Blocks of the bucket, and of the account where the bucket's state says that there is one. */
function blockedIn(
  network: AwsNetwork,
  bucket: NetworkInstance,
  settings: readonly NetworkInstance[],
): (setting: string) => boolean {
  const own = settings.filter(({ type }) => type === BLOCK);
  // A bucket names no account: a state that blocks its account's buckets is of that account.
  const account = network.ofTypes(ACCOUNT_BLOCK).filter(({ stateId }) => stateId === bucket.stateId);
  return (setting) => [...own, ...account].some(({ attributes }) => flag(attributes, setting) === true);
}

function hasPublicAcl(attributes: Json): boolean {
  if (PUBLIC_ACLS.has(knownText(attributes, 'acl') ?? '')) return true;
  const grants = [
    ...blocks(attributes, 'access_control_policy.0.grant').map((grant) => knownText(grant, 'grantee.0.uri')),
    ...blocks(attributes, 'grant').map((grant) => knownText(grant, 'uri')),
  ];
  return grants.some((uri) => uri !== undefined && PUBLIC_GRANTEES.test(uri));
}
