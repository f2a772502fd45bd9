import { z } from 'zod';
import {
  CHECK_RESULT,
  CHECK_RESULT_ENTRY,
  INSTANCE_FIELDS,
  isOfType,
  isType,
  MODULE_ADDRESS,
  PROVIDER_CONFIGURATION,
  resourceOf,
  TERRAFORM_VERSION,
} from './state-fields.rules.js';

const FIELDS = z.object({ ...INSTANCE_FIELDS, module: MODULE_ADDRESS });
const index = (value: unknown) => ({ type: 'index', value });

/** What Terraform 1.11 makes of each was tried out with documents that hold it. */
describe('A field of an instance', () => {
  it.each([
    {
      schema_version: 3,
      status: 'tainted',
      deposed: 'abcd1234',
      private: 'AAAA',
      create_before_destroy: true,
    },
    { schema_version: null, status: null, private: null, sensitive_attributes: null, module: null },
    { sensitive_attributes: [[{ type: 'get_attr', value: 'a' }, index({ value: 0, type: 'number' })]] },
    { dependencies: ['a.b', 'data.a.b', 'module.m["k.\\"$${x}"].module.n[0].terraform_data.é', 'a.b["c"]'] },
    { attributes: null, attributes_flat: { id: '1' } },
    { module: 'module.m["a.b"].module.n' },
    { module: '' },
    { module: 'module.हिन्दी', dependencies: ['a.हिन्दी', 'a.b·c', 'module.m["a\\n\\u0001"].a.b'] },
    { deposed: null },
  ])('is taken where Terraform takes it: %j', (fields) => {
    expect(FIELDS.safeParse(fields).success).toBe(true);
  });

  it.each([
    { schema_version: '1' },
    { schema_version: -1 },
    { schema_version: 1.5 },
    { sensitive_attributes: 12 },
    { sensitive_attributes: ['a'] },
    { sensitive_attributes: [[index(0)]] },
    { sensitive_attributes: [[{ type: 'other', value: 'a' }]] },
    { status: 'x' },
    { private: 'not base64!' },
    { create_before_destroy: 'yes' },
    { attributes_flat: { a: 1 } },
    { deposed: 'abcd12345' },
    { deposed: 'éééééééé' },
    { dependencies: ['a.b²'] },
    { dependencies: ['module.m["a\\q"].a.b'] },
    { sensitive_attributes: [[index({ value: 1, type: 'text' })]] },
    { sensitive_attributes: [[index({ value: 'a', type: 'number' })]] },
    { module: 'module.m["a\nb"]' },
    { module: 'module.m[99999999999999999999]' },
    { dependencies: ['!!'] },
    { dependencies: ['module.m'] },
    { dependencies: ['a.b.c'] },
    { dependencies: ['a.1'] },
    { module: 'net' },
    { module: 'module.m.x' },
    { module: 'module.m[a]' },
    { module: 'module.m["${x}"]' },
  ])('is refused where Terraform refuses the document: %j', (fields) => {
    expect(FIELDS.safeParse(fields).success).toBe(false);
  });

  it('depends on resources, whatever instance is named', () => {
    expect(['a.b["c"]', 'module.m[0].a.b[1]', 'a.b'].map(resourceOf)).toEqual([
      'a.b',
      'module.m[0].a.b',
      'a.b',
    ]);
  });
});

describe('A provider', () => {
  const [aws, other] = ['registry.terraform.io/hashicorp/aws', 'registry.terraform.io/hashicorp/a_b'];

  it.each([
    ...['aws', 'hashicorp/aws', 'google-beta', aws, 'localhost:8080/x/y', 'registry.terraform.io/-/aws'],
    ...[`provider["${aws}"]`, `provider["${aws}"].west`, 'provider.aws', 'provider.aws.west'],
    ...['module.m.provider.aws', `module.m.provider["${aws}"]`, 'terraform.io/builtin/terraform'],
    'provider["registry.opentofu.org/hashicorp/aws"].by_region["eu"]',
  ])('%s is taken', (provider) => {
    expect(PROVIDER_CONFIGURATION.safeParse(provider).success).toBe(true);
  });

  it.each([
    ...['my_x', 'a b', 'aws.west', 'a--b', 'aws-', 'a/b/c/d', 'terraform-provider-aws', `${aws}/`, ''],
    ...[`provider["${other}"]`, `provider["${aws}"].1`, `module.m["k"].provider["${aws}"]`, 'provider.1'],
  ])('%s is refused: Terraform drops the objects of such a one', (provider) => {
    expect(PROVIDER_CONFIGURATION.safeParse(provider).success).toBe(false);
  });
});

describe('A version', () => {
  it.each(['1.11.4', '0.12.0-dev', '1.9.0-beta.1+build', '999.0.0', ''])('%j is taken', (version) => {
    expect(TERRAFORM_VERSION.safeParse(version).success).toBe(true);
  });

  it.each(['invalid', '1..2', '1.2.'])(
    '%j is refused: Terraform reads nothing of such a document',
    (version) => {
      expect(TERRAFORM_VERSION.safeParse(version).success).toBe(false);
    },
  );
});

describe('A check result', () => {
  it.each([
    ['check.c', 'check', 'check.c'],
    ['module.m.output.o', 'output', 'module.m["a"].output.o'],
    ['var.x', 'var', 'var.x'],
    ['module.m.data.aws_x.y', 'resource', 'module.m[0].data.aws_x.y["k"]'],
    ['aws_x.y', 'resource', 'aws_x.y[0]'],
  ])('of %s, which is a %s, with %s in it, is taken', (config_addr, object_kind, object_addr) => {
    expect(CHECK_RESULT.safeParse({ config_addr, object_kind, status: 'pass' }).success).toBe(true);
    expect(CHECK_RESULT_ENTRY.safeParse({ config_addr, object_addr, status: 'pass' }).success).toBe(true);
  });

  it.each([
    ['!!', 'check', '!!'],
    ['check', 'check', 'check'],
    ['aws_x.y.z', 'resource', 'aws_x.y.z'],
    ['aws_x.y[0]', 'resource', 'aws_x.y[a]'],
    ['check.c[0]', 'check', 'check.c[0]'],
  ])('of %s is refused', (config_addr, object_kind, object_addr) => {
    expect(CHECK_RESULT.safeParse({ config_addr, object_kind, status: 'pass' }).success).toBe(false);
    const entry = { config_addr: 'check.c', object_addr, status: 'pass' };
    expect(CHECK_RESULT_ENTRY.safeParse(entry).success).toBe(false);
  });

  it('may say that an object has no messages', () => {
    const entry = { config_addr: 'a.b', object_addr: 'a.b', status: 'pass', failure_messages: null };
    expect(CHECK_RESULT_ENTRY.safeParse(entry).success).toBe(true);
  });

  it('is refused when it is of another kind than its address', () => {
    const result = { config_addr: 'aws_x.y', object_kind: 'check', status: 'pass' };
    expect(CHECK_RESULT.safeParse(result).success).toBe(false);
  });
});

describe('The value of an output', () => {
  it.each([
    ['string', 12],
    ['number', '1e5'],
    ['bool', 'true'],
    ['dynamic', { value: ['a'], type: ['list', 'string'] }],
    [
      ['set', 'string'],
      ['a', 'a'],
    ],
    [['map', 'number'], { a: 1 }],
    [['object', { a: 'string', b: 'bool' }, ['b']], { a: 'x' }],
    [
      ['tuple', ['string', 'number']],
      ['a', 1],
    ],
    [
      ['list', ['object', { a: ['list', 'string'] }]],
      [{ a: ['b'] }, null],
    ],
    ['string', null],
  ])('of type %j may be %j', (type, value) => {
    expect(isOfType(value, type)).toBe(true);
  });

  it.each([
    ['string', {}],
    ['number', 'x'],
    ['number', true],
    ['bool', 1],
    ['dynamic', 'x'],
    ['dynamic', { value: 1, type: 'number', other: 1 }],
    [['list', 'string'], 'a'],
    [['map', 'string'], ['a']],
    [['object', { a: 'string' }], { b: 1 }],
    [['tuple', ['string', 'number']], ['a']],
  ])('of type %j is not %j', (type, value) => {
    expect(isOfType(value, type)).toBe(false);
  });

  it.each([
    ...[12, 'text', null, ['list'], ['object', ['a']], ['tuple', 'string'], ['set', ['text']]],
    ...[
      ['list', 'string', 'x'],
      ['object', { a: 'string' }, ['b']],
      ['object', { a: 'string' }, 5],
    ],
  ])('has no type %j', (type) => expect(isType(type)).toBe(false));

  it('has no type without measure', () => {
    const type = Array.from({ length: 5000 }).reduce<unknown>((inner) => ['list', inner], 'string');
    expect(isType(type)).toBe(false);
  });
});
