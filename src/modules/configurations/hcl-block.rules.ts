import { prefixOf } from './configuration-edge.js';
import { namesInExpression, namesInTemplate } from './hcl-expression.rules.js';
import { isRecord } from '../../platform/json/is-record.js';

/** One block of Terraform's JSON syntax: `{"resource": {"aws_vpc": {"main": {…}}}}`. */
export interface HclBlock {
  kind: string;
  labels: string[];
  body: unknown;
}

/** How many names stand between a block's kind and its body (Terraform documentation, JSON configuration syntax). */
const LABELS: Readonly<Record<string, number>> = {
  resource: 2,
  data: 2,
  ephemeral: 2,
  module: 1,
  variable: 1,
  output: 1,
  provider: 1,
  check: 1,
  locals: 0,
  terraform: 0,
  moved: 0,
  import: 0,
  removed: 0,
};

/** The one block an object holds, or why it holds none. */
export function blockOf(data: unknown): HclBlock | string {
  if (!isRecord(data)) return 'a block is an object';
  const [kind, ...others] = Object.keys(data);
  if (kind === undefined || others.length > 0) return 'a block has exactly one kind';
  const count = LABELS[kind];
  if (count === undefined) return `there are no blocks of kind ${kind.slice(0, 50)}`;
  const labels: string[] = [];
  let body: unknown = data[kind];
  for (let i = 0; i < count; i++) {
    if (!isRecord(body)) return `a ${kind} block has ${count} labels`;
    const [label, ...rest] = Object.keys(body);
    if (label === undefined || rest.length > 0) return `one ${kind} block at a time`;
    labels.push(label);
    body = body[label];
  }
  if (!isRecord(body) && !Array.isArray(body)) return `a ${kind} block has a body`;
  if (isTooDeep(body)) return `a block is nested ${MOST_NESTED} deep at most`;
  return { kind, labels, body };
}

const MOST_NESTED = 200;

/** Nested deeper than anybody writes. */
export function isTooDeep(value: unknown, levels = MOST_NESTED): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isTooDeep(item, levels - 1));
}

/** What Terraform calls it: `module.net.aws_vpc.main`, `var.region`, `local.x`, `provider.aws.west`. */
export function addressOf(block: HclBlock, module: string): string {
  const { kind, labels } = block;
  const [first = '', second = ''] = labels;
  const prefix = prefixOf(module);
  switch (kind) {
    case 'resource':
      return `${prefix}${first}.${second}`;
    case 'variable':
      return `${prefix}var.${first}`;
    case 'locals': {
      const [name, ...others] = localNamesOf(block);
      return `${prefix}${name === undefined || others.length > 0 ? 'locals' : `local.${name}`}`;
    }
    case 'provider': {
      const alias = bodiesOf(block)[0]?.['alias'];
      return `${prefix}provider.${first}${typeof alias === 'string' ? `.${alias}` : ''}`;
    }
    default:
      return `${prefix}${[kind, ...labels].join('.')}`;
  }
}

/** The member that tells blocks of a kind apart that have no name. */
const TOLD_BY: Readonly<Record<string, string>> = { moved: 'from', removed: 'from', import: 'to' };

/** The id under which a block is compared with what was stored: its address, where it has one of its own. */
export function nodeIdOf(block: HclBlock, module: string, file: string): string {
  const address = addressOf(block, module);
  const named = TOLD_BY[block.kind];
  if (named !== undefined)
    return `${address}@${file}:${bodiesOf(block)
      .map((body) => textOf(body[named]))
      .join(',')}`;
  const isNameless =
    block.labels.length === 0 && !(block.kind === 'locals' && localNamesOf(block).length === 1);
  return isNameless ? `${address}@${file}` : address;
}

/** A body may be given as a list of bodies. */
export function bodiesOf({ body }: Pick<HclBlock, 'body'>): Record<string, unknown>[] {
  return (Array.isArray(body) ? body : [body]).filter(isRecord);
}

export function localNamesOf(block: HclBlock): string[] {
  return bodiesOf(block).flatMap((body) => Object.keys(body).filter((name) => name !== COMMENT));
}

/** A member of this name is a comment in the JSON syntax. */
export const COMMENT = '//';

/**
 * The names a block refers to, relative to its module: `var.x`, `local.x`, `module.x`, `module.x.output`, `data.t.n`,
 * `t.n`, `provider.aws.west`. Expressions stand in `${…}`; some members hold names without it.
 */
export function referencesOf(block: HclBlock): string[] {
  const { names, whole, providers } = namesOf(block);
  const all = [...names, ...whole, ...[...providers].map((name) => `provider.${name}`)];
  return [...new Set(all)].sort();
}

export interface BlockNames {
  names: Set<string>;
  /** named in `depends_on`, where `module.x` means all of it */
  whole: Set<string>;
  /** local names of providers, `aws` or `aws.west` */
  providers: Set<string>;
  fileCalls: { name: string; argument: string }[];
}

export function noNames(): BlockNames {
  return { names: new Set(), whole: new Set(), providers: new Set(), fileCalls: [] };
}

/** Members that are plain text whatever stands in them, by kind of block. */
const LITERAL: Readonly<Record<string, readonly string[]>> = {
  variable: ['type', 'default', 'description'],
  import: ['to', 'provider'],
};
/** Blocks that hold no expressions. */
const INERT = new Set(['terraform', 'moved', 'removed']);
const WITH_PROVIDER = new Set(['resource', 'data', 'ephemeral', 'import']);

export function namesOf(block: HclBlock): BlockNames {
  const found = noNames();
  if (INERT.has(block.kind)) return found;
  for (const body of bodiesOf(block))
    for (const [key, value] of Object.entries(body)) {
      if (key === COMMENT) continue;
      if (key === 'depends_on') eachText(value, (text) => addNames(text, found.whole));
      else if (key === 'provider' && WITH_PROVIDER.has(block.kind))
        eachText(value, (text) => found.providers.add(providerName(text)));
      else if (key === 'providers' && block.kind === 'module')
        eachText(value, (text) => found.providers.add(providerName(text)));
      else if (!LITERAL[block.kind]?.includes(key))
        collectNames(value, found, { isLifecycle: key === 'lifecycle' });
    }
  return found;
}

/** The names in any value: its texts are templates, and so are the keys of its objects. */
export function collectNames(
  value: unknown,
  found: BlockNames,
  { isLifecycle = false }: { isLifecycle?: boolean } = {},
): void {
  if (typeof value === 'string') {
    const { traversals, fileCalls } = namesInTemplate(value);
    for (const traversal of traversals) add(traversal, found.names);
    for (const call of fileCalls) found.fileCalls.push(call);
  } else if (Array.isArray(value)) for (const item of value) collectNames(item, found, { isLifecycle });
  else if (isRecord(value))
    for (const [name, item] of Object.entries(value)) {
      if (isLifecycle && name === 'replace_triggered_by')
        eachText(item, (text) => addNames(text, found.names));
      else {
        collectNames(name, found);
        collectNames(item, found);
      }
    }
}

/** `aws.west`, `${aws.west}` or `aws.by_region[each.key]` → the provider's local name and alias. */
export function providerName(text: string): string {
  const [traversal] = namesInExpression(text).traversals;
  if (traversal) return traversal.slice(0, 2).join('.');
  return text.replace(/^\$\{\s*|\s*\}$/g, '');
}

function addNames(text: string, names: Set<string>): void {
  for (const traversal of namesInExpression(text).traversals) add(traversal, names);
}

/** Words that begin a traversal and name no block. */
const NOT_BLOCKS = new Set(['each', 'count', 'self', 'path', 'terraform']);

function add([first = '', second = '', third]: readonly string[], names: Set<string>): void {
  if (NOT_BLOCKS.has(first)) return;
  const isLong = first === 'data' || first === 'ephemeral';
  if (!isLong && (first !== 'module' || third === undefined)) names.add(`${first}.${second}`);
  else if (third !== undefined) names.add(`${first}.${second}.${third}`);
}

function eachText(value: unknown, visit: (text: string) => void): void {
  if (typeof value === 'string') visit(value);
  else if (Array.isArray(value)) for (const item of value) eachText(item, visit);
  else if (isRecord(value)) for (const item of Object.values(value)) eachText(item, visit);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
