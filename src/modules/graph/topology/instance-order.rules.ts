import { instanceAddress, keyOf, resourceAddress } from '../../documents/index.js';
import { configAddress } from './config-address.rules.js';
import type { InstanceCatalog, ResourceKind } from './instance-catalog.js';
import { type ModuleOrder, orderModules } from './module-order.rules.js';

/** Instances of one resource: a run of nodes with the same module and kind. */
export interface Place {
  group: Group;
  module: number;
  kind: number;
  /** rows of the catalogue in node order */
  rows: number[];
}

/** Nodes of one configuration address; deposed objects are groups of their own, which nothing depends on. */
export interface Group {
  address: string;
  /** a module of the group, for the names of its steps */
  module: number;
  deposed: boolean;
  /** numbers of the dependency lists its instances bring */
  lists: Set<number>;
  places: Place[];
}

/**
 * The instances of a state in the order of the graph: by configuration address, module keys and instance key, so that
 * "all instances of B under these module keys" is a range of nodes. Deposed objects come last.
 */
export class OrderedInstances {
  readonly groups: Group[];
  readonly places: Place[];
  readonly modules: ModuleOrder;
  /** catalogue row of each node */
  readonly rows: Uint32Array;
  /** nodes from here on are deposed */
  readonly live: number;
  /** first node of each group, and the number of nodes at the end */
  readonly groupStart: Uint32Array;
  /** place of each node */
  readonly placeOf: Uint32Array;

  constructor(readonly catalog: InstanceCatalog) {
    this.modules = orderModules(catalog.values.modules);
    this.groups = this.collect().sort(
      (a, b) =>
        Number(a.deposed) - Number(b.deposed) ||
        compare(a.address, b.address) ||
        compare(this.namesOf(a), this.namesOf(b)),
    );
    const indexRank = rankOf(catalog.values.indexes);
    this.places = [];
    this.rows = new Uint32Array(catalog.size);
    this.placeOf = new Uint32Array(catalog.size);
    this.groupStart = new Uint32Array(this.groups.length + 1);
    const { index, deposed } = catalog.rows;
    const { rank } = this.modules;
    let node = 0;
    this.groups.forEach((group, number) => {
      this.groupStart[number] = node;
      group.places.sort(
        (a, b) =>
          (rank[a.module] ?? 0) - (rank[b.module] ?? 0) || compare(this.providerOf(a), this.providerOf(b)),
      );
      for (const place of group.places) {
        place.rows.sort(
          (a, b) =>
            (indexRank[index[a] ?? 0] ?? 0) - (indexRank[index[b] ?? 0] ?? 0) ||
            compare(deposed[a] ?? '', deposed[b] ?? ''),
        );
        for (const row of place.rows) {
          this.rows[node] = row;
          this.placeOf[node++] = this.places.length;
        }
        this.places.push(place);
      }
    });
    this.groupStart[this.groups.length] = node;
    const firstDeposed = this.groups.findIndex((group) => group.deposed);
    this.live = firstDeposed === -1 ? node : (this.groupStart[firstDeposed] ?? node);
  }

  get size(): number {
    return this.rows.length;
  }

  kindAt(node: number): ResourceKind | undefined {
    return this.catalog.values.kinds[this.places[this.placeOf[node] ?? 0]?.kind ?? 0];
  }

  addressOf(node: number): string {
    const row = this.rows[node] ?? 0;
    const place = this.places[this.placeOf[node] ?? 0];
    const { indexes } = this.catalog.values;
    return place ? instanceAddress(this.resourceAt(place), indexes[this.catalog.rows.index[row] ?? 0]) : '';
  }

  /** Key of the stored row. */
  keyAt(node: number): string {
    return keyOf(this.addressOf(node), this.catalog.rows.deposed[this.rows[node] ?? 0]);
  }

  resourceAt({ module, kind }: Place): string {
    const { mode, type, name } = this.catalog.values.kinds[kind] ?? NO_KIND;
    return resourceAddress(this.catalog.values.modules[module] || undefined, mode, type, name);
  }

  /** Deposed objects of one address stand apart by what they depend on; numbers depend on who came first. */
  private namesOf({ lists }: Group): string {
    return [...lists].map((list) => (this.catalog.values.lists[list] ?? []).join('\0')).join('\u0001');
  }

  private providerOf({ kind }: Place): string {
    return this.catalog.values.kinds[kind]?.provider ?? '';
  }

  private collect(): Group[] {
    const groups = new Map<string, Group>();
    const places = new Map<string, Place>();
    const { module, kind, list, deposed } = this.catalog.rows;
    for (let row = 0; row < module.length; row++) {
      const [m, k, l] = [module[row] ?? 0, kind[row] ?? 0, list[row] ?? 0];
      // Deposed objects keep their own dependencies, so those with different ones stay apart.
      const isDeposed = deposed[row] !== undefined;
      const id = isDeposed ? `${m} ${k} ${l}` : `${m} ${k}`;
      let place = places.get(id);
      if (!place) {
        place = this.place(groups, m, k, isDeposed ? l : undefined);
        places.set(id, place);
      }
      place.rows.push(row);
      place.group.lists.add(l);
    }
    return [...groups.values()];
  }

  private place(groups: Map<string, Group>, module: number, kind: number, list: number | undefined): Place {
    const { mode, type, name } = this.catalog.values.kinds[kind] ?? NO_KIND;
    const address = configAddress(this.modules.config[module] ?? '', mode, type, name);
    const id = list === undefined ? address : `${address}\0${list}`;
    let group = groups.get(id);
    if (!group) {
      group = { address, module, deposed: list !== undefined, lists: new Set(), places: [] };
      groups.set(id, group);
    }
    const place: Place = { group, module, kind, rows: [] };
    group.places.push(place);
    return place;
  }
}

const NO_KIND: ResourceKind = { mode: '', type: '', name: '', provider: '' };

/** Position of each instance key: none, then numbers, then strings. */
function rankOf(indexes: readonly (string | number | undefined)[]): Uint32Array {
  const rank = new Uint32Array(indexes.length);
  indexes
    .map((_, number) => number)
    .sort((a, b) => compareIndexes(indexes[a], indexes[b]))
    .forEach((number, position) => (rank[number] = position));
  return rank;
}

function compareIndexes(a: string | number | undefined, b: string | number | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compare(a, b);
  return kindRank(a) - kindRank(b);
}

function kindRank(index: string | number | undefined): number {
  return index === undefined ? 0 : typeof index === 'number' ? 1 : 2;
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
