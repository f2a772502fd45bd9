import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { CloudProvider } from '../../src/modules/cloud-ids/index.js';
import { AWS_IMPORT_TYPES } from '../../src/modules/gaps/aws-import-types.js';
import { attributeLines, quoteHcl } from '../../src/modules/gaps/hcl-text.rules.js';
import { importTexts, type RequestedImport } from '../../src/modules/gaps/import-text.rules.js';

const REGIONS = ['eu-west-1', 'us-east-1', 'ap-south-1'];
const ACCOUNTS = ['111111111111', '222222222222'];
const FILL: Record<string, string> = {
  path: 'team/',
  scope: 'regional',
  rev: '3',
  suffix6: 'a1B2c3',
  version: '2',
};
const SUBSCRIPTIONS = ['0f8e7d6c-1111-4222-8333-444455556666', '1f8e7d6c-1111-4222-8333-444455556666'];

/** Of every type, over regions and accounts in turn. */
function awsResources(count: number): RequestedImport[] {
  return Array.from({ length: count }, (_, at) => {
    const type = AWS_IMPORT_TYPES[at % AWS_IMPORT_TYPES.length];
    const values = { ...FILL, region: REGIONS[at % 3], account: ACCOUNTS[at % 2] } as Record<string, string>;
    const tail = (type?.pattern ?? '').replace(
      /\{(\w+)\}/g,
      (_whole, name: string) => values[name] ?? `${name}-${at}`,
    );
    return { id: `arn:aws:${tail}`, resourceType: type?.resourceType };
  });
}

describe('Generated import configuration and Terraform', () => {
  const directories: string[] = [];
  afterAll(() => directories.forEach((directory) => rmSync(directory, { recursive: true, force: true })));

  function directoryOf(files: Record<string, string>): string {
    const directory = mkdtempSync(join(tmpdir(), 'gap-import-'));
    directories.push(directory);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
    return directory;
  }

  function terraform(directory: string, ...args: string[]): string {
    const { status, stdout, stderr } = spawnSync('terraform', args, {
      cwd: directory,
      encoding: 'utf8',
      env: { ...process.env, CHECKPOINT_DISABLE: '1' },
    });
    if (status !== 0) throw new Error(`terraform ${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }

  const cases: [CloudProvider, number, RequestedImport[]][] = [
    ['aws', 270, awsResources(300)],
    [
      'azure',
      4,
      SUBSCRIPTIONS.flatMap((id) => [
        { id: `/subscriptions/${id}/resourceGroups/rg` },
        {
          id: `/subscriptions/${id}/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/v`,
          region: 'westeurope',
        },
      ]),
    ],
    [
      'gcp',
      4,
      ['p', 'q'].flatMap((project) => [
        { id: `//compute.googleapis.com/projects/${project}/zones/z/instances/web` },
        { id: `//pubsub.googleapis.com/projects/${project}/topics/web` },
      ]),
    ],
  ];

  it.each(cases)('agree on %s', (provider, atLeast, resources) => {
    const texts = importTexts(provider, resources);
    expect(texts.supported_count).toBeGreaterThanOrEqual(atLeast);
    const directory = directoryOf({
      'import.tf': texts.import_blocks,
      'providers.tf': texts.provider_hcl,
      'resources.tf': texts.generated_hcl,
    });
    terraform(directory, 'fmt', '-check', '-diff');
    expect(terraform(directory, 'providers')).toContain('registry.terraform.io/hashicorp/');
    if (provider === 'aws') expect(texts.provider_hcl.match(/^provider "aws"/gm)).toHaveLength(6);
  });

  it('agree on any name', () => {
    const hostile = [
      '${x}',
      '$${x}',
      '$$${x}',
      '%{ if }',
      '%%{',
      'a"b\\n',
      '\\',
      '$',
      '%',
      '{',
      '\t\r\n',
      'é🎉',
      '<<EOT',
      '#//',
      '${"${x}"}',
      '$%{',
      '%${',
    ];
    const sampled = fc.sample(fc.string({ unit: fc.constantFrom(...'$%{}"\\ab\n é'), maxLength: 12 }), 300);
    const names = [...hostile, ...sampled].map((name) => name.normalize('NFC'));
    const outputs = names.map(
      (name, at) => `output "o${at}" {\n${attributeLines([['value', quoteHcl(name)]]).join('\n')}\n}\n`,
    );
    const directory = directoryOf({ 'main.tf': outputs.join('\n') });
    terraform(directory, 'fmt', '-check');
    terraform(directory, 'apply', '-auto-approve', '-input=false');
    const read = JSON.parse(terraform(directory, 'output', '-json')) as Record<string, { value: string }>;
    for (const [at, name] of names.entries()) expect(read[`o${at}`]?.value).toBe(name);
  });
});
