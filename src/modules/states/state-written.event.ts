/** Identity and dependencies of one instance, without its attributes. */
export interface InstanceMeta {
  /** uuid text: first 16 bytes of SHA-256 of `address`, then NUL and the deposed key for a deposed object. */
  key: string;
  address: string;
  /** `module.a["k"].data.aws_x.y`: module path with keys, no instance key. */
  resourceAddress: string;
  mode: string;
  type: string;
  name: string;
  /** full module address with keys, or undefined in the root module */
  module?: string;
  /** source address such as `registry.terraform.io/hashicorp/aws` */
  provider: string;
  /** the instance key: a number for count, a string for for_each, undefined for a single instance */
  indexKey?: string | number;
  deposed?: string;
  /** as written in the document: config addresses without keys (or legacy `depends_on` names), maybe dangling */
  dependencies: string[];
  /** JSON text of `attributes` of a `terraform_remote_state` data source, unmasked, for finding links; else undefined */
  remoteState?: string;
}

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

export interface OutputRow {
  name: string;
  /** JSON text, already masked when sensitive */
  value: string;
  /** JSON text of the type constraint */
  type: string;
  sensitive: boolean;
}

export interface CheckResultRow {
  configAddr: string;
  objectKind: string;
  status: string;
  objects: { object_addr: string; status: string; failure_messages: string[] }[];
}

/**
 * Published by the write of a new version inside its transaction, with the state row locked. The graph module turns
 * it into rows. `graphError` set: the document cannot be decomposed and every row of the state goes.
 */
export class StateWritten {
  constructor(
    readonly stateId: string,
    readonly tenantId: string,
    readonly version: number,
    /** true when nothing of the previous projection may be kept (first write, or the previous one had no graph) */
    readonly reset: boolean,
    readonly graphError: string | undefined,
    /** some instance of the change set was added or removed, or names other dependencies, module or provider */
    readonly topologyChanged: boolean,
    /** complete lists when outputs or check results changed, else undefined */
    readonly outputs: OutputRow[] | undefined,
    readonly checkResults: CheckResultRow[] | undefined,
    /** may be iterated once; large first imports stream through it */
    readonly batches: () => AsyncIterable<InstanceBatch>,
  ) {}
}
