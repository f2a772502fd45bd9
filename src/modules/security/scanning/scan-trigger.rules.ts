import type { ScanTrigger } from '../entities/scan.entities.js';

/** What started the scan of a version: where the version came from. */
export function triggerOf({ origin, kind }: { origin: string; kind: string | null }): ScanTrigger {
  if (origin === 'import' || origin === 'restore') return 'state_import';
  if (origin === 'transaction') return kind === 'plan' ? 'actuator_commit' : 'tx_apply';
  return 'backend_write';
}
