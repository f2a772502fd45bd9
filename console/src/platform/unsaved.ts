import { useEffect, useId } from 'react';

const open = new Set<string>();

/** True while something typed would be lost by loading the page anew. */
export function hasUnsaved(): boolean {
  return open.size > 0;
}

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Declares that a form holds something typed; the browser asks before the page goes. */
export function useUnsaved(isDirty: boolean): void {
  const id = useId();
  useEffect(() => {
    if (!isDirty) return undefined;
    open.add(id);
    if (open.size === 1) addEventListener('beforeunload', ask);
    return () => {
      open.delete(id);
      if (open.size === 0) removeEventListener('beforeunload', ask);
    };
  }, [id, isDirty]);
}
