import { defineCheck } from '../../engine/check.js';
import { ne } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECR-004',
  title: 'ECR repository must be encrypted with KMS',
  severity: 'low',
  category: 'encryption',
  aliases: ['CKV_AWS_136'],
  types: ['aws_ecr_repository'],
  fail: ne('encryption_configuration.0.encryption_type', 'KMS'),
  remediation: 'Set encryption_type = "KMS" in encryption_configuration.',
  failing: [{}, { encryption_configuration: [{ encryption_type: 'NONE' }] }],
  passing: [{ encryption_configuration: [{ encryption_type: 'KMS' }] }],
});
