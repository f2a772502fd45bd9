import { useState } from 'react';
import { useUser } from '../../platform/access';

export interface PastQuery {
  sql: string;
  isFavourite: boolean;
}

const MOST = 50;

/** Adds a query at the top; favourites are never dropped. */
export function remember(history: readonly PastQuery[], sql: string): PastQuery[] {
  const known = history.find((past) => past.sql === sql);
  const others = history.filter((past) => past.sql !== sql);
  const next = [{ sql, isFavourite: known?.isFavourite ?? false }, ...others];
  const plain = next.filter((past) => !past.isFavourite).slice(MOST);
  return next.filter((past) => !plain.includes(past));
}

/** The queries of this user in this browser. */
export function useHistory() {
  const key = `console-queries-${useUser().id}`;
  const [history, setHistory] = useState(() => read(key));
  const change = (next: PastQuery[]): void => {
    setHistory(next);
    localStorage.setItem(key, JSON.stringify(next));
  };
  return {
    history,
    add: (sql: string) => change(remember(history, sql)),
    toggle: (sql: string) =>
      change(history.map((past) => (past.sql === sql ? { ...past, isFavourite: !past.isFavourite } : past))),
    clear: () => change(history.filter((past) => past.isFavourite)),
  };
}

function read(key: string): PastQuery[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isPastQuery) : [];
  } catch {
    return [];
  }
}

function isPastQuery(value: unknown): value is PastQuery {
  return typeof value === 'object' && value !== null && 'sql' in value && typeof value.sql === 'string';
}
