import { defineCheck } from '../../engine/check.js';
import { ne } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-SGM-001',
  title: 'SageMaker notebook must not have direct internet access',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_AWS_122'],
  types: ['aws_sagemaker_notebook_instance'],
  fail: ne('direct_internet_access', 'Disabled'),
  remediation: 'Set direct_internet_access = "Disabled" and subnet_id.',
  failing: [{}, { direct_internet_access: 'Enabled' }],
  passing: [{ direct_internet_access: 'Disabled' }],
});
