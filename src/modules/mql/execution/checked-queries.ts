import { Injectable } from '@nestjs/common';
import { type PageQuery, pageQuery } from '../paging/page-query.js';
import { type CheckedQuery, checkQuery } from '../analysis/query-guard.js';
import { QueryTables } from '../tables/query-tables.js';

interface Prepared {
  checked: CheckedQuery;
  firstPage: PageQuery;
}

const MOST_KEPT = 200;
const LONGEST_KEPT = 2048;

/** Dashboards ask the same again and again: what a text means is worked out once. Nothing of any caller is kept. */
@Injectable()
export class CheckedQueries {
  private readonly kept = new Map<string, Prepared>();

  constructor(private readonly tables: QueryTables) {}

  checkQuery(query: string): Prepared {
    const known = this.kept.get(query);
    this.kept.delete(query);
    const prepared = known ?? this.prepare(query);
    if (query.length > LONGEST_KEPT) return prepared;
    this.kept.set(query, prepared);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST_KEPT && oldest !== undefined) this.kept.delete(oldest);
    return prepared;
  }

  private prepare(query: string): Prepared {
    const checked = checkQuery(query, this.tables.all);
    return { checked, firstPage: pageQuery(checked, undefined) };
  }
}
