import { defineCheck } from '../../engine/check.js';
import { any, matches } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-015',
  title: 'Managed AdministratorAccess policy is attached',
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
  remediation: 'Change policy_arn; change managed_policy_arn.',
  failing: [
    { policy_arn: 'arn:aws:iam::aws:policy/AdministratorAccess' },
    { managed_policy_arn: 'arn:aws:iam::aws:policy/AdministratorAccess' },
  ],
  passing: [{}, { managed_policy_arn: 'other' }],
});
