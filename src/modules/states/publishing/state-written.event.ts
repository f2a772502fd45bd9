import type { CheckResultRow, InstanceMeta, OutputRow } from '../../documents/index.js';

export type { CheckResultRow, InstanceMeta, OutputRow } from '../../documents/index.js';

/** What one batch of a change set removes and writes. Batches of one change set never share a key. */
export interface InstanceBatch {
  /** instances that were in the previous document and are not in this one */
  removed: InstanceMeta[];
  /** instances whose stored row is replaced; `before` is what the previous document said of them */
  changed: { before: InstanceMeta; after: InstanceMeta }[];
  added: InstanceMeta[];
  /** COPY BINARY tuples (without header and trailer) for table `instances`, of every `changed` and `added` one */
  copy: Buffer;
}

/**
 * Published by the write of a new version inside its transaction, with the state row locked. The graph module turns
 * it into rows. `graphError` set: the document cannot be decomposed and every row of the state goes.
 */
export class StateWritten {
  readonly stateId: string;
  readonly tenantId: string;
  readonly version: number;
  /** true when nothing of the previous projection may be reused (first write, or the previous one had no graph) */
  readonly reset: boolean;
  readonly graphError: string | undefined;
  /** an instance was added or removed, or its dependencies, module or provider changed */
  readonly topologyChanged: boolean;
  /** complete lists when outputs or check results changed, else undefined */
  readonly outputs: OutputRow[] | undefined;
  readonly checkResults: CheckResultRow[] | undefined;
  /** may be iterated once; large first imports stream through it */
  readonly batches: () => AsyncIterable<InstanceBatch>;

  constructor(written: Readonly<StateWritten>) {
    Object.assign(this, written);
  }
}
