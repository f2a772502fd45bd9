import { Decimal } from './decimal.js';
import { cloudOf, majorityRegion, normalRegion, ownRegion } from './region.rules.js';
import { tagsOf } from './tags.rules.js';
import { checkUsage, InvalidUsage, UsageBook } from './usage.rules.js';

describe('the region of an instance', () => {
  it.each([
    ['aws_instance', { region: 'eu-west-1', arn: 'arn:aws:ec2:us-east-1:1:instance/i' }, 'eu-west-1'],
    ['aws_instance', { arn: 'arn:aws-cn:ec2:cn-north-1:1:instance/i' }, 'cn-north-1'],
    ['aws_instance', { availability_zone: 'us-gov-west-1b' }, 'us-gov-west-1'],
    ['aws_instance', { availability_zone: 'us-west-2-lax-1a' }, 'us-west-2-lax-1a'],
    ['aws_autoscaling_group', { availability_zones: ['ap-south-1a', 'ap-south-1b'] }, 'ap-south-1'],
    ['aws_iam_role', { arn: 'arn:aws:iam::1:role/x' }, undefined],
    ['azurerm_public_ip', { location: 'West Europe' }, 'westeurope'],
    ['azurerm_public_ip', { location: 'East US 2' }, 'eastus2'],
    ['google_compute_instance', { zone: 'us-central1-a' }, 'us-central1'],
    [
      'google_compute_disk',
      { zone: 'https://www.googleapis.com/compute/v1/projects/p/zones/europe-west3-b' },
      'europe-west3',
    ],
    ['google_storage_bucket', { location: 'EU' }, 'eu'],
    ['google_pubsub_topic', { id: 'projects/p/topics/t' }, undefined],
    ['aws_instance', { region: '(sensitive value)' }, undefined],
    ['aws_instance', { region: 7 }, undefined],
  ])('%s %j is in %s', (type, attributes, region) => {
    expect(ownRegion({ type, attributes }).region).toBe(region);
  });

  it('is never longer than a region can be, wherever it stands', () => {
    const long = 'x'.repeat(10_000);
    for (const attributes of [
      { region: long },
      { arn: `arn:aws:ec2:${long}:123456789012:instance/i-1` },
      { availability_zone: long },
    ])
      expect(ownRegion({ type: 'aws_instance', attributes })).toEqual({ links: [] });
    expect(
      ownRegion({ type: 'google_compute_instance', attributes: { self_link: `/zones/${long}` } }),
    ).toEqual({ links: [] });
  });

  it('asks the resource group, and remembers that it did', () => {
    const linked = (_: string, id: string) =>
      id === 'rg' ? { attributes: { location: 'uksouth' } } : undefined;
    const question = {
      type: 'azurerm_mssql_database',
      attributes: { server_id: '/subscriptions/s/resourceGroups/rg/x' },
    };
    expect(ownRegion({ ...question, linked })).toEqual({
      region: 'uksouth',
      links: [{ type: 'azurerm_resource_group', id: 'rg' }],
    });
    expect(ownRegion(question)).toEqual({ links: [{ type: 'azurerm_resource_group', id: 'rg' }] });
  });

  it('knows clouds by their providers, and the region that most instances have', () => {
    expect(
      ['registry.terraform.io/hashicorp/aws', 'hashicorp/azurerm', 'google-beta', 'x/y/datadog'].map(cloudOf),
    ).toEqual(['aws', 'azure', 'gcp', 'datadog']);
    expect(
      majorityRegion(
        new Map([
          ['b', 2],
          ['a', 2],
          ['c', 1],
        ]),
      ),
    ).toBe('a');
    expect(majorityRegion(new Map())).toBeUndefined();
    expect(normalRegion('aws', 'x'.repeat(100))).toBeUndefined();
  });
});

describe('tags', () => {
  it('prefers what the provider computed, and leaves secrets and other values out', () => {
    expect(
      tagsOf('aws_instance', {
        tags: { a: '1', b: '2' },
        tags_all: { a: '3', c: 4, d: '(sensitive value)' },
      }),
    ).toEqual({ a: '3', b: '2' });
    expect(
      tagsOf('google_compute_disk', { labels: { a: '1' }, effective_labels: { a: '2' }, tags: { x: 'y' } }),
    ).toEqual({ a: '2' });
    expect(
      tagsOf('aws_autoscaling_group', {
        tag: [
          { key: 'team', value: 'x' },
          { key: 'n', value: 1 },
        ],
      }),
    ).toEqual({ team: 'x' });
    expect(tagsOf('aws_instance', { tags: null })).toBeUndefined();
    expect(
      Object.keys(tagsOf('aws_instance', { tags: JSON.parse('{"__proto__":"x"}') as object }) ?? {}),
    ).toEqual(['__proto__']);
  });
});

describe('usage', () => {
  const state = checkUsage({
    version: '0.1',
    resource_type_default_usage: { aws_lambda_function: { monthly_requests: 1, request_duration_ms: 5 } },
    resource_usage: {
      'module.a["x.y"].aws_lambda_function.f[0]': { monthly_requests: 100 },
      'module.a[*].aws_lambda_function.f[*]': { monthly_requests: 50, other: { deep: 2 } },
    },
  });
  const tenant = checkUsage({
    resource_type_default_usage: { aws_lambda_function: { request_duration_ms: 7, extra: 9 } },
  });
  const usage = new UsageBook([state, tenant]);

  it('prefers the address, then a wildcard, then the type of the state, then the tenant', () => {
    expect(usage.find('aws_lambda_function', 'module.a["x.y"].aws_lambda_function.f[0]')).toEqual({
      monthly_requests: Decimal.of(100),
      request_duration_ms: Decimal.of(5),
      extra: Decimal.of(9),
      other: { deep: Decimal.of(2) },
    });
    expect(usage.find('aws_lambda_function', 'module.a[3].aws_lambda_function.f["k"]')).toMatchObject({
      monthly_requests: Decimal.of(50),
    });
    expect(usage.find('aws_lambda_function', 'aws_lambda_function.g')).toMatchObject({
      monthly_requests: Decimal.of(1),
    });
    expect(usage.find('aws_instance', 'aws_instance.x')).toBeUndefined();
  });

  it.each([
    [
      { resource_usage: { 'aws_lambda_function.f': { monthly_requests: 'many' } } },
      'resource_usage.aws_lambda_function.f.monthly_requests',
    ],
    [
      { resource_type_default_usage: { aws_lambda_function: { monthly_requests: -1 } } },
      'resource_type_default_usage.aws_lambda_function.monthly_requests',
    ],
    [{ resource_usage: [] }, 'resource_usage'],
    [{ resource_usage: { x: 3 } }, 'resource_usage.x'],
    [[], 'body'],
  ])('refuses %j and names the field', (body, field) => {
    expect(() => checkUsage(body)).toThrow(InvalidUsage);
    try {
      checkUsage(body);
    } catch (error) {
      expect(error).toMatchObject({ field });
    }
  });

  it('lets unknown keys, text keys and null pass', () => {
    expect(() =>
      checkUsage({
        resource_usage: null,
        resource_type_default_usage: {
          aws_instance: { operating_system: 'windows', whatever: 'x', vcpu_count: null },
        },
      }),
    ).not.toThrow();
  });
});
