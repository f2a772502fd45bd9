import { defineCheck } from '../../engine/check.js';
import { all, ne } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EC2-001',
  title: 'EC2 instance must require IMDSv2 session tokens',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-AWS-0028', 'AVD-AWS-0130', 'CKV_AWS_79'],
  types: ['aws_instance', 'aws_launch_template', 'aws_launch_configuration'],
  fail: all(
    ne('metadata_options.0.http_tokens', 'required'),
    ne('metadata_options.0.http_endpoint', 'disabled'),
  ),
  remediation: 'Set http_tokens = "required" in metadata_options.',
  failing: [{}, { metadata_options: [{ http_endpoint: 'enabled' }] }],
  passing: [
    { metadata_options: [{ http_tokens: 'required' }] },
    { metadata_options: [{ http_tokens: 'required', http_endpoint: 'enabled' }] },
  ],
});
