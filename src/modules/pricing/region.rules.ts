import type { FindLinked, Link } from './resource-draft.js';
import { isRecord } from '../../platform/json/is-record.js';

/** The cloud of a provider's source address: `registry.terraform.io/hashicorp/azurerm` is `azure`. */
export function cloudOf(providerSource: string): string {
  const name = /([^/"\]]+)"?\]?(?:\.[\w-]+)?$/.exec(providerSource)?.[1] ?? providerSource;
  return CLOUDS[name] ?? name;
}

/** The cloud whose prices a type has; undefined for types of other providers. */
export function cloudOfType(type: string): 'aws' | 'azure' | 'gcp' | undefined {
  if (type.startsWith('aws_')) return 'aws';
  if (type.startsWith('azurerm_')) return 'azure';
  return type.startsWith('google_') ? 'gcp' : undefined;
}

const CLOUDS: Record<string, string> = {
  aws: 'aws',
  awscc: 'aws',
  azurerm: 'azure',
  azuread: 'azure',
  azapi: 'azure',
  google: 'gcp',
  'google-beta': 'gcp',
};

export interface RegionQuestion {
  type: string;
  attributes: unknown;
  linked?: FindLinked;
}

export interface RegionAnswer {
  region?: string;
  /** instances that were asked for, found or not */
  links: Link[];
}

/**
 * The region that the attributes of an instance tell: `region`, the region of its ARN, its zone or location, or the
 * location of its resource group. Nothing when none of them does.
 */
export function ownRegion(question: RegionQuestion): RegionAnswer {
  const { type, attributes } = question;
  const cloud = cloudOfType(type);
  if (cloud === undefined || !isRecord(attributes)) return { links: [] };
  if (cloud === 'aws') return answer(awsRegion(attributes));
  if (cloud === 'gcp') return answer(googleRegion(attributes));
  return azureRegion(attributes, question.linked);
}

/** The region to price in: what the instance tells, the plan's provider, where most instances are, the default. */
export function chooseRegion(candidates: {
  own?: string;
  planned?: string;
  majority?: string;
  byDefault: string;
}): string {
  return candidates.own ?? candidates.planned ?? candidates.majority ?? candidates.byDefault;
}

/** Of the regions that instances tell, the most frequent; the first by name of equally frequent ones. */
export function majorityRegion(counts: ReadonlyMap<string, number>): string | undefined {
  return [...counts].sort(([left, many], [right, more]) => more - many || (left < right ? -1 : 1))[0]?.[0];
}

/** People's spelling to the cloud's: `West Europe` is `westeurope`, `us-east-1a` lies in `us-east-1`. */
export function normalRegion(cloud: string, region: string): string | undefined {
  const text = region.trim().toLowerCase();
  if (text === '' || text.length > 60 || !/^[a-z0-9][a-z0-9 ()_-]*$/.test(text)) return undefined;
  if (cloud === 'azure') return text.replace(/[^a-z0-9]/g, '');
  if (cloud === 'aws') return /^([a-z]{2,4}(?:-[a-z]+)+-\d)[a-z]$/.exec(text)?.[1] ?? text;
  return /^([a-z]+-[a-z]+\d+)-[a-z]$/.exec(text)?.[1] ?? text;
}

const ARN = /^arn:[a-z-]+:[a-z0-9-]*:([a-z0-9-]+):/;
const GOOGLE_PATH = /\/(?:zones|regions|locations)\/([a-z0-9-]+)/;

function awsRegion(attributes: Record<string, unknown>): string | undefined {
  const zones = attributes['availability_zones'];
  const zone =
    textOf(attributes, 'availability_zone') ?? (Array.isArray(zones) ? (zones as unknown[])[0] : undefined);
  return (
    normalOf('aws', textOf(attributes, 'region')) ??
    normalOf('aws', ARN.exec(textOf(attributes, 'arn') ?? '')?.[1]) ??
    normalOf('aws', typeof zone === 'string' ? zone : undefined)
  );
}

function googleRegion(attributes: Record<string, unknown>): string | undefined {
  for (const name of ['region', 'zone', 'location']) {
    const text = textOf(attributes, name);
    // `zone` and `region` may be a self link.
    const region = text === undefined ? undefined : normalOf('gcp', text.split('/').at(-1));
    if (region !== undefined && region !== 'global') return region;
  }
  const path = GOOGLE_PATH.exec(textOf(attributes, 'self_link') ?? textOf(attributes, 'id') ?? '')?.[1];
  const region = normalOf('gcp', path);
  return region === 'global' ? undefined : region;
}

function azureRegion(attributes: Record<string, unknown>, linked: FindLinked | undefined): RegionAnswer {
  const own = normalOf('azure', textOf(attributes, 'location'));
  if (own !== undefined && own !== 'global') return { region: own, links: [] };
  const group =
    textOf(attributes, 'resource_group_name') ??
    parentGroup(textOf(attributes, 'id')) ??
    parentGroup(parentId(attributes));
  if (group === undefined) return parentRegion(attributes, linked);
  const link = { type: 'azurerm_resource_group', id: group };
  const found = linked?.(link.type, link.id);
  const region = isRecord(found?.attributes)
    ? normalOf('azure', textOf(found.attributes, 'location'))
    : undefined;
  return region === undefined ? { links: [link] } : { region, links: [link] };
}

/** Shares, queues and tables name their account only. */
function parentRegion(attributes: Record<string, unknown>, linked: FindLinked | undefined): RegionAnswer {
  const account = textOf(attributes, 'storage_account_name');
  if (account === undefined) return { links: [] };
  const link = { type: 'azurerm_storage_account', id: account };
  const found = linked?.(link.type, link.id);
  const region = isRecord(found?.attributes)
    ? normalOf('azure', textOf(found.attributes, 'location'))
    : undefined;
  return region === undefined ? { links: [link] } : { region, links: [link] };
}

function parentId(attributes: Record<string, unknown>): string | undefined {
  for (const [name, value] of Object.entries(attributes))
    if (name.endsWith('_id') && typeof value === 'string' && value.includes('/resourceGroups/')) return value;
  return undefined;
}

function parentGroup(id: string | undefined): string | undefined {
  return id === undefined ? undefined : /\/resourceGroups\/([^/]+)/i.exec(id)?.[1];
}

function answer(region: string | undefined): RegionAnswer {
  return region === undefined ? { links: [] } : { region, links: [] };
}

function normalOf(cloud: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : normalRegion(cloud, text);
}

function textOf(attributes: Record<string, unknown>, name: string): string | undefined {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
