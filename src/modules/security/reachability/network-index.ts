import {
  type Attributes,
  elementsOf,
  type Json,
  textOf,
  UNKNOWN,
  valueAt,
} from '../engine/attribute-path.rules.js';
import { normalizedId } from '../engine/linked-ids.rules.js';
import type { NetworkInstance } from './reachability.js';

/** Instances by type and by every id that others name them with. */
export class NetworkIndex {
  private readonly types = new Map<string, NetworkInstance[]>();
  private readonly ids = new Map<string, NetworkInstance>();

  constructor(instances: readonly NetworkInstance[], idNames: readonly string[]) {
    for (const instance of instances) {
      const known = this.types.get(instance.type);
      if (known === undefined) this.types.set(instance.type, [instance]);
      else known.push(instance);
      for (const name of idNames) {
        const id = knownText(instance.attributes, name);
        if (id !== undefined) this.ids.set(`${instance.type} ${normalizedId(id)}`, instance);
      }
    }
  }

  ofTypes(...types: readonly string[]): NetworkInstance[] {
    return types.flatMap((type) => this.types.get(type) ?? []);
  }

  find(id: string, ...types: readonly string[]): NetworkInstance | undefined {
    for (const type of types) {
      const found = this.ids.get(`${type} ${normalizedId(id)}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** A non-empty text that is known. */
export function knownText(attributes: Json, path: string): string | undefined {
  const text = textOf(valueAt(attributes, path));
  return text === undefined || text === '' || text === UNKNOWN ? undefined : text;
}

/** The known texts of a list or single value. */
export function knownTexts(attributes: Attributes | Json, path: string): string[] {
  return elementsOf(valueAt(attributes, path)).flatMap((item) => {
    const text = textOf(item);
    return text === undefined || text === '' || text === UNKNOWN ? [] : [text];
  });
}

export function isUnknown(attributes: Json, path: string): boolean {
  const value = valueAt(attributes, path);
  return value === UNKNOWN || elementsOf(value).includes(UNKNOWN);
}

/** true, false, or undefined when absent or unknown. */
export function flag(attributes: Json, path: string): boolean | undefined {
  const text = textOf(valueAt(attributes, path))?.toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/** The elements of a list of blocks. */
export function blocks(attributes: Json, path: string): Json[] {
  return elementsOf(valueAt(attributes, path)).filter((item) => typeof item === 'object' && item !== null);
}
