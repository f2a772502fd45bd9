import { awsReachability } from './aws-reachability.rules.js';
import type { ReachabilityRules } from './reachability.js';

/** The rules of all providers. */
export const REACHABILITY: readonly ReachabilityRules[] = [awsReachability];
