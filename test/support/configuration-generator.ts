import * as fc from 'fast-check';
import type { ConfigurationEntry } from '../../src/modules/configurations/index.js';

/** A block as the tests think of it; what it renders to says the same in Terraform's JSON syntax. */
export interface ModelBlock {
  id: string;
  module: string;
  kind: 'resource' | 'data' | 'variable' | 'local' | 'output' | 'provider' | 'module' | 'terraform';
  name: string;
  /** names relative to the module */
  refs: string[];
  /** of `depends_on` */
  whole: string[];
  /** named by a resource, or undefined for the implied one */
  provider?: string;
  /** of a call: refs of each argument, and providers passed on */
  args: Record<string, { refs: string[]; salt: number }>;
  passes: Record<string, string>;
  /** of a terraform block: what is required of each provider */
  required: Record<string, number>;
  salt: number;
}

export type Model = Map<string, ModelBlock>;

const MODULES: Readonly<Record<string, readonly string[]>> = { '': ['a', 'c'], 'module.a': ['b'] };
const TYPES = ['aws_t', 'gcp_t'] as const;
const UP_TO_3 = { max: 3 };

export function pathOf(module: string, name: string): string {
  return module === '' ? name : `${module}.${name}`;
}

type Value = fc.GeneratorValue;

/** A configuration whose names may or may not exist, over up to four modules. */
export function modelOf(gen: Value): Model {
  const model: Model = new Map();
  const modules = ['module.a', 'module.c', 'module.a.module.b'].filter(() => gen(fc.boolean));
  const present = [
    '',
    ...modules.filter((path) => path !== 'module.a.module.b' || modules.includes('module.a')),
  ];
  for (const module of present)
    for (const block of blocksOf(gen, module, present)) model.set(block.id, block);
  return allowed(model);
}

/** Terraform takes no provider block for what the caller passes on. */
function allowed(model: Model): Model {
  for (const { id, module, kind, name } of [...model.values()])
    if (kind === 'provider' && model.get(module)?.passes[name] !== undefined) model.delete(id);
  return model;
}

function blocksOf(gen: Value, module: string, present: readonly string[]): ModelBlock[] {
  const some = (most: number) => Array.from({ length: gen(fc.nat, { max: most }) }, (_, i) => i);
  const blocks: ModelBlock[] = [];
  const add = (kind: ModelBlock['kind'], name: string, address: string, more: Partial<ModelBlock> = {}) =>
    blocks.push({
      id: pathOf(module, address),
      module,
      kind,
      name,
      refs: [],
      whole: [],
      args: {},
      passes: {},
      required: {},
      salt: 0,
      ...more,
    });
  for (const i of some(3)) add('variable', `x${i}`, `var.x${i}`);
  for (const i of some(2)) add('local', `l${i}`, `local.l${i}`, { refs: refsOf(gen, module) });
  for (const i of some(4)) {
    const [kind, type] = [
      gen(fc.constantFrom, 'resource' as const, 'data' as const),
      gen(fc.constantFrom, ...TYPES),
    ];
    const prefix = kind === 'data' ? 'data.' : '';
    add(kind, `${type}.r${i}`, `${prefix}${type}.r${i}`, {
      refs: refsOf(gen, module),
      whole: gen(fc.nat, UP_TO_3) === 0 ? refsOf(gen, module) : [],
      ...(gen(fc.nat, UP_TO_3) === 0 ? { provider: gen(fc.constantFrom, 'aws.west', 'aws', 'gcp') } : {}),
    });
  }
  for (const i of some(2)) add('output', `o${i}`, `output.o${i}`, { refs: refsOf(gen, module) });
  for (const name of ['aws', 'aws.west', 'gcp'])
    if (gen(fc.nat, UP_TO_3) === 0) add('provider', name, `provider.${name}`, { refs: refsOf(gen, module) });
  if (gen(fc.boolean))
    add('terraform', 'main.tf', 'terraform@main.tf', {
      required: gen(fc.boolean) ? { aws: 1 } : { aws: 1, gcp: 1 },
    });
  for (const child of MODULES[module] ?? [])
    if (present.includes(pathOf(module, `module.${child}`)))
      add('module', child, `module.${child}`, {
        refs: gen(fc.boolean) ? refsOf(gen, module) : [],
        whole: gen(fc.nat, UP_TO_3) === 0 ? refsOf(gen, module) : [],
        args: Object.fromEntries(some(3).map((i) => [`x${i}`, { refs: refsOf(gen, module), salt: 0 }])),
        passes:
          gen(fc.nat, UP_TO_3) === 0
            ? { [gen(fc.constantFrom, 'aws', 'aws.west')]: gen(fc.constantFrom, 'aws', 'aws.west') }
            : {},
      });
  return blocks;
}

function refsOf(gen: Value, module: string): string[] {
  const children = MODULES[module] ?? [];
  const names = [
    ...[0, 1, 2].map((i) => `var.x${i}`),
    ...[0, 1].map((i) => `local.l${i}`),
    ...[0, 1, 2, 3].flatMap((i) => TYPES.flatMap((type) => [`${type}.r${i}`, `data.${type}.r${i}`])),
    ...children.flatMap((name) => [`module.${name}`, `module.${name}.o0`, `module.${name}.o1`]),
  ];
  return Array.from({ length: gen(fc.nat, { max: 2 }) }, () => gen(fc.constantFrom, ...names));
}

/** Some blocks otherwise, some gone, some new. */
export function changedModel(gen: Value, before: Model): Model {
  const after: Model = new Map();
  const kept = (block: ModelBlock) => block.module === '' || after.has(block.module);
  const blocks = [...before.values()].toSorted((a, b) => a.module.length - b.module.length);
  for (const block of blocks) {
    const how = gen(fc.nat, { max: 19 });
    if (kept(block) && how > 0) after.set(block.id, how > 2 ? block : changedBlock(gen, block));
  }
  if (gen(fc.nat, UP_TO_3) === 0)
    for (const block of modelOf(gen).values())
      if (gen(fc.nat, UP_TO_3) === 0 && kept(block)) after.set(block.id, block);
  return allowed(after);
}

function changedBlock(gen: Value, block: ModelBlock): ModelBlock {
  const [name] = Object.keys(block.args);
  const argument = name === undefined ? undefined : block.args[name];
  if (name !== undefined && argument && gen(fc.boolean))
    return {
      ...block,
      args: { ...block.args, [name]: { refs: refsOf(gen, block.module), salt: argument.salt + 1 } },
    };
  if (block.kind === 'terraform' && gen(fc.boolean))
    return { ...block, required: { ...block.required, aws: 2 } };
  const isPlain = block.kind === 'variable' || block.kind === 'terraform';
  if (isPlain || gen(fc.boolean)) return { ...block, salt: block.salt + 1 };
  return { ...block, refs: refsOf(gen, block.module), salt: block.salt + 1 };
}

/** What a client would log to get from one to the other; and some of what is there already, where it does not know better. */
export function entriesBetween(before: Model, after: Model, isLogged = () => false): ConfigurationEntry[] {
  const sets = [...after.values()]
    .filter((block) => isLogged() || JSON.stringify(block) !== JSON.stringify(before.get(block.id)))
    .map((block) => ({
      action: 'hcl_set',
      data: JSON.stringify({ file: 'main.tf', module: block.module, data: rendered(block) }),
    }));
  const deletes = [...before.keys()]
    .filter((id) => !after.has(id))
    .map((id) => ({ action: 'hcl_delete', data: JSON.stringify({ node_id: id }) }));
  return [...deletes, ...sets];
}

export function rendered({
  kind,
  name,
  refs,
  whole,
  provider,
  args,
  passes,
  required,
  salt,
}: ModelBlock): unknown {
  const text = (names: readonly string[]) =>
    names.map((ref) => `\${f(${ref}${ref.startsWith('module.') ? '' : '.id'})}`);
  const [type = '', label = ''] = name.split('.');
  const depends = whole.length > 0 ? { depends_on: whole } : {};
  switch (kind) {
    case 'variable':
      return { variable: { [name]: { default: salt } } };
    case 'local':
      return { locals: { [name]: { salt, refs: text(refs) } } };
    case 'output':
      return { output: { [name]: { value: [...text(refs), salt] } } };
    case 'provider':
      return { provider: { [type]: { ...(label === '' ? {} : { alias: label }), salt, refs: text(refs) } } };
    case 'terraform':
      return {
        terraform: {
          required_version: `>= ${salt}`,
          required_providers: Object.fromEntries(
            Object.entries(required).map(([key, version]) => [key, { version: `~> ${version}` }]),
          ),
        },
      };
    case 'module':
      return {
        module: {
          [name]: {
            source: `./${name}`,
            version: String(salt),
            for_each: text(refs),
            ...depends,
            ...(Object.keys(passes).length > 0 ? { providers: passes } : {}),
            ...Object.fromEntries(
              Object.entries(args).map(([key, argument]) => [key, [...text(argument.refs), argument.salt]]),
            ),
          },
        },
      };
    case 'resource':
    case 'data':
      return {
        [kind]: {
          [type]: {
            [label]: { salt, refs: text(refs), ...depends, ...(provider === undefined ? {} : { provider }) },
          },
        },
      };
  }
}
