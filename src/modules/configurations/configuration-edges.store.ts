import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { keyOf } from '../documents/index.js';
import type { GraphView, StoredGraph } from './change-closure.rules.js';
import { ConfigurationStore } from './configuration.store.js';

/** Inheritance counts where neither the change nor a node that stays says what the point is. */
const INHERITS = `e.kind = 'i' AND NOT e.source = ANY($4::uuid[]) AND NOT EXISTS (
  SELECT FROM configuration_edges d WHERE d.state_id = $1 AND d.source = e.source AND d.kind <> 'i'
    AND NOT d.owner = ANY($3::uuid[]))`;

/** Edges of stored configurations. Each question is one statement, whose cost is what it finds. */
@Injectable()
export class ConfigurationEdges {
  constructor(
    private readonly work: UnitOfWork,
    private readonly store: ConfigurationStore,
  ) {}

  findEdges(stateId: string): StoredGraph {
    const points = async (text: string, parameters: unknown[]): Promise<string[]> => {
      const rows = await this.work.query<{ point: string }>(text, parameters);
      return rows.map((row) => row.point);
    };
    const followed =
      (text: string) =>
      (from: readonly string[], { replaced, defined }: GraphView) =>
        points(text, [stateId, from, replaced, defined]);
    return {
      nodes: (ids) =>
        this.store.ofKeys(
          stateId,
          ids.map((id) => keyOf(id)),
        ),
      nodesAmong: (keys) =>
        points('SELECT key AS point FROM state_configuration WHERE state_id = $1 AND key = ANY($2::uuid[])', [
          stateId,
          keys,
        ]),
      dependents: followed(
        `WITH RECURSIVE reached (point) AS (SELECT unnest($2::uuid[]) UNION
           SELECT e.source FROM reached r JOIN configuration_edges e ON e.state_id = $1 AND e.target = r.point
             AND e.kind <> 'n' AND (e.kind = 'a' OR (${INHERITS})))
         SELECT point FROM reached`,
      ),
      needs: followed(
        `WITH RECURSIVE reached (point) AS (SELECT unnest($2::uuid[]) UNION
           SELECT e.target FROM reached r JOIN configuration_edges e ON e.state_id = $1 AND e.source = r.point
             AND NOT e.owner = ANY($3::uuid[]) AND (e.kind <> 'i' OR (${INHERITS})))
         SELECT point FROM reached`,
      ),
      defined: (keys, { replaced }) =>
        points(
          `SELECT DISTINCT source AS point FROM configuration_edges WHERE state_id = $1 AND source = ANY($2::uuid[])
             AND kind <> 'i' AND NOT owner = ANY($3::uuid[])`,
          [stateId, keys, replaced],
        ),
      meant: (keys) =>
        points(
          `WITH RECURSIVE reached (point) AS (SELECT unnest($2::uuid[]) UNION
             SELECT e.target FROM reached r JOIN configuration_edges e ON e.state_id = $1 AND e.source = r.point
               AND (e.kind <> 'i' OR (${INHERITS}))
               AND NOT EXISTS (SELECT FROM state_configuration n WHERE n.state_id = $1 AND n.key = r.point))
           SELECT point FROM reached`,
          [stateId, keys, [], []],
        ),
    };
  }
}
