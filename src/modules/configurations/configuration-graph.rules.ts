import { type Edge, type EdgeKind, type NodeShape, prefixOf } from './configuration-edge.js';
import { type ConfigurationNode, contentHash, parsedBlock } from './configuration-node.rules.js';
import { directoryPoints, filesRead } from './file-reference.rules.js';
import {
  type BlockNames,
  bodiesOf,
  collectNames,
  COMMENT,
  type HclBlock,
  localNamesOf,
  namesOf,
  noNames,
} from './hcl-block.rules.js';
import { isRecord } from '../../platform/json/is-record.js';
import { namesInTemplate, namesOfAddress } from './hcl-expression.rules.js';
import { callArguments, callEdges, callParts } from './module-call.rules.js';
import { impliedProvider, providerPoint, requirementPoint, usedProvider } from './provider-edges.rules.js';
import { listed, membersOf, rawBodies } from './raw-body.rules.js';

/** Blocks that say how to read others: being in a module does not change them. */
const ASIDE = new Set(['terraform', 'moved', 'removed', 'import']);
const IN_ALL = new Set(['resource', 'data', 'ephemeral', 'output']);
/** Members of a `terraform` block that are no part of it as a whole. */
const SET_APART = new Set(['backend', 'cloud', 'required_providers', COMMENT]);

/** What a node says of the configuration; it depends on nothing but the node. */
export function shapeOf(node: ConfigurationNode): NodeShape {
  if (node.kind === 'hcl') return new BlockShape(node).shape;
  const points = node.kind === 'tfvar' ? [`=${node.address}`] : directoryPoints(node.address);
  return {
    edges: [
      ...points.map((source): Edge => ({ source, target: node.id, kind: 'affects' })),
      ...(node.kind === 'file' ? filesOfTemplate(node) : []),
    ],
    parts: new Map([[node.id, node.hash]]),
    instances: [],
    providers: [],
  };
}

/** A template reads files too, by names that are relative to the root directory; what a file is used as is not known here. */
function filesOfTemplate({ id, data }: ConfigurationNode): Edge[] {
  const { content } = JSON.parse(data) as { content?: unknown };
  const text = typeof content === 'string' ? Buffer.from(content, 'base64').toString() : '';
  return namesInTemplate(text).fileCalls.map((call) => ({
    source: id,
    target: filesRead(call, ''),
    kind: 'affects',
  }));
}

class BlockShape {
  readonly shape: NodeShape;
  private readonly block: HclBlock;
  private readonly prefix: string;

  constructor(private readonly node: ConfigurationNode) {
    this.shape = { edges: [], parts: new Map([[node.id, node.hash]]), instances: [], providers: [] };
    this.block = parsedBlock(node);
    this.prefix = prefixOf(node.module);
    const { kind } = this.block;
    const isInside = node.module !== '' && !ASIDE.has(kind);
    this.edge(node.id, `${node.module}#self`, isInside ? 'affects' : 'needs');
    if (isInside && IN_ALL.has(kind)) this.edge(`${node.module}#all`, node.id);
    if (kind !== 'module') this.names(node.id, namesOf(this.block));
    this.ofKind();
  }

  private ofKind(): void {
    const { id, module } = this.node;
    const { kind, labels } = this.block;
    const [label = ''] = labels;
    switch (kind) {
      case 'resource':
      case 'data':
        this.shape.instances.push(id);
        return this.provider(label, this.block.body);
      case 'ephemeral':
        return this.provider(label, this.block.body);
      case 'module':
        return this.call();
      case 'variable':
        return this.variable(label);
      case 'output':
        return this.output();
      case 'locals':
        return this.locals();
      case 'provider':
        return this.edge(id, requirementPoint(module, label));
      case 'terraform':
        return this.settings();
      case 'check':
        return this.check();
      case 'moved':
      case 'import':
      case 'removed':
        return this.refactoring(kind);
    }
  }

  private output(): void {
    const { id, module } = this.node;
    if (module !== '') this.edge(`${module}#outputs`, id);
  }

  private variable(name: string): void {
    const { id, module } = this.node;
    this.edge(id, `${module}=${name}`);
    if (module !== '') this.edge(module, id, 'needs');
  }

  private edge(source: string, target: string, kind: EdgeKind = 'affects'): void {
    this.shape.edges.push({ source, target, kind });
  }

  private addAll(edges: readonly Edge[]): void {
    for (const edge of edges) this.shape.edges.push(edge);
  }

  /** What the names in a block stand for in the whole configuration. */
  private names(source: string, { names, whole, fileCalls }: BlockNames): void {
    for (const name of names) this.edge(source, this.pointOf(name, '#outputs'));
    for (const name of whole) this.edge(source, this.pointOf(name, '#all'));
    for (const call of fileCalls) this.edge(source, filesRead(call, this.node.file));
  }

  private pointOf(name: string, wholeModule: string): string {
    const [first, called, output] = name.split('.');
    if (first !== 'module') return `${this.prefix}${name}`;
    const call = `${this.prefix}module.${called ?? ''}`;
    return output === undefined ? `${call}${wholeModule}` : `${call}.output.${output}`;
  }

  private provider(type: string, body: unknown): void {
    const [given] = namesOf({ kind: 'data', labels: [], body }).providers;
    const name = given ?? impliedProvider(type);
    this.addAll(usedProvider(this.node.id, this.node.module, name));
    this.shape.providers.push(providerPoint(this.node.module, name));
  }

  private call(): void {
    const { id } = this.node;
    this.shape.parts = callParts(this.node);
    this.addAll(callEdges(this.node, this.block));
    const meta = Object.fromEntries(callArguments(this.block, { isMeta: true }));
    this.names(id, namesOf({ ...this.block, body: meta }));
    for (const [name, value] of callArguments(this.block, { isMeta: false })) {
      const names = noNames();
      collectNames(value, names);
      this.names(`${id}=${name}`, names);
    }
  }

  private locals(): void {
    const names = localNamesOf(this.block);
    if (names.length > 1) for (const name of names) this.edge(`${this.prefix}local.${name}`, this.node.id);
  }

  /** Where the state is kept counts for nothing; what is required of a provider counts for those that use it. */
  private settings(): void {
    const { id, module } = this.node;
    this.edge(`${module}#self`, id, 'needs');
    const bodies = rawBodies(this.node.data, 1);
    const rest = bodies.map((body) => ({ entries: body.filter(([name]) => !SET_APART.has(name)) }));
    this.shape.parts = new Map([[id, contentHash({ items: rest })]]);
    const required = bodies.flat().filter(([name]) => name === 'required_providers');
    for (const [name, requirement] of required.flatMap(([, raw]) => listed(raw).flatMap(membersOf))) {
      const point = requirementPoint(module, name);
      this.shape.parts.set(point, contentHash(requirement));
      this.edge(point, id, 'needs');
    }
  }

  /** A check may look things up by itself. */
  private check(): void {
    for (const body of bodiesOf(this.block))
      for (const [type, names] of entriesOf(body['data']))
        for (const [name, inner] of entriesOf(names)) {
          this.shape.instances.push(`${this.prefix}data.${type}.${name}`);
          this.provider(type, inner);
        }
  }

  /** Goes along with the blocks it names. */
  private refactoring(kind: 'moved' | 'import' | 'removed'): void {
    const { id } = this.node;
    for (const body of bodiesOf(this.block)) {
      const from = this.addressIn(body['from']);
      const to = this.addressIn(body['to']);
      if (kind !== 'import') this.shape.instances.push(from.address);
      this.edge(kind === 'removed' ? from.address : to.address, id);
      // What is moved may have been moved before.
      if (kind === 'moved') this.edge(id, from.address, 'needs');
      if (kind === 'removed' && from.type !== undefined)
        this.addAll(usedProvider(id, from.module, impliedProvider(from.type), 'needs'));
    }
  }

  private addressIn(value: unknown): { address: string; module: string; type: string | undefined } {
    const names = namesOfAddress(typeof value === 'string' ? value : '');
    let at = 0;
    while (names[at] === 'module') at += 2;
    const local = names.slice(at);
    const module = `${this.prefix}${names.slice(0, at).join('.')}`;
    return {
      address: `${this.prefix}${names.join('.')}`,
      module: at === 0 ? this.node.module : module,
      type: local[0] === 'data' ? local[1] : local[0],
    };
  }
}

/** Members of something that may stand in a list. */
function entriesOf(value: unknown): [string, unknown][] {
  return (Array.isArray(value) ? value : [value]).filter(isRecord).flatMap((item) => Object.entries(item));
}
