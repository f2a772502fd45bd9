import fc from 'fast-check';
import { labelOf, UniqueLabels } from './hcl-text.rules.js';
import { importTexts } from './import-text.rules.js';

const topic = (name: string, region = 'eu-west-1', account = '111111111111') => ({
  id: `arn:aws:sns:${region}:${account}:${name}`,
});

describe('Import configuration', () => {
  it('is one configuration in three texts', () => {
    const texts = importTexts('aws', [
      topic('a'),
      topic('b'),
      topic('c', 'us-east-1'),
      { id: 'nonsense', resourceType: 'x:y' },
    ]);
    expect(texts).toMatchObject({
      ...{ supported_count: 3, unsupported_count: 1 },
      unsupported_resources: [
        { arn: 'nonsense', service: '', resource_type: 'x:y', reason: 'the ARN is malformed' },
      ],
    });
    expect(texts.import_blocks).toContain(`import {
  # provider = aws.us_east_1 # only without the resource block
  to = aws_sns_topic.c
  id = "arn:aws:sns:us-east-1:111111111111:c"
}
`);
    expect(texts.import_blocks).not.toMatch(/^\s*provider/m);
    expect(texts.provider_hcl).toContain(`provider "aws" {
  region              = "eu-west-1"
  allowed_account_ids = ["111111111111"]
}

provider "aws" {
  alias               = "us_east_1"
  region              = "us-east-1"
  allowed_account_ids = ["111111111111"]
}
`);
    expect(texts.generated_hcl).toContain(`resource "aws_sns_topic" "c" {
  provider = aws.us_east_1

  name = "c"

  # Other required arguments are missing.
}
`);
  });

  it('puts global resources of another account where most of that account is', () => {
    const role = (account: string) => ({ id: `arn:aws:iam::${account}:role/r${account}`, region: 'global' });
    const { generated_hcl, provider_hcl } = importTexts('aws', [
      ...[
        topic('a'),
        topic('b'),
        topic('c', 'eu-north-1', '222222222222'),
        role('111111111111'),
        role('222222222222'),
      ],
    ]);
    expect(provider_hcl.match(/alias/g)).toHaveLength(1);
    expect(generated_hcl).toMatch(/"r222222222222" {\n {2}provider = aws.eu_north_1_222222222222\n/);
    expect(generated_hcl).not.toMatch(/"r111111111111" {\n {2}provider/);
  });

  it('is the same for the same resources, in any order and however often they are named', () => {
    const names = fc.array(
      fc.tuple(fc.stringMatching(/^[a-zA-Z0-9_-]{1,8}$/), fc.constantFrom('eu-west-1', 'us-east-1')),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(names, fc.infiniteStream(fc.nat()), (list, random) => {
        const resources = list.map(([name, region]) => topic(name, region));
        const shuffled = [...resources, ...resources]
          .map((resource) => ({ resource, at: random.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ resource }) => resource);
        expect(importTexts('aws', shuffled)).toEqual(importTexts('aws', resources));
        const { import_blocks, supported_count } = importTexts('aws', resources);
        const addresses = [...import_blocks.matchAll(/^ {2}to = (\S+)$/gm)].map(([, address]) => address);
        expect(new Set(addresses).size).toBe(supported_count);
        expect(supported_count).toBe(new Set(resources.map(({ id }) => id)).size);
      }),
    );
  });

  it('gives labels that Terraform takes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) =>
        expect(labelOf(text)).toMatch(/^[a-z][a-z0-9_]{0,70}$/),
      ),
    );
    const labels = new UniqueLabels();
    expect(['web', 'web_2', 'web', 'web'].map((label) => labels.take('t', label))).toEqual([
      'web',
      'web_2',
      'web_3',
      'web_4',
    ]);
  });

  it.each([
    ['Linux', 'azurerm_linux_virtual_machine'],
    ['Windows', 'azurerm_windows_virtual_machine'],
  ])('tells a machine of %s by the inventory, and spells its id as the provider does', (osType, type) => {
    const id =
      '/SUBSCRIPTIONS/0F8E7D6C-1111-4222-8333-444455556666/resourcegroups/Rg/providers/microsoft.compute/virtualmachines/Vm';
    expect(importTexts('azure', [{ id }])).toMatchObject({
      supported_count: 0,
      unsupported_resources: [{ reason: expect.stringContaining(type) as string }],
    });
    const { import_blocks } = importTexts('azure', [{ id, attributes: { osType } }]);
    expect(import_blocks).toContain(`to = ${type}.vm`);
    expect(import_blocks).toContain(
      '"/subscriptions/0f8e7d6c-1111-4222-8333-444455556666/resourceGroups/Rg/providers/Microsoft.Compute/virtualMachines/Vm"',
    );
  });

  it.each([
    [
      '//compute.googleapis.com/projects/p/zones/z/instances/n',
      'google_compute_instance',
      'projects/p/zones/z/instances/n',
    ],
    [
      '//compute.googleapis.com/projects/p/regions/r/disks/n',
      'google_compute_region_disk',
      'projects/p/regions/r/disks/n',
    ],
    ['//storage.googleapis.com/logs', 'google_storage_bucket', 'logs'],
    [
      '//container.googleapis.com/projects/p/zones/z/clusters/c',
      'google_container_cluster',
      'projects/p/locations/z/clusters/c',
    ],
    [
      '//container.googleapis.com/projects/p/locations/r/clusters/c/nodePools/n',
      'google_container_node_pool',
      'p/r/c/n',
    ],
    ['//cloudresourcemanager.googleapis.com/projects/p', 'google_project', 'p'],
    ['//logging.googleapis.com/folders/1/sinks/s', 'google_logging_folder_sink', 'folders/1/sinks/s'],
  ])('reads %s', (id, type, importId) => {
    const { import_blocks } = importTexts('gcp', [{ id }]);
    expect(import_blocks).toMatch(new RegExp(`to = ${type}\\.`));
    expect(import_blocks).toContain(`id = "${importId}"`);
  });
});
