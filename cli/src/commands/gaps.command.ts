import {
  gapsDeleteConfig,
  gapsReplaceConfig,
  gapsShowConfig,
  type GapConfigView,
  type GapSettingsBody,
} from '@infrastate/sdk';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Context } from '../context/context.js';
import { Failure, UsageFailure } from '../failure.js';
import { analyzed, type AnalyzeOptions, chosen, grouped } from '../gaps/analysis.js';
import { type ImportOptions, writeImport } from '../gaps/import-files.js';
import { type CloudProvider, providerOf, type ProviderOptions } from '../gaps/provider.js';
import { answer } from '../service/api-client.js';
import type { RegisterCommand } from './command.js';

interface ConfigureOptions extends ProviderOptions {
  roleArn?: string;
  region?: string;
  scope?: string;
  keyFile?: string;
  directory?: string;
  clientId?: string;
  secretFile?: string;
  subscription?: string[];
  delete?: boolean;
}

const PROVIDER = ['--provider <cloud>', 'aws, gcp or azure', 'aws'] as const;
const several = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value];

export const registerGaps: RegisterCommand = (program, run) => {
  const gaps = program.command('gaps').description('cloud resources that no state manages');
  gaps
    .command('config')
    .description('show the cloud settings of the tenant, and what is missing')
    .option(...PROVIDER)
    .action(run<ProviderOptions>(config));
  gaps
    .command('configure')
    .description('change the cloud settings of the tenant')
    .option(...PROVIDER)
    .option('--role-arn <arn>', 'aws: role that the service assumes')
    .option(
      '--region <region>',
      'aws: region in which the service starts to look for Resource Explorer indexes',
    )
    .option('--scope <scope>', 'gcp: projects/<id>, folders/<number> or organizations/<number>')
    .option('--key-file <file>', 'gcp: JSON key of a service account; - reads stdin')
    .option('--directory <id>', 'azure: id of the directory (tenant)')
    .option('--client-id <id>', 'azure: client id of the application')
    .option('--secret-file <file>', 'azure: file with the client secret; - reads stdin')
    .option('--subscription <id>', 'azure: subscription, repeatable', several)
    .option('--delete', 'delete the settings and the stored inventory')
    .action(run<ConfigureOptions>(configure));
  const filtered = (name: string, description: string) =>
    gaps
      .command(name)
      .description(description)
      .option(...PROVIDER)
      .option('--refresh', 'scan again')
      .option('--region <region>', 'only this region')
      .option('--type <type>', 'only this type, such as s3:bucket; * stands for any characters');
  filtered('analyze', 'list resources that no state manages; waits for the scan').action(
    run<AnalyzeOptions>(analyze),
  );
  filtered('import', 'write configuration that imports unmanaged resources')
    .requiredOption('--out <dir>', 'directory for import.tf, providers.tf and resources.tf')
    .option('--id <arn>', 'only this resource, repeatable', several)
    .action(run<ImportOptions>(writeImport));
};

async function config(context: Context, _: readonly string[], options: ProviderOptions): Promise<void> {
  const tenantId = await context.tenantId();
  const found = await answer(
    gapsShowConfig({ client: context.api(), path: { tenantId }, query: { provider: providerOf(options) } }),
  );
  await context.output.result(found, () => described(found));
}

async function configure(context: Context, _: readonly string[], options: ConfigureOptions): Promise<void> {
  const provider = providerOf(options);
  const tenantId = await context.tenantId();
  if (options.delete === true) {
    await gapsDeleteConfig({ client: context.api(), path: { tenantId }, query: { provider } });
    await context.output.result(
      { provider, status: 'not_configured' },
      () => `removed the settings of ${provider}`,
    );
    return;
  }
  const body = await bodyOf(context, provider, options);
  const found = await answer(gapsReplaceConfig({ client: context.api(), path: { tenantId }, body }));
  await context.output.result(found, () => described(found));
}

async function bodyOf(
  context: Context,
  provider: CloudProvider,
  options: ConfigureOptions,
): Promise<GapSettingsBody> {
  const needed = (name: string, value: string | undefined): string => {
    if (value === undefined) throw new UsageFailure(`${name} is missing`);
    return value;
  };
  switch (provider) {
    case 'aws':
      return {
        ...{ provider, role_arn: needed('--role-arn', options.roleArn) },
        ...(options.region === undefined ? {} : { region: options.region }),
      };
    case 'gcp': {
      const key = await contentOf(context, needed('--key-file', options.keyFile));
      return { provider, scope: needed('--scope', options.scope), service_account_key: jsonOf(key) };
    }
    case 'azure': {
      const secret = await contentOf(context, needed('--secret-file', options.secretFile));
      return {
        ...{ provider, azure_tenant_id: needed('--directory', options.directory) },
        ...{ client_id: needed('--client-id', options.clientId), client_secret: secret.trimEnd() },
        subscriptions: options.subscription ?? [],
      };
    }
  }
}

async function contentOf(context: Context, file: string): Promise<string> {
  if (file === '-') return text(context.streams.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Failure(
      'FILE_UNREADABLE',
      `could not read ${file} (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
}

function jsonOf(content: string): Record<string, unknown> {
  try {
    return JSON.parse(content) as Record<string, unknown>;
  } catch {
    throw new Failure('FILE_MALFORMED', 'the key file must be JSON');
  }
}

async function analyze(context: Context, _: readonly string[], options: AnalyzeOptions): Promise<void> {
  const analysis = await analyzed(context, options);
  const unmanaged = chosen(analysis.unmanaged_resources, options);
  await context.output.result({ ...analysis, unmanaged_resources: unmanaged }, () =>
    grouped(analysis, unmanaged, context.output.width),
  );
}

function described(found: GapConfigView): string {
  const lines = [
    `${found.provider}: ${found.status}`,
    ...(found.role_arn === undefined ? [] : [`role ${found.role_arn}`]),
    ...(found.external_id === undefined ? [] : [`external id ${found.external_id}`]),
    ...(found.scope === undefined ? [] : [`scope ${found.scope}`]),
    ...(found.subscriptions === undefined ? [] : [`subscriptions ${found.subscriptions.join(', ')}`]),
    ...(found.aggregator_region === null ? [] : [`aggregator in ${found.aggregator_region}`]),
    ...(found.indexed_regions.length === 0 ? [] : [`indexes in ${found.indexed_regions.join(', ')}`]),
    ...found.warnings.map(({ code, message }) => `${code}: ${message}`),
  ];
  return lines.join('\n');
}
