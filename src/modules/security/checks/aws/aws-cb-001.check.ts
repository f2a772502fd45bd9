import { defineCheck } from '../../engine/check.js';
import { all, any, isTrue, ne, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-CB-001',
  title: 'CodeBuild project must encrypt its artifacts',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0018', 'CKV_AWS_78'],
  types: ['aws_codebuild_project'],
  fail: any(
    some('artifacts', all(isTrue('encryption_disabled'), ne('type', 'NO_ARTIFACTS'))),
    some('secondary_artifacts', isTrue('encryption_disabled')),
  ),
  remediation: 'Remove encryption_disabled from artifacts and secondary_artifacts, or set it to false.',
  failing: [
    { artifacts: [{ encryption_disabled: true }] },
    { artifacts: [{ encryption_disabled: true, type: 'String' }] },
  ],
  passing: [{}, { secondary_artifacts: [{}] }],
});
