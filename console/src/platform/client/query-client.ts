import { QueryClient } from '@tanstack/react-query';
import { ApiFailure, isPassing } from './failure';

const LONGEST_WAIT_MS = 30_000;
const ATTEMPTS = 4;

/** Reads are repeated while the service is only busy or away; changes never are. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 10_000,
        retry: (failures, error) => isPassing(error) && failures < ATTEMPTS,
        retryDelay: waitMs,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

/** Milliseconds before the next attempt: what the service asks for, or longer each time. */
export function waitMs(failures: number, error: unknown): number {
  const asked = error instanceof ApiFailure ? error.retryAfter : undefined;
  return Math.min(asked === undefined ? 500 * 2 ** failures : asked * 1_000, LONGEST_WAIT_MS);
}
