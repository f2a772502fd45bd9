import type { ReachabilityRules } from './reachability.js';

/** The rules of all providers. */
export const REACHABILITY: readonly ReachabilityRules[] = [];
