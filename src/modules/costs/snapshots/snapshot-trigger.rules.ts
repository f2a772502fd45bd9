import type { SnapshotTrigger } from '../entities/cost.entities.js';

/** What started the snapshot of a version: where the version came from. */
export function triggerOf({ origin, isOfRunner }: { origin: string; isOfRunner: boolean }): SnapshotTrigger {
  if (origin === 'import') return 'state_import';
  if (origin !== 'transaction') return 'backend_write';
  return isOfRunner ? 'actuator_commit' : 'tx_apply';
}
