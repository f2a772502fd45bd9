import type { SnapshotKind } from '../entities/cost.entities.js';

/** Published by every snapshot of costs, inside its transaction. */
export class SnapshotTaken {
  constructor(
    readonly stateId: string,
    readonly snapshotId: string,
    readonly kind: SnapshotKind,
    /** the transaction whose plan it prices */
    readonly txId?: string,
  ) {}
}
