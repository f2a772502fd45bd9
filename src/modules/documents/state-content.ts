import { CHUNK_KINDS, parseChunk } from './document-reader.js';
import { membersOf, NotAState, topLevelMembers } from './document-frame.js';
import { checksOf, pretty } from './frame-text.js';
import type { InstanceNode } from './instance-node.js';
import { isArray, isObject, parseRaw, type RawJson, type RawObject } from './raw-json.js';
import type { Owner } from './resource-parser.js';
import { joinResources, type ResourceText, splitResources } from './resource-text.js';

/** One instance as text in the client's layout, and the resource it stands in. */
export interface ContentInstance {
  node: InstanceNode;
  text: string;
  resource: ResourceText;
}

/** A small version 4 document taken apart: what a run was given, or what it left. */
export interface StateContent {
  terraformVersion: string | undefined;
  /** by key */
  instances: ReadonlyMap<string, ContentInstance>;
  /** JSON text by name */
  outputs: ReadonlyMap<string, string>;
  /** JSON text by configuration address */
  checks: ReadonlyMap<string, string>;
}

const RESOURCE_INDENT = '      ';
const INSTANCE_INDENT = '        ';

/**
 * Reads a whole document at once, whatever the order of its members.
 * Throws NotJson, NotAState or Undecomposable.
 */
export function readContent(bytes: Buffer, owner: Owner): StateContent {
  const members = topLevelMembers(bytes);
  if (members.get('version') !== '4') throw new NotAState('the document is not of version 4');
  const list = parseRaw(members.get('resources') ?? '[]');
  if (!isArray(list)) throw new NotAState('resources is not a list');
  const run = joinResources(list.items.map(inClientLayout), false);
  const { nodes } = parseChunk(run, undefined, CHUNK_KINDS.resources, owner);
  const resources = splitResources(run, undefined);
  const instances = new Map<string, ContentInstance>();
  let at = 0;
  for (const resource of resources)
    for (const { text } of resource.instances) {
      const node = nodes[at++];
      if (!node) throw new NotAState('the instances of the document cannot be told apart');
      if (instances.has(node.key)) throw new NotAState('an instance appears more than once');
      instances.set(node.key, { node, text, resource });
    }
  const version = members.get('terraform_version');
  return {
    terraformVersion: version?.startsWith('"') ? (JSON.parse(version) as string) : undefined,
    instances,
    outputs: membersOf(members.get('outputs')),
    checks: checksOf(members.get('check_results')),
  };
}

/** With `instances` as its last member, as the client writes it. */
function inClientLayout(resource: RawJson): ResourceText {
  if (!isObject(resource)) throw new NotAState('a resource is not an object');
  const instances = resource.entries.find(([name]) => name === 'instances')?.[1] ?? { items: [] };
  if (!isArray(instances)) throw new NotAState('the instances of a resource are not a list');
  const header: RawObject = { entries: resource.entries.filter(([name]) => name !== 'instances') };
  const lines = header.entries.map(
    ([name, value]) => `\n${RESOURCE_INDENT}${JSON.stringify(name)}: ${pretty(value, RESOURCE_INDENT)},`,
  );
  return {
    address: '',
    header: '',
    head: `{${lines.join('')}\n${RESOURCE_INDENT}"instances": [`,
    instances: instances.items.map((item) => ({ key: '', text: pretty(item, INSTANCE_INDENT) })),
    tail: ']\n    }',
  };
}
