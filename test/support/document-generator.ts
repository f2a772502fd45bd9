import * as fc from 'fast-check';
import { anyText } from './any-text.js';

/** JSON as tokens, so that what is printed is under control to the last byte. */
export type Tree = { token: string } | { items: Tree[] } | { members: [keyToken: string, value: Tree][] };

export interface GeneratedInstance {
  /** JSON token: a number or a string */
  indexKey?: string;
  deposed?: string;
  attributes: Tree;
  dependencies: string[];
  /** token of `private`, which nothing reads */
  private?: string;
}

export interface GeneratedResource {
  module?: string;
  mode: 'managed' | 'data';
  type: string;
  name: string;
  provider: string;
  instances: GeneratedInstance[];
}

export interface GeneratedDocument {
  serial: number;
  lineage: string;
  outputs: Tree;
  resources: GeneratedResource[];
}

export const LAYOUTS = ['client', 'compact', 'tabs', 'crlf', 'sorted'] as const;
export type Layout = (typeof LAYOUTS)[number];

export const PROVIDER = 'provider["registry.terraform.io/hashicorp/test"]';

export function text(value: string): Tree {
  return { token: JSON.stringify(value) };
}

export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return { items: value.map(treeOf) };
  if (typeof value !== 'object' || value === null) return { token: JSON.stringify(value) };
  return { members: Object.entries(value).map(([key, item]) => [JSON.stringify(key), treeOf(item)]) };
}

function members(entries: [string, Tree | undefined][]): Tree {
  return {
    members: entries.flatMap(([key, value]) =>
      value === undefined ? [] : [[JSON.stringify(key), value] as [string, Tree]],
    ),
  };
}

/** In the order in which the client writes its members. */
export function documentTree(document: GeneratedDocument): Tree {
  return members([
    ['version', { token: '4' }],
    ['terraform_version', text('1.11.4')],
    ['serial', { token: String(document.serial) }],
    ['lineage', text(document.lineage)],
    ['outputs', document.outputs],
    ['resources', { items: document.resources.map(resourceTree) }],
    ['check_results', { token: 'null' }],
  ]);
}

function resourceTree(resource: GeneratedResource): Tree {
  return members([
    ['module', resource.module === undefined ? undefined : text(resource.module)],
    ['mode', text(resource.mode)],
    ['type', text(resource.type)],
    ['name', text(resource.name)],
    ['provider', text(resource.provider)],
    ['instances', { items: resource.instances.map(instanceTree) }],
  ]);
}

function instanceTree(instance: GeneratedInstance): Tree {
  return members([
    ['index_key', instance.indexKey === undefined ? undefined : { token: instance.indexKey }],
    ['deposed', instance.deposed === undefined ? undefined : text(instance.deposed)],
    ['schema_version', { token: '0' }],
    ['attributes', instance.attributes],
    ['sensitive_attributes', { items: [] }],
    ['private', instance.private === undefined ? undefined : { token: instance.private }],
    [
      'dependencies',
      instance.dependencies.length === 0 ? undefined : { items: instance.dependencies.map(text) },
    ],
  ]);
}

export function printDocument(document: GeneratedDocument, layout: Layout = 'client'): Buffer {
  const tree = documentTree(document);
  switch (layout) {
    case 'client':
      return Buffer.from(`${print(tree, '\n', '  ', ': ')}\n`);
    case 'compact':
      return Buffer.from(print(tree, '', '', ':'));
    case 'tabs':
      return Buffer.from(print(tree, '\n', '\t', ' : '));
    case 'crlf':
      return Buffer.from(print(tree, '\r\n', '  ', ': '));
    case 'sorted':
      return Buffer.from(print(sorted(tree), '\n', ' ', ': '));
  }
}

function print(tree: Tree, lineBreak: string, indent: string, colon: string): string {
  if ('token' in tree) return tree.token;
  const inner = lineBreak + (lineBreak === '' ? '' : indent);
  const [open, close] = 'items' in tree ? '[]' : '{}';
  const parts =
    'items' in tree
      ? tree.items.map((item) => print(item, inner, indent, colon))
      : tree.members.map(([key, value]) => key + colon + print(value, inner, indent, colon));
  return parts.length === 0
    ? `${open}${close}`
    : `${open}${inner}${parts.join(`,${inner}`)}${lineBreak}${close}`;
}

function sorted(tree: Tree): Tree {
  if ('token' in tree) return tree;
  if ('items' in tree) return { items: tree.items.map(sorted) };
  return {
    members: [...tree.members]
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, value]) => [key, sorted(value)]),
  };
}

const ODD_NUMBERS = [
  '0',
  '-0',
  '9007199254740993',
  '-123456789012345678901234567890',
  '1e-30',
  '1e400',
  '-2.5E+17',
  '0.1000000000000000055511151231257827',
  '1e-400',
];
const ODD_STRINGS = [
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00 alone"',
  '"\\ud83d\\ude00"',
  '"\\u003cb\\u003e \\u0026 \\/"',
  '"\\"quoted\\" \\\\ back"',
  '"line\\nbreak\\t"',
  '"\\"resources\\": ["',
  '"\\n    },\\n    {\\n"',
  '"häßlich 日本 😀"',
  '""',
];

export const jsonTokens: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('true', 'false', 'null'),
  fc.constantFrom(...ODD_NUMBERS),
  fc.constantFrom(...ODD_STRINGS),
  fc.integer().map(String),
  anyText({ maxLength: 20 }).map((value) => JSON.stringify(value)),
);

export const jsonTrees: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    jsonTokens.map((token): Tree => ({ token })),
    fc.array(tie('tree'), { maxLength: 4 }).map((items): Tree => ({ items })),
    fc.array(fc.tuple(keyTokens(), tie('tree')), { maxLength: 4 }).map((list): Tree => ({ members: list })),
  ),
})).tree;

function keyTokens(): fc.Arbitrary<string> {
  return fc.oneof(
    anyText({ maxLength: 12 }).map((key) => JSON.stringify(key)),
    fc.constantFrom(
      '"__proto__"',
      '"constructor"',
      '"a.b"',
      '"\\u0000key"',
      '"\\ud800"',
      '"instances"',
      '"resources"',
      '"index_key"',
      '"id"',
    ),
  );
}

/** Duplicate keys included: a list of members is not a map. */
const attributeTrees: fc.Arbitrary<Tree> = fc
  .array(fc.tuple(keyTokens(), jsonTrees), { maxLength: 5 })
  .map((list): Tree => ({ members: [['"id"', text('i')], ...list] }));

const names = fc.constantFrom('a', 'b', 'main', 'this', 'wide_name', 'x1', 'über');
const modules = fc.option(
  fc.constantFrom('module.net', 'module.net["a.b"]', 'module.app[0].module.db', 'module.q["say \\"hi\\""]'),
  { nil: undefined },
);

const stringKeys = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'a/b',
    'with "quotes"',
    'back\\slash',
    '${x}',
    '%{if}',
    'ключ',
    '0',
    'line\nbreak',
    'a]b',
    'sp ace',
  ),
  anyText({ maxLength: 12 }),
);

function instances(): fc.Arbitrary<GeneratedInstance[]> {
  const body = fc.record({
    attributes: attributeTrees,
    dependencies: fc.subarray(['test_thing.a', 'module.net.test_thing.b', 'data.test_thing.gone']),
  });
  const single = body.map((instance): GeneratedInstance[] => [instance]);
  const counted = fc
    .array(body, { maxLength: 5 })
    .map((list): GeneratedInstance[] => list.map((item, index) => ({ ...item, indexKey: String(index) })));
  const keyed = fc
    .uniqueArray(fc.tuple(stringKeys, body), { maxLength: 5, selector: ([key]) => key })
    .map((list): GeneratedInstance[] =>
      list.map(([key, item]) => ({ ...item, indexKey: JSON.stringify(key) })),
    );
  const replaced = fc
    .tuple(body, body)
    .map(([now, before]): GeneratedInstance[] => [
      now,
      { ...before, deposed: '0a1b2c3d' },
      { ...before, deposed: '4e5f6071' },
    ]);
  return fc.oneof(single, counted, keyed, replaced, fc.constant<GeneratedInstance[]>([]));
}

const resources: fc.Arbitrary<GeneratedResource> = fc
  .record({
    module: modules,
    mode: fc.constantFrom('managed' as const, 'data' as const),
    type: fc.constantFrom('test_thing', 'test_other', 'null_resource'),
    name: names,
    provider: fc.constantFrom(PROVIDER, `${PROVIDER}.west`, 'module.net.provider["example.com/own/thing"]'),
    instances: instances(),
  })
  .map(({ module, ...rest }) => (module === undefined ? rest : { module, ...rest }));

export function addressOf(resource: GeneratedResource): string {
  return [
    ...(resource.module ? [resource.module] : []),
    ...(resource.mode === 'data' ? ['data'] : []),
    resource.type,
    resource.name,
  ].join('.');
}

export function documents(lineage: string): fc.Arbitrary<GeneratedDocument> {
  return fc.record({
    serial: fc.constant(1),
    lineage: fc.constant(lineage),
    outputs: fc
      .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'constructor', '__proto__', 'toString'), jsonTrees), {
        maxLength: 3,
        selector: ([name]) => name,
      })
      .map((list): Tree => ({
        members: list.map(([name, value]) => [
          JSON.stringify(name),
          members([
            ['value', value],
            ['type', text('dynamic')],
          ]),
        ]),
      })),
    resources: fc.uniqueArray(resources, { maxLength: 8, selector: addressOf }),
  });
}

/** Counted from what was generated, without the service's help; a resource without instances is nothing to the graph. */
export function countsOf(document: GeneratedDocument): { instances: number; resources: number } {
  return {
    instances: document.resources.reduce((sum, resource) => sum + resource.instances.length, 0),
    resources: document.resources.filter((resource) => resource.instances.length > 0).length,
  };
}

/** A document in the client's layout of any size, the same for the same arguments. */
export function aLargeDocument(options: {
  resources: number;
  instancesEach?: number;
  padding?: number;
  lineage?: string;
  serial?: number;
  seed?: number;
}): GeneratedDocument {
  const { instancesEach = 1, padding = 600, seed = 1 } = options;
  let state = seed >>> 0 || 1;
  const random = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  const instance = (index: number): GeneratedInstance => {
    let filler = '';
    while (filler.length < padding) filler += random().toString(36);
    const attributes = treeOf({
      id: `i-${random()}`,
      filler: filler.slice(0, padding),
      tags: { Name: `n${index}` },
      ports: [random() % 65536, 80],
    });
    return { attributes, dependencies: [], ...(instancesEach === 1 ? {} : { indexKey: String(index) }) };
  };
  return {
    serial: options.serial ?? 1,
    lineage: options.lineage ?? 'f0000000-0000-4000-8000-000000000000',
    outputs: treeOf({ url: { value: 'https://example.test', type: 'string' } }),
    resources: Array.from({ length: options.resources }, (_, index) => ({
      ...(index % 3 === 0 ? { module: `module.m${index % 7}` } : {}),
      mode: 'managed' as const,
      type: `test_type${index % 11}`,
      name: `name_${index}`,
      provider: PROVIDER,
      instances: Array.from({ length: instancesEach }, (_unused, at) => instance(at)),
    })),
  };
}
