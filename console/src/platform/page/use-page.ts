import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';

const PRODUCT = 'Infrastructure State Service';
let shownPath: string | undefined;

/** Names the page in the title of the window; on a change of page the focus moves to its heading. */
export function usePage(page: string, object?: string): void {
  const path = useLocation({ select: (location) => location.pathname });
  useEffect(() => {
    document.title = [page, object, PRODUCT].filter((part) => part !== undefined && part !== '').join(' · ');
  }, [page, object]);
  useEffect(() => {
    const isFirst = shownPath === undefined;
    const hasMoved = shownPath !== path;
    shownPath = path;
    if (isFirst || !hasMoved) return;
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }, [path]);
}
