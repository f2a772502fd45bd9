import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { sharedSteps } from '../topology/config-address.rules.js';
import type { DependencyGraph } from '../topology/dependency-graph.rules.js';

/** What one configuration address, or one deposed instance, depends on. */
interface Row {
  dependencies: string[];
  shared: number[];
}

/** Dependencies between configuration addresses as rows, for SQL: instances are joined by the query that asks. */
@Injectable()
export class ConfigDependencies {
  constructor(private readonly work: UnitOfWork) {}

  /** Rows that stay as they are are not written. */
  async store(stateId: string, graph: DependencyGraph): Promise<void> {
    const rows = rowsOf(graph);
    const list = (values: readonly (string | number)[]) => `{${values.join(',')}}`;
    await this.work.query(
      `WITH named AS (
         SELECT u AS dependent, d::uuid[] AS dependencies, s::smallint[] AS shared FROM unnest($2::uuid[], $3::text[], $4::text[]) AS n (u, d, s)
       ), gone AS (
         DELETE FROM config_dependencies c WHERE c.state_id = $1 AND NOT EXISTS (SELECT FROM named WHERE named.dependent = c.dependent)
       )
       INSERT INTO config_dependencies AS c (state_id, dependent, dependencies, shared) SELECT $1, dependent, dependencies, shared FROM named
       ON CONFLICT (state_id, dependent) DO UPDATE SET dependencies = excluded.dependencies, shared = excluded.shared
         WHERE (c.dependencies, c.shared) IS DISTINCT FROM (excluded.dependencies, excluded.shared)`,
      [
        stateId,
        [...rows.keys()],
        [...rows.values()].map((row) => list(row.dependencies)),
        [...rows.values()].map((row) => list(row.shared)),
      ],
    );
  }
}

function rowsOf({ nodes, topology }: DependencyGraph): Map<string, Row> {
  const { groups, modules, groupStart } = nodes;
  const keys = groups.map((group) => configKey(group.address));
  const steps = groups.map((group) => modules.steps[group.module] ?? []);
  const rows = new Map<string, Row>();
  topology.eachEdge((_edge, dependency, dependent) => {
    const shared = sharedSteps(steps[dependency] ?? [], steps[dependent] ?? []);
    for (const key of dependentKeys(dependent)) {
      const row = rows.get(key) ?? { dependencies: [], shared: [] };
      row.dependencies.push(keys[dependency] ?? '');
      row.shared.push(shared);
      rows.set(key, row);
    }
  });
  return rows;

  /** Deposed objects keep dependencies of their own. */
  function dependentKeys(group: number): string[] {
    if (groups[group]?.deposed !== true) return [keys[group] ?? ''];
    const found: string[] = [];
    for (let node = groupStart[group] ?? 0; node < (groupStart[group + 1] ?? 0); node++)
      found.push(nodes.keyAt(node));
    return found;
  }
}

/** As the function `config_key` of the database computes it. */
function configKey(address: string): string {
  const hex = createHash('md5').update(address).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
