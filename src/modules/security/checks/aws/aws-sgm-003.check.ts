import { defineCheck } from '../../engine/check.js';
import { ne } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-SGM-003',
  title: 'SageMaker notebook must not give its users root access',
  severity: 'medium',
  category: 'hardening',
  aliases: ['CKV_AWS_307'],
  types: ['aws_sagemaker_notebook_instance'],
  fail: ne('root_access', 'Disabled'),
  remediation: 'Set root_access = "Disabled".',
  failing: [{}, { root_access: 'Enabled' }],
  passing: [{ root_access: 'Disabled' }],
});
