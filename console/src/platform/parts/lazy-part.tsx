import { type ComponentType, lazy, type LazyExoticComponent } from 'react';
import { recoverLostPart } from './lost-part';

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
    const failure = recoverLostPart(error);
    if (failure) throw failure;
    // Nothing is shown until the document is replaced.
    return new Promise(() => undefined);
  }
}
