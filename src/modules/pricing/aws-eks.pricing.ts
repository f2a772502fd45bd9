import type { Rules } from './resource-draft.js';

export const awsEks: Rules = {
  aws_eks_cluster: (r) => r.hours('EKS cluster'),
};
