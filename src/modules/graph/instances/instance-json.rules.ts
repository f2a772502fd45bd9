import type { LoadedGraph } from '../topology/loaded-graphs.js';

/** A row of `instances` as the list reads it; JSON columns as text, so that no number loses a digit. */
export interface InstanceRow {
  key: string;
  address: string;
  resource_address: string;
  mode: string;
  type: string;
  name: string;
  module: string | null;
  provider: string;
  index_key: string | null;
  deposed: string | null;
  status: string | null;
  schema_version: string | null;
  create_before_destroy: boolean;
  sensitive_attributes: string | null;
  attributes: string;
  /** of the state's graph */
  graph_version: number | null;
}

/** Writes instances as JSON text, with what each directly depends on. */
export class InstanceJson {
  /** addresses of a range of nodes as a JSON list without brackets: instances of one resource share them */
  private readonly ranges = new Map<string, string>();

  constructor(private readonly graph: LoadedGraph | undefined) {}

  textOf(row: InstanceRow): string {
    const head = JSON.stringify({
      address: row.address,
      type: row.type,
      provider: row.provider,
      module: row.module,
      resource_address: row.resource_address,
      mode: row.mode,
      name: row.name,
      create_before_destroy: row.create_before_destroy,
      ...(row.deposed === null ? {} : { deposed: row.deposed }),
      ...(row.status === null ? {} : { status: row.status }),
      ...(row.schema_version === null ? {} : { schema_version: Number(row.schema_version) }),
    });
    const index = row.index_key === null ? '' : `,"index_key":${row.index_key}`;
    const masked = row.sensitive_attributes;
    const sensitive =
      masked === null || masked === '[]' || masked === 'null' ? '' : `,"sensitive_attributes":${masked}`;
    return `${head.slice(0, -1)}${index}${sensitive},"attributes":${row.attributes},"dependencies":[${this.dependencies(row)}]}`;
  }

  private dependencies(row: InstanceRow): string {
    const index = row.index_key === null ? null : (JSON.parse(row.index_key) as string | number);
    const node = this.graph?.nodes.find({ ...row, index_key: index });
    if (!this.graph || node === undefined) return '';
    return this.graph.topology
      .dependenciesOf(node)
      .map(({ from, to }) => this.addresses(from, to))
      .join(',');
  }

  private addresses(from: number, to: number): string {
    const id = `${from} ${to}`;
    let text = this.ranges.get(id);
    if (text === undefined) {
      const list: string[] = [];
      for (let node = from; node < to; node++) list.push(JSON.stringify(this.graph?.nodes.addressOf(node)));
      this.ranges.set(id, (text = list.join(',')));
    }
    return text;
  }
}
