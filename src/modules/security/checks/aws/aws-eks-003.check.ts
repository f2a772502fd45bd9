import { defineCheck } from '../../engine/check.js';
import { contains, not, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EKS-003',
  title: 'EKS cluster must encrypt Kubernetes secrets',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0039', 'CKV_AWS_58'],
  types: ['aws_eks_cluster'],
  fail: not(some('encryption_config', contains('resources', 'secrets'))),
  remediation:
    'Add an encryption_config block with "secrets" in resources and the ARN of a key in provider.key_arn.',
  failing: [{}, { encryption_config: [{}] }],
  passing: [
    { encryption_config: [{ resources: ['secrets'] }] },
    { encryption_config: [{ resources: 'secrets' }] },
  ],
});
