import type { Attributes } from '../engine/attribute-path.rules.js';

/** A managed instance of a tenant, as the reachability rules see it. `ref` is unique over all states of the tenant. */
export interface NetworkInstance {
  readonly ref: string;
  readonly stateId: string;
  readonly address: string;
  readonly type: string;
  readonly attributes: Attributes;
}

/** What the rules can say of one instance. Instances that no rule knows are in no verdict. */
export interface ReachabilityVerdict {
  readonly ref: string;
  /**
   * `reachable`: there is a way from the internet. `closed`: the data is complete and shows that there is none.
   * `undecided`: an unknown value or a missing resource decides.
   */
  readonly reach: 'reachable' | 'closed' | 'undecided';
  /** the way as ids or addresses joined by ` > `, from the internet on, with ports where they are known; never a value */
  readonly evidence?: string;
  /** ports or ranges that are open, such as `22, 443-444` or `all` */
  readonly ports?: string;
}

/**
 * One provider's rules: pure over the network instances of all states of a tenant, which are matched by cloud id. Cycles,
 * dangling ids, unknown values (UNKNOWN) and attributes of any JSON type occur.
 */
export interface ReachabilityRules {
  /** types the rules read or judge; instances of other types are not given to them */
  readonly types: readonly string[];
  readonly judge: (instances: readonly NetworkInstance[]) => ReachabilityVerdict[];
}
