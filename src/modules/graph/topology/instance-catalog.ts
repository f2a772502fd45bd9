import type { InstanceMeta } from '../../documents/index.js';

/** What the graph needs to know of an instance. */
export type CataloguedInstance = Pick<
  InstanceMeta,
  'module' | 'mode' | 'type' | 'name' | 'provider' | 'indexKey' | 'deposed' | 'dependencies'
>;

/** What the instances of a resource share. */
export interface ResourceKind {
  mode: string;
  type: string;
  name: string;
  provider: string;
}

/** Distinct values with a number each. */
class Dictionary<T> {
  private readonly numbers = new Map<string, number>();

  constructor(
    readonly values: T[],
    private readonly nameOf: (value: T) => string,
  ) {
    values.forEach((value, number) => this.numbers.set(nameOf(value), number));
  }

  numberOf(value: T): number {
    const name = this.nameOf(value);
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    this.numbers.set(name, this.values.length);
    return this.values.push(value) - 1;
  }
}

/** The root module is the empty string. */
export interface CatalogueValues {
  modules: string[];
  kinds: ResourceKind[];
  indexes: (string | number | undefined)[];
  lists: (readonly string[])[];
}

/** Numbers into the values, a row per instance. */
export interface CatalogueRows {
  module: number[];
  kind: number[];
  index: number[];
  list: number[];
  deposed: (string | undefined)[];
}

/** The instances of one state as columns of small numbers: some 50 bytes each, however long their addresses are. */
export class InstanceCatalog {
  private readonly modules: Dictionary<string>;
  private readonly kinds: Dictionary<ResourceKind>;
  private readonly indexes: Dictionary<string | number | undefined>;
  private readonly lists: Dictionary<readonly string[]>;

  constructor(
    readonly values: CatalogueValues = { modules: [], kinds: [], indexes: [], lists: [] },
    private columns: CatalogueRows = { module: [], kind: [], index: [], list: [], deposed: [] },
  ) {
    this.modules = new Dictionary(values.modules, (module) => module);
    this.kinds = new Dictionary(
      values.kinds,
      (kind) => `${kind.mode}\0${kind.type}\0${kind.name}\0${kind.provider}`,
    );
    this.indexes = new Dictionary(values.indexes, (index) => `${typeof index} ${index ?? ''}`);
    this.lists = new Dictionary(values.lists, (list) => list.join('\0'));
  }

  get rows(): Readonly<CatalogueRows> {
    return this.columns;
  }

  get size(): number {
    return this.columns.module.length;
  }

  add(instance: CataloguedInstance): void {
    const { module, kind, index, list, deposed } = this.columns;
    module.push(this.modules.numberOf(instance.module ?? ''));
    kind.push(this.kinds.numberOf(kindOf(instance)));
    index.push(this.indexes.numberOf(instance.indexKey));
    list.push(this.listNumber(instance.dependencies));
    deposed.push(instance.deposed);
  }

  /** Takes out the instances with these addresses and deposed keys; what is not there is ignored. */
  remove(instances: readonly CataloguedInstance[]): void {
    if (instances.length === 0) return;
    const gone = new Set<string>();
    const places = new Set<number>();
    for (const instance of instances) {
      const module = this.modules.numberOf(instance.module ?? '');
      const kind = this.kinds.numberOf(kindOf(instance));
      places.add(this.place(module, kind));
      gone.add(identity(module, kind, this.indexes.numberOf(instance.indexKey), instance.deposed));
    }
    const { module, kind, index, list, deposed } = this.columns;
    const kept: CatalogueRows = { module: [], kind: [], index: [], list: [], deposed: [] };
    for (let row = 0; row < module.length; row++) {
      const [m, k, i] = [module[row] ?? 0, kind[row] ?? 0, index[row] ?? 0];
      if (places.has(this.place(m, k)) && gone.has(identity(m, k, i, deposed[row]))) continue;
      kept.module.push(m);
      kept.kind.push(k);
      kept.index.push(i);
      kept.list.push(list[row] ?? 0);
      kept.deposed.push(deposed[row]);
    }
    this.columns = kept;
  }

  /** Instances of a resource stand together and mostly name the same dependencies. */
  private listNumber(names: readonly string[]): number {
    const last = this.columns.list.at(-1) ?? -1;
    const before = this.values.lists[last];
    if (before?.length === names.length && names.every((name, i) => name === before[i])) return last;
    return this.lists.numberOf(names);
  }

  private place(module: number, kind: number): number {
    return module * 2 ** 26 + kind;
  }
}

function kindOf({ mode, type, name, provider }: CataloguedInstance): ResourceKind {
  return { mode, type, name, provider };
}

function identity(module: number, kind: number, index: number, deposed: string | undefined): string {
  return `${module} ${kind} ${index}${deposed === undefined ? '' : ` ${deposed}`}`;
}
