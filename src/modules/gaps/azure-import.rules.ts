import { isFitText } from './arn.rules.js';
import { AZURE_IMPORT_TYPES, type AzureImportType } from './azure-import-types.js';
import type { ImportMapping, ImportSource } from './import-target.js';

const BY_TYPE: ReadonlyMap<string, AzureImportType> = new Map(
  AZURE_IMPORT_TYPES.map((type) => [type.resourceType.toLowerCase(), type]),
);
const SUBSCRIPTION = /^[0-9a-f-]{36}$/i;

/** ARM ids are spelled in any case by Azure, and in one case by the provider. */
export function mapAzureImport({ id, region, attributes = {} }: ImportSource): ImportMapping {
  const segments = isFitText(id) && id.startsWith('/') ? id.replace(/\/+$/, '').slice(1).split('/') : [];
  const [
    subscriptions = '',
    subscription = '',
    groups = '',
    group = '',
    providers = '',
    namespace = '',
    ...rest
  ] = segments;
  if (
    subscriptions.toLowerCase() !== 'subscriptions' ||
    !SUBSCRIPTION.test(subscription) ||
    segments.includes('')
  )
    return { reason: 'the resource id is malformed' };
  const account = subscription.toLowerCase();
  if (groups.toLowerCase() === 'resourcegroups' && segments.length === 4)
    return {
      target: {
        ...{
          terraformType: 'azurerm_resource_group',
          importId: `/subscriptions/${account}/resourceGroups/${group}`,
        },
        name: group,
        arguments: [['name', group], ...locationOf(region)],
        account,
      },
    };
  if (
    groups.toLowerCase() !== 'resourcegroups' ||
    providers.toLowerCase() !== 'providers' ||
    rest.length % 2 !== 0
  )
    return { reason: 'the resource id has no resource group and provider' };
  const kinds = rest.filter((_, at) => at % 2 === 0);
  const names = rest.filter((_, at) => at % 2 === 1);
  const type = BY_TYPE.get([namespace, ...kinds].join('/').toLowerCase());
  if (!type || names.length === 0)
    return { reason: `no Terraform type is known for ${[namespace, ...kinds].join('/')}` };
  const terraformType =
    typeof type.terraformType === 'string' ? type.terraformType : type.terraformType(attributes);
  if (terraformType === undefined)
    return {
      reason: `the inventory does not tell which type it is: ${type.candidates?.join(', ') ?? 'several fit'}`,
    };
  const [fixedNamespace = '', ...fixedKinds] = type.resourceType.split('/');
  const path = fixedKinds.flatMap((kind, at) => [kind, names[at] ?? '']).join('/');
  const name = names.at(-1) ?? '';
  const isChild = names.length > 1;
  return {
    target: {
      ...{ terraformType, name, account },
      importId: `/subscriptions/${account}/resourceGroups/${group}/providers/${fixedNamespace}/${path}`,
      arguments: isChild
        ? [['name', name]]
        : [
            ['name', name],
            ['resource_group_name', group],
            ...(type.isGlobal === true ? [] : locationOf(region)),
          ],
    },
  };
}

function locationOf(region: string | undefined): [string, string][] {
  return region !== undefined && /^[a-z0-9 ]{1,60}$/i.test(region) ? [['location', region]] : [];
}
