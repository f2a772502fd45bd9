import { isFitText } from './arn.rules.js';
import { AZURE_IMPORT_TYPES, type AzureImportType } from './azure-import-types.js';
import type { ImportMapping, ImportSource, ImportTarget } from './import-target.js';

const BY_TYPE: ReadonlyMap<string, AzureImportType> = new Map(
  AZURE_IMPORT_TYPES.map((type) => [type.resourceType.toLowerCase(), type]),
);
const SUBSCRIPTION = /^[0-9a-f-]{36}$/i;

/** ARM ids are spelled in any case by Azure, and in one case by the provider. */
export function mapAzureImport(source: ImportSource): ImportMapping {
  const { id } = source;
  const segments = isFitText(id) && id.startsWith('/') ? id.replace(/\/+$/, '').slice(1).split('/') : [];
  const [subscriptions = '', subscription = '', groups = ''] = segments;
  if (
    subscriptions.toLowerCase() !== 'subscriptions' ||
    !SUBSCRIPTION.test(subscription) ||
    segments.includes('')
  )
    return { reason: 'the resource id is malformed' };
  if (groups.toLowerCase() !== 'resourcegroups') return { reason: 'the resource id has no resource group' };
  return segments.length === 4 ? { target: groupOf(source, segments) } : mapResource(source, segments);
}

function groupOf(
  { region }: ImportSource,
  [, subscription = '', , group = '']: readonly string[],
): ImportTarget {
  const account = subscription.toLowerCase();
  return {
    terraformType: 'azurerm_resource_group',
    importId: `/subscriptions/${account}/resourceGroups/${group}`,
    name: group,
    arguments: [['name', group], ...locationOf(region)],
    account,
  };
}

function mapResource(source: ImportSource, segments: readonly string[]): ImportMapping {
  const [providers = '', namespace = '', ...rest] = segments.slice(4);
  if (providers.toLowerCase() !== 'providers' || rest.length === 0 || rest.length % 2 !== 0)
    return { reason: 'the resource id has no provider' };
  const kinds = rest.filter((_, at) => at % 2 === 0);
  const names = rest.filter((_, at) => at % 2 === 1);
  const type = BY_TYPE.get([namespace, ...kinds].join('/').toLowerCase());
  if (!type) return { reason: `no Terraform type is known for ${[namespace, ...kinds].join('/')}` };
  const { terraformType: decided, candidates = [] } = type;
  const terraformType = typeof decided === 'string' ? decided : decided(source.attributes ?? {});
  if (terraformType === undefined)
    return { reason: `the inventory does not tell which type it is: ${candidates.join(', ')}` };
  return { target: targetOf(source, { type, terraformType, names }, segments) };
}

function targetOf(
  { region }: ImportSource,
  of: { type: AzureImportType; terraformType: string; names: readonly string[] },
  [, subscription = '', , group = '']: readonly string[],
): ImportTarget {
  const account = subscription.toLowerCase();
  const name = of.names.at(-1) ?? '';
  return {
    ...{ terraformType: of.terraformType, name, account },
    importId: `/subscriptions/${account}/resourceGroups/${group}/providers/${pathOf(of.type, of.names)}`,
    arguments: of.names.length > 1 ? [['name', name]] : argumentsOf(of.type, name, { group, region }),
  };
}

function pathOf({ resourceType }: AzureImportType, names: readonly string[]): string {
  const [namespace = '', ...kinds] = resourceType.split('/');
  return [namespace, ...kinds.flatMap((kind, at) => [kind, names[at] ?? ''])].join('/');
}

function argumentsOf(
  { isGlobal }: AzureImportType,
  name: string,
  { group, region }: { group: string; region: string | undefined },
): [string, string][] {
  return [['name', name], ['resource_group_name', group], ...(isGlobal === true ? [] : locationOf(region))];
}

function locationOf(region: string | undefined): [string, string][] {
  return region !== undefined && /^[a-z0-9 ]{1,60}$/i.test(region) ? [['location', region]] : [];
}
