import {
  type FindingListView,
  type FindingView,
  stateSecurityList,
  tenantSecurityList,
} from '@infrastate/sdk';
import type { Context } from '../context/context.js';
import { UsageFailure } from '../failure.js';
import { answer } from '../service/api-client.js';

const PAGE_SIZE = 1000;
const STATUSES = ['open', 'suppressed', 'resolved', 'all'] as const;

export interface FindingFilters {
  severity?: string;
  check?: string;
  reachable?: boolean;
  status?: string;
}

/** A state, or the tenant with all of its states. */
export type FindingPlace = { stateId: string } | { tenantId: string };

/** Every finding that the filters let through, page by page. */
export async function findingsOf(
  context: Context,
  place: FindingPlace,
  filters: FindingFilters,
): Promise<FindingView[]> {
  const found: FindingView[] = [];
  for (let page: string | undefined, isLast = false; !isLast; isLast = page === undefined) {
    const query = { ...queryOf(filters), limit: PAGE_SIZE, ...(page === undefined ? {} : { page }) };
    const list: FindingListView = await answer(listAt(context, place, { query }));
    found.push(...list.findings);
    page = list.next_page;
  }
  return found;
}

/** The whole list as SARIF, as the service wrote it. */
export async function sarifOf(
  context: Context,
  place: FindingPlace,
  filters: FindingFilters,
): Promise<string> {
  const query = { ...queryOf(filters), format: 'sarif' as const };
  return String(await answer<unknown>(listAt(context, place, { query, parseAs: 'text' })));
}

interface ListOptions {
  query: Record<string, string | number | undefined>;
  parseAs?: 'text';
}

function listAt(
  context: Context,
  place: FindingPlace,
  options: ListOptions,
): Promise<{ data: FindingListView | undefined }> {
  const client = context.api();
  return 'stateId' in place
    ? stateSecurityList({ client, path: place, ...options })
    : tenantSecurityList({ client, path: place, ...options });
}

function queryOf({ severity, check, reachable, status }: FindingFilters) {
  const known = STATUSES.find((name) => name === status);
  if (status !== undefined && known === undefined)
    throw new UsageFailure(`--status must be one of ${STATUSES.join(', ')}`);
  return {
    ...(severity === undefined ? {} : { severity }),
    ...(check === undefined ? {} : { check_id: check }),
    ...(reachable === true ? { reachable: 'true' as const } : {}),
    ...(known === undefined ? {} : { status: known }),
  };
}
