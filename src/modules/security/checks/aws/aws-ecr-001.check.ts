import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECR-001',
  title: 'ECR repository must scan images on push',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-AWS-0030', 'CKV_AWS_163'],
  types: ['aws_ecr_repository'],
  fail: notTrue('image_scanning_configuration.0.scan_on_push'),
  remediation: 'Set scan_on_push = true in image_scanning_configuration.',
  failing: [{}, { image_scanning_configuration: [{ scan_on_push: false }] }],
  passing: [{ image_scanning_configuration: [{ scan_on_push: true }] }],
});
