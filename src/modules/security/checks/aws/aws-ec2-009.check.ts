import { defineCheck } from '../../engine/check.js';
import { eq } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EC2-009',
  title: 'AMI must not be shared with everyone',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: [],
  types: ['aws_ami_launch_permission'],
  fail: eq('group', 'all'),
  remediation: 'Remove group = "all" and name the accounts that may launch the image with account_id.',
  failing: [{ group: 'all' }],
  passing: [{}, { group: '' }],
});
