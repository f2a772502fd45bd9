import { defineCheck } from '../../engine/check.js';
import { all, eq, isIn, not, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECS-001',
  title: 'ECS cluster must have Container Insights enabled',
  severity: 'low',
  category: 'logging',
  aliases: ['AVD-AWS-0034', 'CKV_AWS_65'],
  types: ['aws_ecs_cluster'],
  fail: not(some('setting', all(eq('name', 'containerInsights'), isIn('value', ['enabled', 'enhanced'])))),
  remediation: 'Add a setting block with name = "containerInsights" and value = "enabled" or "enhanced".',
  failing: [{}, { setting: [{ value: 'enabled' }] }],
  passing: [
    { setting: [{ name: 'containerInsights', value: 'enabled' }] },
    { setting: [{ name: 'containerInsights', value: 'enhanced' }] },
  ],
});
