import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { View } from './search-text';

/** View state that lives in the address. Setting `undefined` or `''` removes a name; the page stays where it is. */
export function useView<T extends View>(): [T, (change: Partial<T>, options?: { push?: boolean }) => void] {
  const view = useLocation().search as T;
  const navigate = useNavigate();
  const change = useCallback(
    (next: Partial<T>, { push = false } = {}) =>
      void navigate({
        to: '.',
        search: (before: T) => ({ ...before, ...next }),
        replace: !push,
        resetScroll: false,
      }),
    [navigate],
  );
  return [view, change];
}

/** Ids in the path, such as `stateId`. */
export function usePathIds(): Record<string, string | undefined> {
  return useParams({ strict: false });
}

/** An id that the path of this page always has. */
export function usePathId(name: string): string {
  return usePathIds()[name] ?? '';
}

/** First value of a name that may stand in the address more than once. */
export function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
