import { hash } from 'node:crypto';
import { isObject, member, minifiedJson, parseRaw, printRaw, type RawJson } from '../documents/index.js';
import { addressOf, blockOf, type HclBlock, nodeIdOf } from './hcl-block.rules.js';
import { filePoint } from './file-reference.rules.js';

/** One thing that a configuration consists of: a block, the value of a root variable, or a file that expressions read. */
export interface ConfigurationNode {
  id: string;
  kind: 'hcl' | 'tfvar' | 'file';
  /** of a block; the name of a variable; the path of a file */
  address: string;
  /** call path without keys, empty for the root */
  module: string;
  file: string;
  /** JSON text, numbers as written: the block; the variable's value; `{content, content_hash, mode}` */
  data: string;
  /** hex SHA-256 of the canonical data */
  hash: string;
  startLine?: number;
  endLine?: number;
}

/** An entry of a transaction's log that is about the configuration. */
export interface ConfigurationEntry {
  action: string;
  /** JSON text */
  data: string;
}

/** What a log makes of a configuration: what is there in the end, by id, and null for what goes. */
export type ConfigurationChange = ReadonlyMap<string, ConfigurationNode | null>;

/** Reads the entries in order; what comes later stands. Ephemeral values are not kept, so they count as none. */
export function changeOf(entries: readonly ConfigurationEntry[]): Map<string, ConfigurationNode | null> {
  const change = new Map<string, ConfigurationNode | null>();
  for (const { action, data: text } of entries) {
    const data = parseRaw(minifiedJson(text));
    switch (action) {
      case 'hcl_set': {
        const node = blockNode(data);
        if (node) change.set(node.id, node);
        break;
      }
      case 'tfvar_set': {
        const node = variableNode(data);
        change.set(node.id, node);
        break;
      }
      case 'file_set': {
        const node = fileNode(data);
        change.set(node.id, node);
        break;
      }
      case 'tfvar_ephemeral':
        change.set(`${textOf(data, 'file')}:${textOf(data, 'name')}`, null);
        break;
      case 'file_delete':
        change.set(filePoint(textOf(data, 'filepath')), null);
        break;
      case 'hcl_delete':
      case 'tfvar_delete':
        change.set(textOf(data, 'node_id'), null);
    }
  }
  return change;
}

/** The block a node holds. */
export function parsedBlock(node: ConfigurationNode): HclBlock {
  const block = blockOf(JSON.parse(node.data));
  if (typeof block === 'string') throw new Error('a stored block is none');
  return block;
}

/** Members in order of their names, no white space: equal for equal content. */
export function canonicalJson(value: RawJson): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return `[${value.items.map(canonicalJson).join(',')}]`;
  const entries = value.entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}

export function contentHash(value: RawJson): string {
  return hash('sha256', canonicalJson(value), 'hex');
}

function blockNode(entry: RawJson): ConfigurationNode | undefined {
  const data = member(entry, 'data') ?? 'null';
  const text = printRaw(data);
  const block = blockOf(JSON.parse(text));
  if (typeof block === 'string') return undefined;
  const module = textOf(entry, 'module');
  const file = textOf(entry, 'file');
  return {
    id: nodeIdOf(block, module, file),
    kind: 'hcl',
    address: addressOf(block, module),
    module,
    file,
    data: text,
    hash: contentHash(data),
    ...linesOf(entry),
  };
}

function variableNode(entry: RawJson): ConfigurationNode {
  const data = member(entry, 'data') ?? 'null';
  const file = textOf(entry, 'file');
  const name = textOf(entry, 'name');
  const id = `${file}:${name}`;
  return {
    id,
    kind: 'tfvar',
    address: name,
    module: '',
    file,
    data: printRaw(data),
    hash: contentHash(data),
  };
}

function fileNode(entry: RawJson): ConfigurationNode {
  const filepath = textOf(entry, 'filepath');
  const only = (...names: string[]): RawJson => ({
    entries: names.map((name): [string, RawJson] => [name, member(entry, name) ?? 'null']),
  });
  return {
    id: filePoint(filepath),
    kind: 'file',
    address: filepath,
    module: textOf(entry, 'module'),
    file: filepath,
    data: printRaw(only('content', 'content_hash', 'mode')),
    hash: contentHash(only('content', 'mode')),
  };
}

function linesOf(entry: RawJson): Pick<ConfigurationNode, 'startLine' | 'endLine'> {
  const [start, end] = [member(entry, 'start_line'), member(entry, 'end_line')];
  return {
    ...(typeof start === 'string' ? { startLine: Number(start) } : {}),
    ...(typeof end === 'string' ? { endLine: Number(end) } : {}),
  };
}

function textOf(entry: RawJson, name: string): string {
  const raw = member(entry, name);
  return typeof raw === 'string' && raw.startsWith('"') ? (JSON.parse(raw) as string) : '';
}
