import { defineCheck } from '../../engine/check.js';
import { any, matches } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-015',
  title: 'AdministratorAccess policy must not be attached',
  severity: 'high',
  category: 'identity',
  aliases: [],
  types: [
    'aws_iam_role_policy_attachment',
    'aws_iam_user_policy_attachment',
    'aws_iam_group_policy_attachment',
    'aws_iam_policy_attachment',
    'aws_ssoadmin_managed_policy_attachment',
  ],
  fail: any(
    matches('policy_arn', ':policy/AdministratorAccess$'),
    matches('managed_policy_arn', ':policy/AdministratorAccess$'),
  ),
  remediation:
    'Set policy_arn (managed_policy_arn of a permission set) to a policy with the needed actions only.',
  failing: [
    { policy_arn: 'arn:aws:iam::aws:policy/AdministratorAccess' },
    { managed_policy_arn: 'arn:aws:iam::aws:policy/AdministratorAccess' },
  ],
  passing: [{}, { managed_policy_arn: 'arn:aws:iam::aws:policy/ReadOnlyAccess' }],
});
