import { defineCheck } from '../../engine/check.js';
import { isFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ATH-001',
  title: 'Athena workgroup must enforce its configuration on clients',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0007'],
  types: ['aws_athena_workgroup'],
  fail: isFalse('configuration.0.enforce_workgroup_configuration'),
  remediation: 'Set enforce_workgroup_configuration = true in configuration.',
  failing: [{ configuration: [{ enforce_workgroup_configuration: false }] }],
  passing: [{ configuration: [{ enforce_workgroup_configuration: true }] }, {}],
});
