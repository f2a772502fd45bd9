import type { CloudProvider } from '../../cloud-ids/index.js';
import { attributeLines, labelOf, quoteHcl, UniqueLabels } from './hcl-text.rules.js';
import { mapImport } from '../targets/import-mapping.rules.js';
import type { ImportSource, ImportTarget } from '../targets/import-target.js';
import { placementsOf, type Placement, type PlacedTarget } from './import-providers.rules.js';

/** A resource as a request names it. */
export interface RequestedImport extends ImportSource {
  service?: string | undefined;
}

export interface UnsupportedImport {
  arn: string;
  service: string;
  resource_type: string;
  reason: string;
}

export interface ImportTexts {
  import_blocks: string;
  provider_hcl: string;
  generated_hcl: string;
  supported_count: number;
  unsupported_count: number;
  unsupported_resources: UnsupportedImport[];
}

/** One configuration in three texts. The same resources give the same texts, in whatever order they are named. */
export function importTexts(provider: CloudProvider, requested: readonly RequestedImport[]): ImportTexts {
  const targets = new Map<string, ImportTarget>();
  const unsupported = new Map<string, UnsupportedImport>();
  for (const source of requested) {
    const mapping = mapImport(provider, source);
    if ('target' in mapping) targets.set(identityOf(mapping.target), mapping.target);
    else unsupported.set(source.id, unsupportedOf(source, mapping.reason));
  }
  const sorted = [...targets]
    .map(([identity, target]) => ({ bytes: Buffer.from(identity), target }))
    .sort((a, b) => a.bytes.compare(b.bytes))
    .map(({ target }) => target);
  const { providerText, placed } = placementsOf(provider, sorted);
  const labels = new UniqueLabels();
  const blocks = placed.map((each) => {
    const { terraformType, name } = each.target;
    return { ...each, label: labels.take(terraformType, labelOf(name)) };
  });
  return {
    import_blocks: blocks.map(importBlock).join('\n'),
    provider_hcl: providerText,
    generated_hcl: blocks.length === 0 ? '' : [EXPLANATION, ...blocks.map(resourceBlock)].join('\n'),
    supported_count: blocks.length,
    unsupported_count: unsupported.size,
    unsupported_resources: [...unsupported.values()],
  };
}

/** The same resource in one account and region is imported once. */
function identityOf({ terraformType, importId, account = '', region = '' }: ImportTarget): string {
  return [terraformType, importId, account, region].join('\0');
}

function unsupportedOf({ id, service, resourceType }: RequestedImport, reason: string): UnsupportedImport {
  return { arn: id, service: service ?? id.split(':')[2] ?? '', resource_type: resourceType ?? '', reason };
}

interface Block extends PlacedTarget {
  label: string;
}

function aliasOf({ reference }: Placement): string | undefined {
  return reference;
}

function importBlock({ target, placement, label }: Block): string {
  const alias = aliasOf(placement);
  return [
    'import {',
    // Terraform refuses the argument beside a resource block, and needs it to write that block.
    ...(alias === undefined ? [] : [`  # provider = ${alias} # only without the resource block`]),
    ...attributeLines([
      ['to', `${target.terraformType}.${label}`],
      ['id', quoteHcl(target.importId)],
    ]),
    '}',
    '',
  ].join('\n');
}

const EXPLANATION = `# The arguments that the ids of the resources tell. Complete them, or let Terraform write the blocks: leave this file out,
# and run terraform plan -generate-config-out=generated.tf beside the import blocks and the providers. An import block
# of another provider than the default then needs the argument that its comment shows.
`;

function resourceBlock({ target, placement, label }: Block): string {
  const alias = aliasOf(placement);
  const known = target.arguments.map(([name, value]) => [name, quoteHcl(value)] as const);
  return [
    `resource "${target.terraformType}" "${label}" {`,
    ...(alias === undefined ? [] : [`  provider = ${alias}`, '']),
    ...attributeLines(known),
    ...(known.length === 0 ? [] : ['']),
    ...(target.remark === undefined ? [] : [`  # ${target.remark}`]),
    '  # Other required arguments are missing.',
    '}',
    '',
  ].join('\n');
}
