import {
  type CompiledTagQuery,
  compileTagQuery,
  parseTagQuery,
  type TagCatalog,
  type TagColumns,
} from '../../tag-query/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { isStorable } from '../../../platform/database/storable-text.js';
import { type KeysetRequest, keysetRequest, type SortKey } from './keyset-page.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** What a list of records is asked with. */
export interface RecordListRequest {
  page?: string | undefined;
  q?: string | undefined;
  tz?: string | undefined;
  limit?: string | undefined;
  d?: 'asc' | 'desc' | undefined;
}

export interface RecordList<C extends TagCatalog> {
  name: string;
  catalog: C;
  columns: TagColumns<C>;
  keys: readonly SortKey[];
  defaultSort: 'asc' | 'desc';
}

export interface PreparedList {
  /** conditions of the query and of the page, joined with AND */
  where: string;
  parameters: unknown[];
  page: KeysetRequest;
}

/** Turns the parameters of a list into one condition; `bound` values come before those of the list. */
export function prepareList<C extends TagCatalog>(
  list: RecordList<C>,
  request: RecordListRequest,
  bound: readonly unknown[],
): PreparedList {
  const text = request.q ?? '';
  if (!isStorable(text)) throw httpErrors.INVALID_REQUEST('q must be valid text');
  const query = parseTagQuery(text);
  const compiled: CompiledTagQuery = compileTagQuery(query, {
    catalog: list.catalog,
    columns: list.columns,
    timeZone: request.tz ?? 'UTC',
    bound: bound.length,
  });
  const parameters = [...bound, ...compiled.parameters];
  const page = keysetRequest({
    list: list.name,
    keys: list.keys,
    sort: query.sort ?? request.d ?? list.defaultSort,
    page: request.page,
    limit: limitOf(request.limit),
    bound: parameters.length,
  });
  return {
    where: [compiled.condition, ...page.conditions].join(' AND '),
    parameters: [...parameters, ...page.parameters],
    page,
  };
}

function limitOf(limit: string | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT;
  if (!/^\d{1,15}$/.test(limit) || Number(limit) < 1)
    throw httpErrors.INVALID_REQUEST('limit must be a whole number from 1');
  return Math.min(Number(limit), MAX_LIMIT);
}
