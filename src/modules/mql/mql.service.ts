import { Injectable } from '@nestjs/common';
import { httpErrors } from '../../platform/errors/index.js';
import { AccessDecisions, type Principal } from '../access/index.js';
import { CheckedQueries } from './execution/checked-queries.js';
import type { MqlQuery } from './dto/mql.dto.js';
import { mqlErrors } from './mql.errors.js';
import { type PagePosition } from './paging/page-position.js';
import { hasKeyset, type PageQuery, pageQuery } from './paging/page-query.js';
import { PageTokens } from './paging/page-tokens.js';
import { QueryAdmission } from './execution/query-admission.js';
import { QueryCatalog } from './execution/query-catalog.js';
import { answerFor } from './execution/query-failures.js';
import type { CheckedQuery } from './analysis/query-guard.js';
import type { QueryPage } from './execution/query-page.js';
import { type QueryRequest, QuerySessions } from './execution/query-sessions.js';
import type { RowSpool } from './execution/row-spool.js';

export interface QueryAnswer {
  /** JSON text of the array of rows */
  rows: RowSpool;
  /** to be called once the answer is sent, or nobody waits for it any more */
  release: () => Promise<void>;
  /** tokens of the neighbouring pages */
  next?: string;
  prev?: string;
  /** the default limit left rows out */
  defaultLimitApplied: boolean;
  /** why the next page cannot be had, or only by counting rows */
  paginationError?: string;
}

/** Longer values of an order are not carried by a token: such a query is paged by counting. */
const LONGEST_KEYS = 1024;
const TIME_ZONE = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;

@Injectable()
export class MqlService {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly queries: CheckedQueries,
    private readonly catalog: QueryCatalog,
    private readonly sessions: QuerySessions,
    private readonly admission: QueryAdmission,
    private readonly tokens: PageTokens,
  ) {}

  /** @param left aborted when nobody waits for the answer any more */
  async answer(
    caller: Principal,
    { q: query, page, tz = 'UTC' }: MqlQuery,
    left?: AbortSignal,
  ): Promise<QueryAnswer> {
    if (this.catalog.unavailable !== undefined) throw mqlErrors.QUERIES_UNAVAILABLE(this.catalog.unavailable);
    if (!TIME_ZONE.test(tz)) throw httpErrors.INVALID_REQUEST('tz is not the name of a time zone');
    let sent: PageQuery | undefined;
    let found: QueryPage | undefined;
    let collects = false;
    const leave = this.admission.enter(caller.userId);
    const release = async (): Promise<void> => {
      leave();
      await found?.rows.dispose();
    };
    try {
      const { checked, firstPage } = this.queries.checkQuery(query);
      collects = checked.collects;
      const bound = `${tz} ${query}`;
      const position = page === undefined ? undefined : await this.position(page, bound, checked);
      const built = (sent = position ? pageQuery(checked, position) : firstPage);
      found = await this.admission.run(caller, (hold) =>
        this.sessions.run(this.requestOf(caller, checked, built, tz), { hold, left }),
      );
      return { rows: found.rows, release, ...(await this.headersOf(checked, found, position, bound)) };
    } catch (error) {
      await release();
      throw answerFor(error, query, sent, { collects });
    }
  }

  private async position(page: string, bound: string, checked: CheckedQuery): Promise<PagePosition> {
    if (!checked.order) throw mqlErrors.APPLY_PAGE_ERR('a query without ORDER BY has no further pages');
    return this.tokens.open(page, bound);
  }

  private requestOf(
    caller: Principal,
    checked: CheckedQuery,
    page: PageQuery,
    timeZone: string,
  ): QueryRequest {
    return {
      tenants: this.decisions.readableTenants(caller),
      timeZone,
      containments: checked.containments,
      sql: page.sql,
      collects: checked.collects,
      limit: checked.limit,
    };
  }

  private async headersOf(
    checked: CheckedQuery,
    page: QueryPage,
    position: PagePosition | undefined,
    bound: string,
  ): Promise<Omit<QueryAnswer, 'rows' | 'release'>> {
    const { order } = checked;
    const { more } = page;
    const answer: Omit<QueryAnswer, 'rows' | 'release'> = {
      defaultLimitApplied: more && checked.isDefaultLimit,
    };
    if (more && !order) answer.paginationError = 'ORDER_BY_MISSING';
    if (!order || checked.limit === 0) return answer;
    if (more && order.obstacle !== undefined) answer.paginationError = order.obstacle;
    const at = position?.at ?? checked.offset;
    if (more) answer.next = await this.tokens.seal(positionAfter(checked, page, position, at), bound);
    if (position && at > checked.offset)
      answer.prev = await this.tokens.seal({ at: Math.max(checked.offset, at - checked.limit) }, bound);
    return answer;
  }
}

/** Where the page after this one begins: at the last row's values, past those that were shown with them. */
function positionAfter(
  checked: CheckedQuery,
  page: QueryPage,
  position: PagePosition | undefined,
  at: number,
): PagePosition {
  const next = { at: at + page.count };
  const { lastKeys: keys, ties } = page;
  if (!keys || !hasKeyset(checked) || JSON.stringify(keys).length > LONGEST_KEYS) return next;
  if (ties < page.count) return { ...next, keys, skip: ties };
  // The whole page is tied: what came before it with the same values counts too, when that is known.
  const continued = position?.keys?.every((value, index) => value === keys[index]);
  if (position?.keys && continued === true) return { ...next, keys, skip: (position.skip ?? 0) + ties };
  return position === undefined && checked.offset === 0 ? { ...next, keys, skip: ties } : next;
}
