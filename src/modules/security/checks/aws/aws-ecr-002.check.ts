import { defineCheck } from '../../engine/check.js';
import { ne } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECR-002',
  title: 'ECR repository must have immutable image tags',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-AWS-0031', 'CKV_AWS_51'],
  types: ['aws_ecr_repository'],
  fail: ne('image_tag_mutability', 'IMMUTABLE'),
  remediation: 'Set image_tag_mutability = "IMMUTABLE".',
  failing: [{}, { image_tag_mutability: 'MUTABLE' }],
  passing: [{ image_tag_mutability: 'IMMUTABLE' }],
});
