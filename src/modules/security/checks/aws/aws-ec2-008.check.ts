import { defineCheck } from '../../engine/check.js';
import { any, holdsSecret } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EC2-008',
  title: 'EC2 user data must not contain credentials',
  severity: 'critical',
  category: 'secrets',
  aliases: ['AVD-AWS-0029', 'AVD-AWS-0129', 'CKV_AWS_46'],
  types: ['aws_instance', 'aws_launch_template', 'aws_launch_configuration'],
  fail: any(holdsSecret('user_data'), holdsSecret('user_data_base64', { base64: true })),
  remediation:
    'Remove the credential from user_data or user_data_base64 and give the instance a role with iam_instance_profile.',
  failing: [
    { user_data: 'export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\n' },
    { user_data: 'export DATABASE_PASSWORD="SomeSortOfPassword"' },
    { user_data_base64: 'ZXhwb3J0IERBVEFCQVNFX1BBU1NXT1JEPSJTb21lU29ydE9mUGFzc3dvcmQi' },
  ],
  passing: [{}, { user_data: 'export GREETING=hello' }, { user_data: 'password=$(aws ssm get-parameter)' }],
});
