import { Injectable } from '@nestjs/common';
import { pageLimit } from '../../../platform/http/index.js';
import { Configurations } from '../../configurations/index.js';
import type {
  FindingHistoryView,
  FindingListView,
  FindingSummaryView,
  FindingView,
  ListTenantFindingsQuery,
} from '../dto/security.dto.js';
import { Clock } from '../../../platform/time/clock.js';
import { type CheckSet, CheckSets } from './check-sets.js';
import { filterOf, type FindingFilter, type FindingPlace } from './finding-filter.rules.js';
import { historyOf, windowOf } from './finding-history.rules.js';
import { toFindingView, toScanView } from './finding.view.js';
import { FindingQueries, type FindingRow } from './findings.queries.js';
import { SARIF_HEAD, sarifResultOf, sarifRuleOf, sarifTail } from './sarif.rules.js';
import { SecuritySummaries } from './summary.queries.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** A place whose findings are listed, and the tenant whose checks name them. */
export type ListedPlace = { tenantId: string; stateId?: string };

/** Findings as they are shown: of one state, or over all states of a tenant. */
@Injectable()
export class FindingLists {
  constructor(
    private readonly checks: CheckSets,
    private readonly queries: FindingQueries,
    private readonly summaries: SecuritySummaries,
    private readonly configurations: Configurations,
    private readonly clock: Clock,
  ) {}

  async list(place: ListedPlace, query: ListTenantFindingsQuery): Promise<FindingListView> {
    const limit = pageLimit(query.limit, DEFAULT_LIMIT, MAX_LIMIT);
    const checks = await this.checks.ofTenant(place.tenantId);
    const filter = this.filterOf(query);
    return this.queries.inOneSnapshot(() => this.read(place, { checks, filter, limit, page: query.page }));
  }

  private async read(
    place: ListedPlace,
    {
      checks,
      filter,
      limit,
      page,
    }: { checks: CheckSet; filter: FindingFilter; limit: number; page: string | undefined },
  ): Promise<FindingListView> {
    const where = whereOf(place);
    const { rows, next } = await this.queries.list(where, filter, { limit, page });
    const scan = place.stateId === undefined ? undefined : await this.summaries.latestScan(place.stateId);
    return {
      findings: await this.views(rows, checks, place),
      limit,
      total_count: await this.queries.count(where, filter),
      ...(scan ? { scan: toScanView(scan) } : {}),
      ...(next === undefined ? {} : { next_page: next }),
    };
  }

  /** The whole list as SARIF text, in parts. */
  async *sarif(place: ListedPlace, query: ListTenantFindingsQuery): AsyncGenerator<string> {
    const checks = await this.checks.ofTenant(place.tenantId);
    const filter = this.filterOf(query);
    const rules = new Map<string, Record<string, unknown>>();
    let separator = '';
    let page: string | undefined;
    yield SARIF_HEAD;
    do {
      const part = await this.queries.list(whereOf(place), filter, { limit: MAX_LIMIT, page });
      for (const finding of await this.views(part.rows, checks, place)) {
        rules.set(finding.check_id, sarifRuleOf(finding));
        yield `${separator}${JSON.stringify(sarifResultOf(finding))}`;
        separator = ',';
      }
      page = part.next;
    } while (page !== undefined);
    yield sarifTail(checks.version, [...rules.values()]);
  }

  async summary(place: ListedPlace, stateId?: string): Promise<FindingSummaryView> {
    const checks = await this.checks.ofTenant(place.tenantId);
    const [summary, scan] = await this.queries.inOneSnapshot(
      async () =>
        [
          await this.summaries.findSummary(whereOf(place), stateId),
          place.stateId === undefined ? undefined : await this.summaries.latestScan(place.stateId),
        ] as const,
    );
    return {
      total: summary.total,
      severity_breakdown: summary.breakdown,
      internet_reachable_count: summary.reachable,
      top_checks: summary.topChecks.map(({ checkId, count }) => ({
        check_id: checkId,
        count,
        title: checks.byId.get(checkId)?.title ?? checkId,
      })),
      suppressed_count: summary.suppressed,
      ...(scan ? { scan: toScanView(scan) } : {}),
    };
  }

  async history(tenantId: string, query: { from?: unknown; to?: unknown }): Promise<FindingHistoryView> {
    const window = windowOf(query, this.clock.now());
    const coverage = await this.summaries.coverage(tenantId);
    return {
      points: historyOf(await this.summaries.days(tenantId, window.from, window.to), window),
      states_total: coverage.total,
      states_scanned: coverage.scanned,
      ...(coverage.last === null ? {} : { last_scanned_at: coverage.last.toISOString() }),
    };
  }

  /** Rows with titles, aliases and where their blocks stand. */
  async views(rows: readonly FindingRow[], checks: CheckSet, place: ListedPlace): Promise<FindingView[]> {
    const sources = await this.configurations.sources(
      rows.map(({ state_id: stateId, address }) => ({ stateId, address })),
    );
    return rows.map((row, at) =>
      toFindingView(row, checks.byId.get(row.check_id), {
        source: sources[at],
        withStateName: place.stateId === undefined,
      }),
    );
  }

  private filterOf(query: ListTenantFindingsQuery): FindingFilter {
    return filterOf(query, (id) => this.checks.registry.find(id)?.id ?? id);
  }
}

function whereOf({ tenantId, stateId }: ListedPlace): FindingPlace {
  return stateId === undefined ? { tenantId } : { stateId };
}
