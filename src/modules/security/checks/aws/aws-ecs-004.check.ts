import { defineCheck } from '../../engine/check.js';
import { isTrue, someContainer } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECS-004',
  title: 'ECS container must not run in privileged mode',
  severity: 'high',
  category: 'hardening',
  aliases: ['CKV_AWS_334'],
  types: ['aws_ecs_task_definition'],
  fail: someContainer('container_definitions', isTrue('privileged')),
  remediation: 'Set privileged = false for each container in container_definitions.',
  failing: [{ container_definitions: '[{"privileged":true}]' }],
  passing: [{ container_definitions: '[{}]' }, { container_definitions: '[{"privileged":false}]' }],
});
