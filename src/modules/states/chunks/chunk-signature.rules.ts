import { crc32 } from 'node:zlib';
import { type InstanceNode, withoutKeys } from '../../documents/index.js';

/** Instances that are looked for: by their own keys, or as all of a resource. */
export interface WantedInstances {
  keys?: ReadonlySet<string>;
  /** addresses of resources */
  resources?: ReadonlySet<string>;
  /** addresses of resources without any keys of modules (`module.net.aws_subnet.a`) */
  configs?: ReadonlySet<string>;
}

/** 32 bits of each thing that is wanted. */
export class Fingerprints {
  readonly keys: ReadonlySet<number>;
  readonly resources: ReadonlySet<number>;
  readonly configs: ReadonlySet<number>;

  constructor({ keys, resources, configs }: WantedInstances) {
    this.keys = new Set([...(keys ?? [])].map(ofKey));
    this.resources = new Set([...(resources ?? [])].map(ofText));
    this.configs = new Set([...(configs ?? [])].map(ofText));
  }

  get isEmpty(): boolean {
    return this.keys.size + this.resources.size + this.configs.size === 0;
  }
}

/**
 * What a chunk lists, as 32 bits of each name: a twentieth of the list itself, so that those of large states stay in
 * memory. It may promise what the chunk does not hold, but never leaves out what it does.
 */
export class ChunkSignature {
  private readonly keys: Uint32Array;
  private readonly resources: Uint32Array;
  private readonly configs: Uint32Array;

  constructor(nodes: readonly Pick<InstanceNode, 'key' | 'resourceAddress' | 'module'>[]) {
    this.keys = Uint32Array.from(nodes, ({ key }) => ofKey(key));
    const resources = new Map(nodes.map((node) => [node.resourceAddress, node]));
    this.resources = Uint32Array.from(resources.keys(), ofText);
    this.configs = Uint32Array.from(
      new Set([...resources.values()].map((node) => configAddressOf(node))),
      ofText,
    );
  }

  mayHold({ keys, resources, configs }: Fingerprints): boolean {
    return anyOf(this.keys, keys) || anyOf(this.resources, resources) || anyOf(this.configs, configs);
  }

  /** numbers held */
  get size(): number {
    return this.keys.length + this.resources.length + this.configs.length;
  }
}

/** The address of an instance's resource without any keys. */
export function configAddressOf({
  resourceAddress,
  module,
}: Pick<InstanceNode, 'resourceAddress' | 'module'>): string {
  return module === undefined ? resourceAddress : withoutKeys(resourceAddress);
}

function anyOf(held: Uint32Array, wanted: ReadonlySet<number>): boolean {
  if (wanted.size === 0) return false;
  for (const one of held) if (wanted.has(one)) return true;
  return false;
}

/** Keys are hashes themselves. */
function ofKey(key: string): number {
  return Number.parseInt(key.slice(0, 8), 16);
}

function ofText(text: string): number {
  return crc32(text);
}
