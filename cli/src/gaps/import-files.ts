import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gapsGenerateImport, type GapResourceView, type ImportTextsView } from '@infrastate/sdk';
import type { Context } from '../context/context.js';
import { Failure } from '../failure.js';
import { answer } from '../service/api-client.js';
import { analyzed, type AnalyzeOptions, chosen } from './analysis.js';
import { providerOf } from './provider.js';

export interface ImportOptions extends AnalyzeOptions {
  out: string;
  id?: string[];
}

/** Of one request; larger selections would need labels that are unique over several. */
const MAX_RESOURCES = 1_000;

/** Three files in the directory; files that are there are never overwritten. */
export async function writeImport(
  context: Context,
  _: readonly string[],
  options: ImportOptions,
): Promise<void> {
  const provider = providerOf(options);
  const tenantId = await context.tenantId();
  const resources = await resourcesOf(context, options);
  const files = ['import.tf', 'providers.tf', 'resources.tf'].map((name) => join(options.out, name));
  const [taken] = files.filter((file) => existsSync(file));
  if (taken !== undefined)
    throw new Failure(
      'FILE_EXISTS',
      `${taken} exists already; nothing was written`,
      'name another directory with --out',
    );
  const texts = await answer(
    gapsGenerateImport({ client: context.api(), path: { tenantId }, body: { provider, resources } }),
  );
  if (texts.supported_count === 0)
    throw new Failure(
      'NOTHING_TO_IMPORT',
      `none of ${texts.unsupported_count} resources can be imported: ${reasonsOf(texts)}`,
    );
  await mkdir(options.out, { recursive: true });
  const contents = [texts.import_blocks, texts.provider_hcl, texts.generated_hcl];
  for (const [at, file] of files.entries()) await writeNew(file, contents[at] ?? '');
  const { supported_count, unsupported_count, unsupported_resources } = texts;
  await context.output.result({ files, supported_count, unsupported_count, unsupported_resources }, () =>
    nextSteps(options.out, texts),
  );
}

async function resourcesOf(context: Context, options: ImportOptions) {
  const wanted = new Set(options.id);
  const { unmanaged_resources: unmanaged } = await analyzed(context, options);
  const found = chosen(unmanaged, options).filter(
    (resource) => wanted.size === 0 || wanted.has(idOf(resource)),
  );
  if (found.length === 0) throw new Failure('NOTHING_TO_IMPORT', 'no unmanaged resource matches');
  if (found.length > MAX_RESOURCES)
    throw new Failure(
      'TOO_MANY',
      `${found.length} resources match; at most ${MAX_RESOURCES} are imported at once`,
      'narrow them with --region, --type or --id',
    );
  return found.map((resource) => ({
    ...{ arn: idOf(resource), service: resource.service, resource_type: resource.resource_type },
    ...(resource.region === undefined ? {} : { region: resource.region }),
    ...(resource.owning_account_id === undefined ? {} : { owning_account_id: resource.owning_account_id }),
  }));
}

function idOf({ arn, id }: GapResourceView): string {
  return arn ?? id ?? '';
}

/** Fails when the file has come to exist meanwhile. */
async function writeNew(file: string, content: string): Promise<void> {
  try {
    await writeFile(file, content, { flag: 'wx' });
  } catch (error) {
    throw new Failure(
      'FILE_UNWRITABLE',
      `could not write ${file} (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
}

function reasonsOf({ unsupported_resources: unsupported }: ImportTextsView): string {
  return [...new Set(unsupported.map(({ reason }) => reason))].slice(0, 3).join('; ');
}

function nextSteps(directory: string, texts: ImportTextsView): string {
  const unsupported = texts.unsupported_resources.map(({ arn, reason }) => `  ${arn}: ${reason}`);
  return [
    `${texts.supported_count} resources in ${directory}/import.tf, with providers.tf and resources.tf`,
    ...(unsupported.length === 0 ? [] : [`${texts.unsupported_count} cannot be imported:`, ...unsupported]),
    'next:',
    `  cd ${directory}`,
    '  terraform init',
    '  rm resources.tf && terraform plan -generate-config-out=generated.tf   # Terraform writes the blocks',
    '  terraform plan                                                        # or complete resources.tf yourself',
    '  terraform apply',
  ].join('\n');
}
