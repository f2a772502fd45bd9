import type { CloudProvider } from '../../cloud-ids/index.js';
import { attributeLines, labelOf, quoteHcl, UniqueLabels } from './hcl-text.rules.js';
import type { ImportTarget } from '../targets/import-target.js';

/** Which provider block a resource belongs to. */
export interface Placement {
  /** `aws.eu_west_1`; undefined for the block without an alias */
  reference: string | undefined;
}
export interface PlacedTarget {
  target: ImportTarget;
  placement: Placement;
}

interface Place {
  account: string;
  region: string;
}

const PROVIDERS: Record<CloudProvider, { name: string; source: string }> = {
  aws: { name: 'aws', source: 'hashicorp/aws' },
  azure: { name: 'azurerm', source: 'hashicorp/azurerm' },
  gcp: { name: 'google', source: 'hashicorp/google' },
};
const FALLBACK_REGIONS: Readonly<Record<string, string>> = {
  'aws-cn': 'cn-north-1',
  'aws-us-gov': 'us-gov-west-1',
};

/** Provider blocks for the accounts and regions of these resources; the one of most resources has no alias. */
export function placementsOf(
  provider: CloudProvider,
  targets: readonly ImportTarget[],
): { providerText: string; placed: PlacedTarget[] } {
  if (targets.length === 0) return { providerText: '', placed: [] };
  const places = placesOf(provider, targets);
  const keys = mostFrequent(places.map(keyOf));
  const byKey = new Map(places.map((place) => [keyOf(place), place]));
  const ordered = keys.map((key) => byKey.get(key) ?? { account: '', region: '' });
  const references = referencesOf(provider, ordered);
  const placed = targets.map((target, at) => {
    const place = places[at];
    return { target, placement: { reference: place && references.get(keyOf(place)) } };
  });
  const blocks = ordered.map((place) => providerBlock(provider, place, references.get(keyOf(place))));
  return { providerText: [requirementsOf(provider), ...blocks].join('\n'), placed };
}

const keyOf = ({ account, region }: Place): string => `${account} ${region}`;

/** Account and region of each resource. What is not told is that of most others; global resources use the first block. */
function placesOf(provider: CloudProvider, targets: readonly ImportTarget[]): Place[] {
  const told = (values: readonly (string | undefined)[]): string[] =>
    values.filter((value) => value !== undefined);
  const [commonAccount = ''] = mostFrequent(told(targets.map(({ account }) => account)));
  const accounts = targets.map(({ account }) => account ?? commonAccount);
  if (provider !== 'aws') return accounts.map((account) => ({ account, region: '' }));
  const regionsOf = (account: string): string[] =>
    mostFrequent(told(targets.map(({ region }, at) => (accounts[at] === account ? region : undefined))));
  const [everywhere] = mostFrequent(told(targets.map(({ region }) => region)));
  const mainRegions = new Map([...new Set(accounts)].map((account) => [account, regionsOf(account)[0]]));
  return targets.map(({ region, partition = 'aws' }, at) => {
    const account = accounts[at] ?? '';
    return {
      account,
      region: region ?? mainRegions.get(account) ?? everywhere ?? FALLBACK_REGIONS[partition] ?? 'us-east-1',
    };
  });
}

/** The distinct values, the most frequent first, then in byte order. */
function mostFrequent(values: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([value]) => value);
}

function referencesOf(provider: CloudProvider, [main, ...others]: readonly Place[]): Map<string, string> {
  const labels = new UniqueLabels();
  const { name } = PROVIDERS[provider];
  return new Map(
    others.map((place) => {
      const wanted = provider === 'aws' ? awsAlias(place, main) : place.account;
      return [keyOf(place), `${name}.${labels.take('', labelOf(wanted))}`];
    }),
  );
}

function awsAlias({ account, region }: Place, main: Place | undefined): string {
  return account === main?.account ? region : `${region}_${account}`;
}

function requirementsOf(provider: CloudProvider): string {
  const { name, source } = PROVIDERS[provider];
  return `terraform {
  required_version = ">= 1.5.0"

  required_providers {
    ${name} = {
      source = "${source}"
    }
  }
}
`;
}

function providerBlock(
  provider: CloudProvider,
  { account, region }: Place,
  reference: string | undefined,
): string {
  const { name } = PROVIDERS[provider];
  const alias: [string, string][] =
    reference === undefined ? [] : [['alias', quoteHcl(reference.slice(reference.indexOf('.') + 1))]];
  const attributes = [...alias, ...settingsOf(provider, account, region)];
  const features = provider === 'azure' ? ['  features {}', ...(attributes.length === 0 ? [] : [''])] : [];
  return [`provider "${name}" {`, ...features, ...attributeLines(attributes), '}', ''].join('\n');
}

function settingsOf(provider: CloudProvider, account: string, region: string): [string, string][] {
  const ofAccount = (name: string, value: string): [string, string][] =>
    account === '' ? [] : [[name, value]];
  switch (provider) {
    case 'aws':
      return [['region', quoteHcl(region)], ...ofAccount('allowed_account_ids', `[${quoteHcl(account)}]`)];
    case 'azure':
      return ofAccount('subscription_id', quoteHcl(account));
    case 'gcp':
      return ofAccount('project', quoteHcl(account));
  }
}
