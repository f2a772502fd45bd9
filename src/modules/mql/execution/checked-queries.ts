import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type PageQuery, pageQuery } from '../paging/page-query.js';
import { type CheckedQuery, checkQuery } from '../analysis/query-guard.js';
import { QueryTables } from '../tables/query-tables.js';

interface Prepared {
  checked: CheckedQuery;
  firstPage: PageQuery;
}

const MAX_CACHED = 200;
const MAX_CACHED_LENGTH = 2048;

/** Dashboards repeat their queries, so each text is checked once. Nothing of any caller is cached. */
@Injectable()
export class CheckedQueries {
  private readonly prepared = new LRUCache<string, Prepared>({ max: MAX_CACHED });

  constructor(private readonly tables: QueryTables) {}

  checkQuery(query: string): Prepared {
    const known = this.prepared.get(query);
    if (known) return known;
    const prepared = this.prepare(query);
    if (query.length <= MAX_CACHED_LENGTH) this.prepared.set(query, prepared);
    return prepared;
  }

  private prepare(query: string): Prepared {
    const checked = checkQuery(query, this.tables.all);
    return { checked, firstPage: pageQuery(checked, undefined) };
  }
}
