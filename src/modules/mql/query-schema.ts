import type { MqlSchemaView } from './dto/mql.dto.js';
import type { QueryTable } from './tables/query-table.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from './analysis/row-limits.rules.js';

/** The answer of /mql/schema, from the definitions the views are made of. */
export function schemaOf(tables: Iterable<QueryTable>): MqlSchemaView {
  const described = [...tables].map(({ name, description, columns }) => [
    name,
    {
      description,
      columns: Object.fromEntries(
        Object.entries(columns).map(([column, { type, description: meaning }]) => [
          column,
          { type, description: meaning },
        ]),
      ),
    },
  ]);
  return {
    default_limit: DEFAULT_LIMIT,
    max_limit: MAX_LIMIT,
    tables: Object.fromEntries(described) as MqlSchemaView['tables'],
  };
}
