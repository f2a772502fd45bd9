import { defineCheck } from '../../engine/check.js';
import { holdsSecret } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LMB-005',
  title: 'Lambda environment must not contain credentials',
  severity: 'critical',
  category: 'secrets',
  aliases: ['CKV_AWS_45'],
  types: ['aws_lambda_function'],
  fail: holdsSecret('environment.0.variables'),
  remediation:
    'Remove the credential from variables in environment and read it from Secrets Manager or Parameter Store.',
  failing: [{ environment: [{ variables: { DB_PASSWORD: 'SomeSortOfPassword' } }] }],
  passing: [{}, { environment: [{ variables: 'hello' }] }],
});
