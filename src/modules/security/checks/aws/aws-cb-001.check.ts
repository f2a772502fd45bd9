import { defineCheck } from '../../engine/check.js';
import { all, any, isTrue, ne, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-CB-001',
  title: 'CodeBuild artifact encryption is disabled',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0018', 'CKV_AWS_78'],
  types: ['aws_codebuild_project'],
  fail: any(
    some('artifacts', all(isTrue('encryption_disabled'), ne('type', 'NO_ARTIFACTS'))),
    some('secondary_artifacts', isTrue('encryption_disabled')),
  ),
  remediation:
    'Set type = "NO_ARTIFACTS" in artifacts; set encryption_disabled = false in secondary_artifacts.',
  failing: [
    { artifacts: [{ encryption_disabled: true }] },
    { artifacts: [{ encryption_disabled: true, type: 'other' }] },
  ],
  passing: [{}, { secondary_artifacts: [{}] }],
});
