import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';

/** Columns by table, with their types. */
export type Tables = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Tables that a query reads, as far as it is written. */
export function tablesIn(sql: string, tables: Tables): string[] {
  const named = [...sql.matchAll(/\b(?:from|join|,)\s+"?([a-z_]+)"?/gi)].map(([, name]) =>
    (name ?? '').toLowerCase(),
  );
  return [...new Set(named)].filter((name) => Object.hasOwn(tables, name));
}

/** Offers columns of the tables in the query first, then tables, then all other columns. */
export function completeSql(tables: Tables): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const word = context.matchBefore(/[\w]+$/);
    if (!word && !context.explicit) return null;
    const used = new Set(tablesIn(context.state.doc.toString(), tables));
    const options = Object.entries(tables).flatMap(([table, columns]) => [
      { label: table, type: 'class', boost: 1 },
      ...Object.entries(columns).map(([column, type]) => ({
        label: column,
        type: 'property',
        // With a space: screen readers read it together with the name.
        detail: ` ${table}, ${type}`,
        boost: used.has(table) ? 50 : -50,
      })),
    ]);
    return { from: word?.from ?? context.pos, options, validFor: /^\w*$/ };
  };
}
