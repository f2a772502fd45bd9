import { QueryClient } from '@tanstack/react-query';
import { ApiFailure, isPassing } from './failure';

const LONGEST_BACKOFF_MS = 30_000;
/** A longer wait is left to the user, who is told of it. */
const LONGEST_ASKED_SECONDS = 300;
const ATTEMPTS = 4;
/** A list that was read further is not read again each time somebody comes back to the window. */
const MOST_PAGES_REFRESHED = 20;

/** Reads are repeated while the service is only busy or away; changes never are. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 10_000,
        retry: isWorthRetrying,
        retryDelay: waitMs,
        refetchOnWindowFocus: ({ state }) => pagesOf(state.data) <= MOST_PAGES_REFRESHED,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

/** How many requests it takes to refresh an answer. */
function pagesOf(data: unknown): number {
  if (typeof data !== 'object' || data === null || !('pages' in data)) return 1;
  return Array.isArray(data.pages) ? data.pages.length : 1;
}

/**
 * Drops every answer to somebody whose session has ended. What the sign-in page asks for by now goes on: a query that is
 * removed while it waits would wait for ever.
 */
export function forgetSession(queries: QueryClient): void {
  queries.removeQueries({ type: 'inactive' });
}

/** @param failures how many attempts failed before this one */
export function isWorthRetrying(failures: number, error: unknown): boolean {
  return isPassing(error) && failures < ATTEMPTS && (askedSeconds(error) ?? 0) <= LONGEST_ASKED_SECONDS;
}

/** Milliseconds before the next attempt: never less than the service asks for, otherwise longer each time. */
export function waitMs(failures: number, error: unknown): number {
  const asked = askedSeconds(error);
  return asked === undefined ? Math.min(500 * 2 ** failures, LONGEST_BACKOFF_MS) : asked * 1_000;
}

function askedSeconds(error: unknown): number | undefined {
  return error instanceof ApiFailure ? error.retryAfter : undefined;
}
