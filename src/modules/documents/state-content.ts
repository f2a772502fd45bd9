import { CHUNK_KINDS, parseChunk } from './document-reader.js';
import { membersOf, NotAState, topLevelMembers } from './document-frame.js';
import { checksOf } from './frame-text.js';
import type { InstanceNode } from './instance-node.js';
import { isArray, parseRaw } from './raw-json.js';
import type { Owner } from './instance-tuple.js';
import { inClientLayout, joinResources, type ResourceText } from './resource-text.js';

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

/**
 * Reads a whole document at once, whatever the order of its members.
 * Throws NotJson, NotAState or Undecomposable.
 */
export function readContent(bytes: Buffer, owner: Owner): StateContent {
  const members = topLevelMembers(bytes);
  if (members.get('version') !== '4') throw new NotAState('the document is not of version 4');
  const list = parseRaw(members.get('resources') ?? '[]');
  if (!isArray(list)) throw new NotAState('resources is not a list');
  const resources = list.items.map(inClientLayout);
  const { nodes } = parseChunk(
    joinResources(resources, { trailingComma: false }),
    undefined,
    CHUNK_KINDS.resources,
    owner,
  );
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
