import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { CloudProvider } from '../../src/modules/cloud-ids/index.js';
import { AWS_IMPORT_TYPES } from '../../src/modules/gaps/targets/aws-import-types.js';
import { AZURE_IMPORT_TYPES } from '../../src/modules/gaps/targets/azure-import-types.js';
import { GOOGLE_IMPORT_TYPES } from '../../src/modules/gaps/targets/google-import-types.js';
import { attributeLines, quoteHcl } from '../../src/modules/gaps/importing/hcl-text.rules.js';
import {
  importTexts,
  type ImportTexts,
  type RequestedImport,
} from '../../src/modules/gaps/importing/import-text.rules.js';
import { describeWith } from '../support/terraform.js';

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

/** Of every type: the placeholders of the form filled with names. */
const azureResources = (): RequestedImport[] =>
  AZURE_IMPORT_TYPES.map(({ resourceType }, at) => {
    const [namespace = '', ...kinds] = resourceType.split('/');
    const path = kinds.map((kind, depth) => `${kind}/name-${at}-${depth}`).join('/');
    return {
      id: `/subscriptions/${SUBSCRIPTIONS[at % 2]}/resourceGroups/rg-${at}/providers/${namespace}/${path}`,
      ...{ region: 'westeurope', attributes: { kind: 'functionapp,linux', osType: 'Linux' } },
    };
  });
const googleResources = (): RequestedImport[] =>
  GOOGLE_IMPORT_TYPES.map(([pattern], at) => {
    const fill: Record<string, string> = { project: ['p', 'q'][at % 2] ?? 'p', _place: 'zones' };
    return {
      id: `//${pattern.replace(/\{(\w+)\}/g, (_whole, name: string) => fill[name] ?? `${name}-${at}`)}`,
    };
  });

/** What a name can be that somebody chose to break out of a string, a comment or a block. */
const HOSTILE = [
  '${x}',
  '%{ if true }',
  'a"b',
  "a'b",
  '\\',
  '\\"',
  '$${x}',
  '#',
  '*/',
  '}',
  'é🎉',
  '<<EOT',
  '${file("x")}',
];
const hostileResources: Record<CloudProvider, RequestedImport[]> = {
  aws: HOSTILE.flatMap((name) => [
    { id: `arn:aws:sns:eu-west-1:111111111111:${name}` },
    { id: `arn:aws:logs:eu-west-1:111111111111:log-group:${name}` },
    {
      id: `arn:aws:ssm:eu-west-1:111111111111:parameter/${name}`,
      resourceType: name,
      region: name,
      account: name,
    },
  ]),
  azure: HOSTILE.map((name) => ({
    id: `/subscriptions/${SUBSCRIPTIONS[0]}/resourceGroups/${name}/providers/Microsoft.Network/virtualNetworks/${name.replaceAll('/', '')}`,
    region: name,
  })),
  gcp: HOSTILE.flatMap((name) => [
    {
      id: `//pubsub.googleapis.com/projects/p/topics/${name.replaceAll('/', '')}`,
      account: name,
      region: name,
    },
    { id: `//storage.googleapis.com/${name.replaceAll('/', '')}`, region: name },
  ]),
};

describe.each(['terraform', 'tofu'] as const)('Generated import configuration', (binary) => {
  describeWith(binary, `and ${binary}`, () => suiteOf(binary));
});

function suiteOf(binary: 'terraform' | 'tofu'): void {
  const directories: string[] = [];
  afterAll(() => directories.forEach((directory) => rmSync(directory, { recursive: true, force: true })));

  function directoryOf(files: Record<string, string>): string {
    const directory = mkdtempSync(join(tmpdir(), 'gap-import-'));
    directories.push(directory);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
    return directory;
  }

  function run(directory: string, ...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(binary, args, {
      cwd: directory,
      encoding: 'utf8',
      env: { ...process.env, CHECKPOINT_DISABLE: '1' },
    });
    if (status !== 0) throw new Error(`${binary} ${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }

  function readBack(provider: CloudProvider, resources: RequestedImport[]): ImportTexts {
    const texts = importTexts(provider, resources);
    const directory = directoryOf({
      'import.tf': texts.import_blocks,
      'providers.tf': texts.provider_hcl,
      'resources.tf': texts.generated_hcl,
    });
    run(directory, 'fmt', '-check', '-diff');
    expect(run(directory, 'providers')).toMatch(
      /registry\.\w+\.org\/hashicorp\/|registry\.terraform\.io\/hashicorp\//,
    );
    return texts;
  }

  it('agree on 300 resources of AWS in three regions and two accounts', () => {
    const texts = readBack('aws', awsResources(300));
    expect(texts.supported_count).toBeGreaterThanOrEqual(270);
    expect(texts.provider_hcl.match(/^provider "aws"/gm)).toHaveLength(6);
  });

  it.each([
    ['azure', azureResources()],
    ['gcp', googleResources()],
  ] as const)('agree on every type of %s', (provider, resources) => {
    const texts = readBack(provider, [...resources]);
    expect(texts.unsupported_resources).toEqual([]);
    expect(texts.supported_count).toBe(resources.length);
  });

  it.each(['aws', 'azure', 'gcp'] as const)('agree on hostile names of %s', (provider) => {
    const texts = readBack(provider, hostileResources[provider]);
    expect(texts.supported_count + texts.unsupported_count).toBe(hostileResources[provider].length);
    expect(texts.supported_count).toBeGreaterThan(HOSTILE.length / 2);
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
    run(directory, 'fmt', '-check');
    run(directory, 'apply', '-auto-approve', '-input=false');
    const read = JSON.parse(run(directory, 'output', '-json')) as Record<string, { value: string }>;
    for (const [at, name] of names.entries()) expect(read[`o${at}`]?.value).toBe(name);
  });
}
