import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { decodePageToken, encodePageToken } from '../../platform/http/index.js';
import { ADDRESS_START, instanceConditions } from './instance-filter.js';
import { LoadedGraphs } from './loaded-graphs.js';

interface InstanceRow {
  key: string;
  start: string;
  view: string;
}

export interface InstancePage {
  /** JSON text of the rows: attributes are never parsed here, so that no number loses a digit */
  results: string;
  next: string | undefined;
}

@Injectable()
export class InstanceQueries {
  constructor(
    private readonly work: UnitOfWork,
    private readonly graphs: LoadedGraphs,
  ) {}

  /** By address; one statement for the rows, and the decoded graph for what each depends on. */
  async list(stateId: string, q: string, limit: number, page: string | undefined): Promise<InstancePage> {
    const values: unknown[] = [stateId];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const conditions = ['i.state_id = $1', ...instanceConditions(q, bind)];
    if (page !== undefined) {
      const [start, key] = decodePageToken(page, 2);
      conditions.push(`(${ADDRESS_START}, i.key) > (${bind(start)}, ${bind(key)}::uuid)`);
    }
    const rows = await this.work.query<InstanceRow>(
      `SELECT i.key, ${ADDRESS_START} AS start, json_strip_nulls(json_build_object(
          'resource_address', i.resource_address, 'mode', i.mode, 'name', i.name, 'index_key', i.index_key, 'deposed', i.deposed,
          'status', i.status, 'schema_version', i.schema_version, 'create_before_destroy', i.create_before_destroy,
          'address', i.address, 'type', i.type, 'provider', i.provider))::text
          || chr(1) || coalesce(to_json(i.module)::text, 'null') || chr(1) || i.attributes::text || chr(1) || coalesce(i.sensitive_attributes::text, '[]') AS view
       FROM instances i WHERE ${conditions.join(' AND ')} ORDER BY ${ADDRESS_START}, i.key LIMIT ${bind(limit + 1)}`,
      values,
    );
    const kept = rows.slice(0, limit);
    const dependencies = await this.graphs.dependenciesOf(
      stateId,
      kept.map((row) => row.key),
    );
    const last = kept.at(-1);
    return {
      results: `[${kept.map((row) => instanceJson(row.view, dependencies.get(row.key) ?? [])).join(',')}]`,
      next: rows.length > limit && last ? encodePageToken([last.start, last.key]) : undefined,
    };
  }
}

/** Puts the parts of a row together as text. */
function instanceJson(view: string, dependencies: readonly string[]): string {
  const [head = '{}', module = 'null', attributes = '{}', sensitive = '[]'] = view.split('\u0001');
  const paths = sensitive === '[]' || sensitive === 'null' ? '' : `,"sensitive_attributes":${sensitive}`;
  return `${head.slice(0, -1)},"module":${module},"attributes":${attributes},"dependencies":${JSON.stringify(dependencies)}${paths}}`;
}
