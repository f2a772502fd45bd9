import { hasUnsaved } from '../unsaved';

const RELOADED = 'console-reloaded-at';
/** A second failure this soon after a reload means that the reload did not help. */
const GIVE_UP_MS = 60_000;

/** A part of the console that could not be loaded: most often because the service was replaced meanwhile. */
export class PartFailure extends Error {
  constructor(
    /** why the page did not load itself anew: it would lose what was typed, or it did so a moment ago */
    readonly reason: 'unsaved' | 'reloaded',
    options: ErrorOptions,
  ) {
    super('A part of the console could not be loaded.', options);
  }
}

/** Loads the page anew, once. Returns the failure to show where that is not done. */
export function recoverLostPart(cause: unknown): PartFailure | undefined {
  if (hasUnsaved()) return new PartFailure('unsaved', { cause });
  if (!mayReload()) return new PartFailure('reloaded', { cause });
  location.reload();
  return undefined;
}

function mayReload(): boolean {
  try {
    const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
    if (Math.abs(Date.now() - last) < GIVE_UP_MS) return false;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    return true;
  } catch {
    // Without storage nothing ends a chain of reloads.
    return false;
  }
}
