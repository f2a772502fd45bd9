import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';

const PRODUCT = 'Infrastructure State Service';
/** The page that had the focus last: a page that goes sees the next address before the next page is there. */
let shown: { path: string; heading: Element | null } | undefined;

/** Names the page in the title of the window; on a change of page the focus moves to its heading. */
export function usePage(page: string, object?: string): void {
  const path = useLocation({ select: (location) => location.pathname });
  useEffect(() => {
    document.title = [page, object, PRODUCT].filter((part) => part !== undefined && part !== '').join(' · ');
  }, [page, object]);
  useEffect(() => {
    const heading = document.querySelector<HTMLElement>('h1');
    const before = shown;
    shown = { path, heading };
    if (before === undefined || (before.path === path && before.heading === heading)) return;
    heading?.focus({ preventScroll: true });
  }, [path]);
}
