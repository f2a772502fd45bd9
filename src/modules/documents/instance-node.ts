/** Identity and dependencies of one instance of a document, without its attributes. */
export interface InstanceMeta {
  /** uuid text: first 16 bytes of SHA-256 of `address`, then NUL and the deposed key for a deposed object */
  key: string;
  address: string;
  /** `module.a["k"].data.aws_x.y`: module path with keys, no instance key */
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
  /** as written: config addresses without keys (or legacy `depends_on` names), maybe dangling */
  dependencies: string[];
  /** JSON text of the attributes of a `terraform_remote_state` data source without its backend's secrets, for finding links */
  remoteState?: string;
}

/** An instance as a chunk's index lists it. */
export interface InstanceNode extends InstanceMeta {
  /** base64 of the first 16 bytes of a SHA-256 over the resource's header and the minified instance */
  hash: string;
}

/** What a chunk of resources contains, and the COPY tuples of its instances in the same order. */
export interface ParsedResources {
  nodes: InstanceNode[];
  /** resources without any instance, which have no node but exist */
  emptyResources: number;
  tuples: Buffer;
  /** end offset of each node's tuple */
  tupleEnds: Uint32Array;
}
