import { defineCheck } from '../../engine/check.js';
import { eq } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EC2-009',
  title: 'AMI launch permission shares image publicly',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: [],
  types: ['aws_ami_launch_permission'],
  fail: eq('group', 'all'),
  remediation: 'Change group from "all".',
  failing: [{ group: 'all' }],
  passing: [{}, { group: 'other' }],
});
