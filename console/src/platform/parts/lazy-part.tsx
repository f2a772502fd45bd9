import { type ComponentType, lazy, type LazyExoticComponent } from 'react';
import { hasUnsaved } from '../unsaved';

const RELOADED = 'console-reloaded-at';
/** A second failure this soon after a reload means that the reload did not help. */
const GIVE_UP_MS = 60_000;

/** A part of the console that could not be loaded: most often because the service was replaced meanwhile. */
export class PartFailure extends Error {}

/** A component that is loaded when it is first shown. If that fails the page loads itself anew, once. */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => ({ default: await loadPart(load) }));
}

async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!hasUnsaved() && mayReload()) {
      location.reload();
      // Nothing is shown until the document is replaced.
      return new Promise(() => undefined);
    }
    throw new PartFailure('A part of the console could not be loaded.', { cause: error });
  }
}

function mayReload(): boolean {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (Date.now() - last < GIVE_UP_MS) return false;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  return true;
}
