import { useLayoutEffect } from 'react';

/** A row that was deleted goes a moment after the dialog that asked about it. */
const GONE_AFTER_MS = 100;

/**
 * Gives the focus back to what opened a dialog, when that is taken out of the document with the focus in it. Call it in
 * what is there only while the dialog is open. The heading of the page gets the focus in place of what is gone as well.
 */
export function useReturnedFocus(): void {
  useLayoutEffect(() => {
    const opener = openerOf(document.activeElement);
    return () => {
      if (!isLost() && !document.activeElement?.closest('[role="dialog"]')) return;
      opener?.focus({ preventScroll: true });
      setTimeout(() => {
        if (isLost()) document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
      }, GONE_AFTER_MS);
    };
  }, []);
}

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** A menu is gone by then; the button that opened it is not. */
function openerOf(element: Element | null): HTMLElement | undefined {
  const menu = element?.closest('[role="menu"]');
  const opener = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : element;
  return opener instanceof HTMLElement ? opener : undefined;
}
