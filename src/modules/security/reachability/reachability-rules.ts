import { awsReachability } from './aws-reachability.rules.js';
import { azureReachability } from './azure-reachability.rules.js';
import { googleReachability } from './google-reachability.rules.js';
import { kubernetesReachability } from './kubernetes-reachability.rules.js';
import type { ReachabilityRules } from './reachability.js';

/** The rules of all providers. */
export const REACHABILITY: readonly ReachabilityRules[] = [
  awsReachability,
  azureReachability,
  googleReachability,
  kubernetesReachability,
];
