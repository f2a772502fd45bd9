import { Injectable } from '@nestjs/common';
import { keyOf } from '../documents/index.js';
import { closureOf, hashesOf, isNews } from './change-closure.rules.js';
import { ConfigurationEdges } from './configuration-edges.store.js';
import { shapeOf } from './configuration-graph.rules.js';
import {
  changeOf,
  type ConfigurationChange,
  type ConfigurationEntry,
  type ConfigurationNode,
} from './configuration-node.rules.js';
import { ConfigurationStore } from './configuration.store.js';
import { namesOfAddress } from './hcl-expression.rules.js';

export interface PlannableNode extends ConfigurationNode {
  /** needed by others, not planned itself */
  isContext: boolean;
}

/** The part of a configuration, and of its state, that a runner has to plan. */
export interface Plannable {
  /** in order of their ids */
  nodes: PlannableNode[];
  /** whose instances belong to it, by address without keys, and whether they are only context; undefined: all, none is */
  instances: Map<string, { isContext: boolean }> | undefined;
  /** names of root outputs; undefined: all */
  outputs: Set<string> | undefined;
  /** nodes that the entries set or delete, and that were not so already: hashes by id, undefined for those that go */
  changed: Map<string, string | undefined>;
}

/** Where a block stands; lines are unknown for clients that do not say them. */
export interface BlockSource {
  file: string;
  startLine: number | null;
  endLine: number | null;
}

/** Configurations that were applied to states. */
@Injectable()
export class Configurations {
  constructor(
    private readonly store: ConfigurationStore,
    private readonly edges: ConfigurationEdges,
  ) {}

  /** The entries of a transaction become what is stored, in the caller's transaction, which holds the state's row. */
  async apply(stateId: string, entries: readonly ConfigurationEntry[]): Promise<void> {
    const change = changeOf(entries);
    if (change.size === 0) return;
    await this.store.remove(stateId, [...change.keys()]);
    await this.store.insert(stateId, nodesOf(change));
  }

  /** The nodes that the entries change, as `Plannable.changed`; `all`: what they do not name goes. */
  async changes(
    stateId: string,
    entries: readonly ConfigurationEntry[],
    { all }: { all: boolean },
  ): Promise<Map<string, string | undefined>> {
    const change = changeOf(entries);
    if (all) for (const { id } of await this.store.all(stateId)) if (!change.has(id)) change.set(id, null);
    return this.news(stateId, change);
  }

  private async news(stateId: string, change: ConfigurationChange): Promise<Map<string, string | undefined>> {
    const known = await this.store.ofKeys(
      stateId,
      [...change.keys()].map((id) => keyOf(id)),
    );
    const before = new Map(known.map((node) => [node.id, node]));
    return hashesOf(new Map([...change].filter(([id, node]) => isNews(before.get(id), node))));
  }

  /** Where the blocks of instances stand in what was last applied, in the order asked for; undefined: unknown. */
  async sources(
    instances: readonly { stateId: string; address: string }[],
  ): Promise<(BlockSource | undefined)[]> {
    if (instances.length === 0) return [];
    const keys = instances.map(({ address }) => keyOf(namesOfAddress(address).join('.')));
    const stateIds = instances.map(({ stateId }) => stateId);
    const rows = await this.store.sources(stateIds, keys);
    const found = new Map(
      rows.map(({ state_id: stateId, key, file, start_line: startLine, end_line: endLine }) => [
        `${stateId} ${key}`,
        { file, startLine, endLine },
      ]),
    );
    return keys.map((key, at) => found.get(`${stateIds[at]} ${key}`));
  }

  /** Names of variables whose values nobody is shown. */
  async sensitiveVariables(stateIds: readonly string[]): Promise<string[]> {
    return this.store.sensitiveVariables(stateIds);
  }

  /** Whether every one of the instances and outputs has a stored block. */
  async hasAll(stateId: string, addresses: readonly string[]): Promise<boolean> {
    const keys = nodeKeys(addresses);
    return (await this.store.count(stateId, keys)) === keys.length;
  }

  /** The blocks of these instances and outputs differ from now on from whatever a client has. Answers their node ids. */
  async doubt(stateId: string, addresses: readonly string[]): Promise<string[]> {
    return this.store.forgetHashes(stateId, nodeKeys(addresses));
  }

  async clear(stateId: string): Promise<void> {
    await this.store.clear(stateId);
  }

  /**
   * What is to be planned when the entries come on top of what is stored: everything where nothing is stored or a
   * refresh is asked for, else what changes, what depends on it, and what all of that needs.
   */
  async closure(stateId: string, entries: readonly ConfigurationEntry[]): Promise<Plannable> {
    const change = changeOf(entries);
    const isWhole = entries.some(({ action }) => action === 'refresh') || (await this.store.isEmpty(stateId));
    if (isWhole) {
      const kept = (await this.store.all(stateId)).filter(({ id }) => !change.has(id));
      const nodes = inOrder([...kept, ...nodesOf(change)]).map((node) => ({ ...node, isContext: false }));
      return { nodes, instances: undefined, outputs: undefined, changed: await this.news(stateId, change) };
    }
    const { planned, included, removed, changed } = await closureOf(this.edges.findEdges(stateId), change);
    const own = nodesOf(change).filter(({ id }) => included.has(keyOf(id)));
    const replaced = new Set([...change.keys()].map((id) => keyOf(id)));
    const kept = await this.store.ofKeys(
      stateId,
      [...included].filter((key) => !replaced.has(key)),
    );
    const nodes = inOrder([...kept, ...own]).map((node) => ({
      ...node,
      isContext: !planned.has(keyOf(node.id)),
    }));
    const instances = new Map<string, { isContext: boolean }>();
    for (const node of nodes)
      for (const address of shapeOf(node).instances)
        if (instances.get(address)?.isContext !== false)
          instances.set(address, { isContext: node.isContext });
    for (const node of removed)
      for (const address of shapeOf(node).instances) instances.set(address, { isContext: false });
    return { nodes, instances, outputs: new Set([...nodes, ...removed].flatMap(rootOutput)), changed };
  }
}

/** Of resource blocks and outputs, by the addresses of what belongs to them. Results of checks come anew with every plan. */
function nodeKeys(addresses: readonly string[]): string[] {
  const ids = addresses
    .filter((address) => !address.startsWith('check.'))
    .map((address) => namesOfAddress(address).join('.'));
  return [...new Set(ids)].map((id) => keyOf(id));
}

function nodesOf(change: ConfigurationChange): ConfigurationNode[] {
  return [...change.values()].filter((node) => node !== null);
}

function inOrder(nodes: readonly ConfigurationNode[]): ConfigurationNode[] {
  return nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function rootOutput({ kind, id, module }: ConfigurationNode): string[] {
  return kind === 'hcl' && module === '' && id.startsWith('output.') ? [id.slice('output.'.length)] : [];
}
