import { hint } from '../../../platform/text/did-you-mean.js';
import { QueryRefused } from '../mql.errors.js';
import type { QueryTable } from '../tables/query-table.js';
import type { Tree } from './query-tree.js';

/**
 * How an expression grows when every name in it is replaced by what it stands for: `refs` is the number of column
 * references, `size` how many column values its result can be as large as, `length` how many characters it has at most
 * when it is written as text, `parts` how many elements or members.
 */
export interface Expansion {
  refs: number;
  size: number;
  length: number;
  parts: number;
}

export interface SourceColumn extends Expansion {
  name: string;
  /** what its value takes each time (expression-effort.rules.ts) */
  effort?: number;
  /** what it is called where several columns of a relation have one name */
  sent?: string;
  /** holds documents or lists: compared last where an order has to be complete */
  wide?: boolean;
}

/** One item of FROM under its name. */
export interface Relation {
  alias: string;
  columns: readonly SourceColumn[];
  /** the table and the node that names it */
  base?: { table: QueryTable; node: Tree };
  /** its name alone means its only column, as it does for functions */
  scalar?: boolean;
}

/** A column as `*` and names without a qualifier see it; one merged by USING has no alias. */
export interface VisibleColumn {
  column: SourceColumn;
  alias: string | undefined;
}

export interface FromItem {
  relations: readonly Relation[];
  visible: readonly VisibleColumn[];
}

export const NOTHING: FromItem = { relations: [], visible: [] };

export type Resolution = { column: SourceColumn; relation: Relation | undefined; scalarOf?: Relation };

/** What names mean inside of one SELECT; outer queries are looked at when nothing is found, as PostgreSQL does. */
export class NameScope {
  constructor(
    readonly items: FromItem,
    private readonly parent: NameScope | undefined,
  ) {}

  /** `name` or `alias.name`; throws with a hint when there is none. */
  resolve(alias: string | undefined, name: string, location: number | undefined): Resolution {
    return alias === undefined ? this.unqualified(name, location) : this.qualified(alias, name, location);
  }

  relation(alias: string, location: number | undefined): Relation {
    const found = this.find((scope) => scope.items.relations.find((relation) => relation.alias === alias));
    if (found) return found;
    const known = this.all((scope) => scope.items.relations.map((relation) => relation.alias));
    throw new QueryRefused(
      'TABLE_ACCESS_ERR',
      `there is no table "${alias}" in FROM${hint(alias, known)}`,
      location,
    );
  }

  private qualified(alias: string, name: string, location: number | undefined): Resolution {
    const relation = this.relation(alias, location);
    const matches = relation.columns.filter((each) => each.name === name);
    const sent = relation.columns.find((each) => each.sent === name);
    if (matches.length > 1 && !sent) throw ambiguous(name, location);
    const column = sent ?? matches[0];
    if (column) return { column, relation };
    const known = relation.columns.map((each) => each.name);
    throw unknown(`${alias}.${name}`, name, known, location);
  }

  private unqualified(name: string, location: number | undefined): Resolution {
    const matches = this.items.visible.filter(({ column }) => column.name === name);
    if (matches.length > 1) throw ambiguous(name, location);
    const [match] = matches;
    if (match) {
      const relation = this.items.relations.find(({ alias }) => alias === match.alias);
      return { column: match.column, relation };
    }
    const scalar = this.items.relations.find(
      (relation) => relation.alias === name && relation.scalar === true,
    );
    const [only] = scalar?.columns ?? [];
    if (scalar && only) return { column: only, relation: scalar, scalarOf: scalar };
    if (this.items.relations.some((relation) => relation.alias === name))
      throw new QueryRefused(
        'UNKNOWN_COLUMN_ERR',
        `"${name}" is a table, name one of its columns or write ${name}.*`,
        location,
      );
    if (this.parent) return this.outer(name, location);
    const known = this.items.visible.map(({ column }) => column.name);
    throw unknown(name, name, known, location);
  }

  private outer(name: string, location: number | undefined): Resolution {
    try {
      return (this.parent as NameScope).resolve(undefined, name, location);
    } catch (error) {
      const isUnknown = error instanceof QueryRefused && error.id === 'UNKNOWN_COLUMN_ERR';
      if (!isUnknown || error.message.includes('did you mean') || error.message.includes('is a table'))
        throw error;
      const known = this.all((scope) => scope.items.visible.map(({ column }) => column.name));
      throw unknown(name, name, known, location);
    }
  }

  private find<T>(look: (scope: NameScope) => T | undefined): T | undefined {
    return look(this) ?? this.parent?.find(look);
  }

  private all<T>(look: (scope: NameScope) => T[]): T[] {
    return [...look(this), ...(this.parent?.all(look) ?? [])];
  }
}

function ambiguous(name: string, location: number | undefined): QueryRefused {
  return new QueryRefused(
    'QUERY_ERR',
    `column "${name}" is ambiguous, write it with the name of its table`,
    location,
  );
}

function unknown(
  shown: string,
  name: string,
  known: readonly string[],
  location: number | undefined,
): QueryRefused {
  return new QueryRefused(
    'UNKNOWN_COLUMN_ERR',
    `column "${shown}" does not exist${hint(name, known)}`,
    location,
  );
}
