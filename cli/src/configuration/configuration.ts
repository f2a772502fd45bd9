import { scryptSync } from 'node:crypto';
import { resolve } from 'node:path';
import type { JsonObject } from './block-data.rules.js';
import { Failure } from '../failure.js';
import { canonicalJson, revisionHash, sha256 } from './canonical-json.js';
import { blockData, type ConfigurationBlock, isObject } from './configuration-block.js';
import type { Reading } from './module-directory.js';
import { type ModuleCall, readModules } from './module-tree.js';
import { type ConfigurationFileContent, readFilesOf } from './read-files.js';
import { type VariableOption, type VariableValue, variableValues } from './variable-values.js';

/** One thing whose change is noticed: a block, a variable's value, a file. */
export interface ConfigurationNode {
  key: string;
  hash: string;
  entry: NodeEntry;
  /** of a block: where it stands */
  lines?: { file: string; start: number; end: number };
}

/** What is logged into a transaction for a node. */
export type NodeEntry =
  | {
      action: 'hcl_set';
      object_type: 'hcl';
      data: { file: string; module: string; data: JsonObject; start_line: number; end_line: number };
    }
  | {
      action: 'tfvar_set' | 'tfvar_ephemeral';
      object_type: 'tfvar';
      data: { file: string; name: string; data: unknown };
    }
  | { action: 'file_set'; object_type: 'file'; data: ConfigurationFileContent };

export interface Configuration {
  /** the root directory, absolute */
  root: string;
  nodes: ConfigurationNode[];
  /** hash over all nodes */
  hash: string;
  /** values of variables that reach Terraform through the environment and are never stored */
  privateValues: Map<string, unknown>;
  /** entries that have no node: their values are not to be kept in any form */
  unhashed: NodeEntry[];
  /** the backend's body when the configuration has one of kind `http` */
  httpBackend: JsonObject | undefined;
}

export interface ConfigurationOptions extends Reading {
  environment?: Readonly<Record<string, string | undefined>>;
  variables?: readonly VariableOption[];
  dataDirectory?: string;
}

/** Reads a directory as Terraform would: all modules it calls, effective variables, files that expressions read. */
export function readConfiguration(directory: string, options: ConfigurationOptions = {}): Configuration {
  const root = resolve(directory);
  const modules = readModules(root, options.dataDirectory, options);
  if (!modules[0]?.hasFiles) throw new Failure('NO_CONFIGURATION', `there is no configuration in ${root}`);
  const { blocks } = modules[0];
  const values = variableValues(
    blocks.filter(({ kind }) => kind === 'variable'),
    { root, environment: options.environment ?? {}, options: options.variables ?? [] },
  );
  const stored = values.filter(({ isPrivate }) => !isPrivate);
  const kept = values.filter(({ isPrivate }) => isPrivate);
  const nodes: ConfigurationNode[] = [
    ...blockNodes([{ ...modules[0], blocks: withFingerprints(blocks, kept) }, ...modules.slice(1)]),
    ...stored.map(({ name, file, value }): ConfigurationNode => ({
      key: `${file}:${name}`,
      hash: sha256(canonicalJson(value)),
      entry: { action: 'tfvar_set', object_type: 'tfvar', data: { file, name, data: value } },
    })),
    ...readFilesOf(root, modules).map((data): ConfigurationNode => ({
      key: `file:${data.filepath}`,
      hash: data.content_hash,
      entry: { action: 'file_set', object_type: 'file', data },
    })),
  ];
  return {
    root,
    nodes,
    hash: revisionHash(nodes),
    privateValues: new Map(kept.map(({ name, value }) => [name, value])),
    unhashed: kept.map(({ name, file }) => ({
      action: 'tfvar_ephemeral',
      object_type: 'tfvar',
      data: { file, name, data: null },
    })),
    httpBackend: httpBackendOf(blocks),
  };
}

/**
 * A sensitive value is not stored, yet what depends on it must be planned when it changes: its declaration gets a
 * comment that changes with it and that is slow to guess from.
 */
function withFingerprints(
  blocks: ConfigurationBlock[],
  kept: readonly VariableValue[],
): ConfigurationBlock[] {
  const values = new Map(kept.map((value) => [value.name, value]));
  return blocks.map((block) => {
    const [name = ''] = block.labels;
    const given = block.kind === 'variable' ? values.get(name) : undefined;
    if (!given || !isObject(block.body) || block.body['ephemeral'] === true) return block;
    const digest = scryptSync(canonicalJson(given.value), `infrastate variable ${name}`, 32);
    return { ...block, body: { '//': `scrypt ${digest.toString('base64')}`, ...block.body } };
  });
}

/** A block's node. What is logged for it is made when somebody asks for it: of ten thousand few are. */
class BlockNode implements ConfigurationNode {
  readonly #block: ConfigurationBlock;
  readonly #module: string;

  constructor(
    readonly key: string,
    readonly hash: string,
    block: ConfigurationBlock,
    module: string,
  ) {
    this.#block = block;
    this.#module = module;
  }

  get lines(): { file: string; start: number; end: number } {
    const { file, startLine: start, endLine: end } = this.#block;
    return { file, start, end };
  }

  get entry(): NodeEntry {
    const { file, startLine, endLine } = this.#block;
    return {
      action: 'hcl_set',
      object_type: 'hcl',
      data: {
        file,
        module: this.#module,
        data: blockData(this.#block),
        start_line: startLine,
        end_line: endLine,
      },
    };
  }
}

/** A directory that is called several times is hashed once. */
function blockNodes(modules: readonly ModuleCall[]): ConfigurationNode[] {
  const known = new Map<ConfigurationBlock, string>();
  return modules.flatMap(({ path, blocks }) =>
    blocks.map((block): ConfigurationNode => {
      const { name } = block;
      const hash = known.get(block) ?? block.hash ?? sha256(canonicalJson(blockData(block)));
      known.set(block, hash);
      return new BlockNode(path === '' ? name : `${path}.${name}`, hash, block, path);
    }),
  );
}

function httpBackendOf(blocks: readonly ConfigurationBlock[]): JsonObject | undefined {
  for (const block of blocks) {
    // Other blocks may not even be parsed yet.
    if (block.kind !== 'terraform' || !Array.isArray(block.body)) continue;
    for (const each of block.body.filter(isObject)) {
      const backends = Array.isArray(each['backend']) ? each['backend'] : [each['backend']];
      const http = backends.find((backend) => isObject(backend) && Object.hasOwn(backend, 'http'));
      const found = isObject(http) ? http['http'] : undefined;
      if (isObject(found)) return found;
      const [first] = Array.isArray(found) ? found : [];
      if (isObject(first)) return first;
    }
  }
  return undefined;
}
