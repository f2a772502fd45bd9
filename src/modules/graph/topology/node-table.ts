import { storableText } from '../../../platform/database/storable-text.js';
import { instanceAddress, resourceAddress } from '../../documents/index.js';
import { InstanceCatalog, type ResourceKind } from './instance-catalog.js';
import type { OrderedInstances } from './instance-order.rules.js';
import { packColumns, unpackColumns } from './packed-columns.js';
import { StringTable, StringTableWriter } from './string-table.js';

const INDEX_NONE = 0;
const INDEX_NUMBER = 1;
const INDEX_STRING = 2;

/** Position of each column in the stored form. */
const COLUMNS = [
  'head',
  'placeStart',
  'placeModule',
  'placeKind',
  'index',
  'list',
  'deposed',
  'module',
  'kind',
  'indexForm',
  'indexText',
  'listStart',
  'listNames',
  'stringStart',
] as const;
type Column = (typeof COLUMNS)[number];

/** How an instance is told from the others of its state. */
export interface InstanceIdentity extends ResourceKind {
  module: string | null;
  index_key: string | number | null;
  deposed: string | null;
}

export function encodeNodes({ catalog, places, rows, placeOf, live }: OrderedInstances): Buffer {
  const strings = new StringTableWriter();
  const { modules, kinds, indexes, lists } = catalog.values;
  const placeStart = new Uint32Array(places.length + 1).fill(rows.length);
  for (let node = rows.length - 1; node >= 0; node--) placeStart[placeOf[node] ?? 0] = node;
  const listStart = new Uint32Array(lists.length + 1);
  lists.forEach((list, number) => (listStart[number + 1] = (listStart[number] ?? 0) + list.length));
  const columns: Record<Column, Uint32Array> = {
    head: Uint32Array.of(rows.length, live),
    placeStart,
    placeModule: Uint32Array.from(places, (place) => place.module),
    placeKind: Uint32Array.from(places, (place) => place.kind),
    index: rows.map((row) => catalog.rows.index[row] ?? 0),
    list: rows.map((row) => catalog.rows.list[row] ?? 0),
    deposed: rows.subarray(live).map((row) => strings.numberOf(catalog.rows.deposed[row] ?? '')),
    module: Uint32Array.from(modules, (module) => strings.numberOf(module)),
    kind: Uint32Array.from(
      kinds.flatMap(({ mode, type, name, provider }) =>
        [mode, type, name, provider].map((part) => strings.numberOf(part)),
      ),
    ),
    indexForm: Uint32Array.from(indexes, (index) =>
      index === undefined ? INDEX_NONE : typeof index === 'number' ? INDEX_NUMBER : INDEX_STRING,
    ),
    indexText: Uint32Array.from(indexes, (index) => strings.numberOf(String(index ?? ''))),
    listStart,
    listNames: Uint32Array.from(lists.flat(), (name) => strings.numberOf(name)),
    stringStart: new Uint32Array(),
  };
  const { starts, text } = strings.finish();
  columns.stringStart = starts;
  return packColumns({ columns: COLUMNS.map((name) => columns[name]), text });
}

/** The stored nodes of a state in graph order. Strings are decoded one by one, when asked for. */
export class NodeTable {
  readonly size: number;
  private readonly live: number;
  private readonly columns: Record<Column, Uint32Array>;
  private readonly strings: StringTable;
  private lookup: { places: Map<string, number>; indexes: Map<string, number> } | undefined;

  constructor(stored: Buffer) {
    const { columns, text } = unpackColumns(stored);
    const named = Object.fromEntries(COLUMNS.map((name, i) => [name, columns[i] ?? new Uint32Array()]));
    this.columns = named as Record<Column, Uint32Array>;
    this.strings = new StringTable(this.columns.stringStart, text);
    this.size = this.columns.head[0] ?? 0;
    this.live = this.columns.head[1] ?? 0;
  }

  addressOf(node: number): string {
    return instanceAddress(this.resourceAddressOf(node), this.indexOf(node));
  }

  resourceAddressOf(node: number): string {
    const place = this.placeOf(node);
    const { mode, type, name } = this.kind(this.columns.placeKind[place] ?? 0);
    return resourceAddress(this.module(this.columns.placeModule[place] ?? 0) || undefined, mode, type, name);
  }

  /** Type of the instance, and address of its module; null in the root module. */
  kindOf(node: number): { type: string; module: string | null } {
    const place = this.placeOf(node);
    const { type } = this.kind(this.columns.placeKind[place] ?? 0);
    return { type, module: this.module(this.columns.placeModule[place] ?? 0) || null };
  }

  indexOf(node: number): string | number | undefined {
    return this.index(this.columns.index[node] ?? 0);
  }

  /** Ordinal of an instance, or undefined. */
  find(wanted: InstanceIdentity): number | undefined {
    this.lookup ??= { places: this.places(), indexes: this.indexes() };
    const place = this.lookup.places.get(placeName(wanted.module ?? '', wanted));
    const index = this.lookup.indexes.get(indexName(wanted.index_key ?? undefined));
    if (index === undefined) return undefined;
    if (wanted.deposed !== null) return this.findDeposed(wanted, index);
    if (place === undefined) return undefined;
    const [from, to] = [this.columns.placeStart[place] ?? 0, this.columns.placeStart[place + 1] ?? 0];
    const { index: column } = this.columns;
    // Most instances of a count stand where their number says.
    const guess = from + (typeof wanted.index_key === 'number' ? wanted.index_key : 0);
    if (guess < to && column[guess] === index) return guess;
    const found = column.subarray(from, to).indexOf(index);
    return found === -1 ? undefined : from + found;
  }

  /** The instances again, for the next change. */
  catalog(): InstanceCatalog {
    const { module, kind, indexForm, listStart, placeStart, placeModule, placeKind, index, list } =
      this.columns;
    const numbers = { module: new Array<number>(this.size), kind: new Array<number>(this.size) };
    placeModule.forEach((moduleNumber, place) => {
      const [from, to] = [placeStart[place] ?? 0, placeStart[place + 1] ?? 0];
      numbers.module.fill(moduleNumber, from, to);
      numbers.kind.fill(placeKind[place] ?? 0, from, to);
    });
    const deposed = new Array<string | undefined>(this.size).fill(undefined);
    for (let node = this.live; node < this.size; node++) deposed[node] = this.deposedAt(node);
    return new InstanceCatalog(
      {
        modules: Array.from(module, (_, number) => this.module(number)),
        kinds: Array.from({ length: kind.length / 4 }, (_, number) => this.kind(number)),
        indexes: Array.from(indexForm, (_, number) => this.index(number)),
        lists: Array.from({ length: Math.max(0, listStart.length - 1) }, (_, number) => this.list(number)),
      },
      { ...numbers, index: Array.from(index), list: Array.from(list), deposed },
    );
  }

  /** Number of the module that a resource lies in. */
  moduleOf(place: number): number {
    return this.columns.placeModule[place] ?? 0;
  }

  /** Number of the resource that a node is an instance of. */
  placeOf(node: number): number {
    const { placeStart } = this.columns;
    let [low, high] = [0, placeStart.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((placeStart[middle] ?? 0) <= node) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  private findDeposed(wanted: InstanceIdentity, index: number): number | undefined {
    for (let node = this.live; node < this.size; node++) {
      if (this.columns.index[node] !== index || this.deposedAt(node) !== wanted.deposed) continue;
      const place = this.placeOf(node);
      const module = this.module(this.columns.placeModule[place] ?? 0);
      const kind = this.kind(this.columns.placeKind[place] ?? 0);
      if (placeName(module, kind) === placeName(wanted.module ?? '', wanted)) return node;
    }
    return undefined;
  }

  private places(): Map<string, number> {
    const found = new Map<string, number>();
    const { placeStart, placeModule, placeKind } = this.columns;
    const kinds = Array.from({ length: this.columns.kind.length / 4 }, (_, number) => this.kind(number));
    const modules = Array.from(this.columns.module, (_, number) => this.module(number));
    placeModule.forEach((module, place) => {
      const kind = kinds[placeKind[place] ?? 0];
      if ((placeStart[place] ?? 0) < this.live && kind)
        found.set(placeName(modules[module] ?? '', kind), place);
    });
    return found;
  }

  private indexes(): Map<string, number> {
    const values = Array.from(this.columns.indexForm, (_, number) => this.index(number));
    return new Map(values.map((index, number) => [indexName(index), number]));
  }

  private deposedAt(node: number): string {
    return this.strings.at(this.columns.deposed[node - this.live] ?? 0);
  }

  private module(number: number): string {
    return this.strings.at(this.columns.module[number] ?? 0);
  }

  private kind(number: number): ResourceKind {
    const part = (offset: number) => this.strings.at(this.columns.kind[number * 4 + offset] ?? 0);
    return { mode: part(0), type: part(1), name: part(2), provider: part(3) };
  }

  private index(number: number): string | number | undefined {
    const form = this.columns.indexForm[number] ?? INDEX_NONE;
    if (form === INDEX_NONE) return undefined;
    const text = this.strings.at(this.columns.indexText[number] ?? 0);
    return form === INDEX_NUMBER ? Number(text) : text;
  }

  private list(number: number): string[] {
    const [from, to] = [this.columns.listStart[number] ?? 0, this.columns.listStart[number + 1] ?? 0];
    return Array.from(this.columns.listNames.subarray(from, to), (name) => this.strings.at(name));
  }
}

function placeName(module: string, { mode, type, name, provider }: ResourceKind): string {
  return `${module}\0${mode}\0${type}\0${name}\0${provider}`;
}

/** Rows of the database cannot hold a NUL. */
function indexName(index: string | number | undefined): string {
  return storableText(`${typeof index} ${index ?? ''}`);
}
