import { defineCheck } from '../../engine/check.js';
import { all, any, isEmpty, notTrue, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EC2-003',
  title: 'EC2 instance must encrypt its block devices',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0131', 'AVD-AWS-0008', 'CKV_AWS_8'],
  types: ['aws_instance', 'aws_launch_configuration'],
  fail: any(
    isEmpty('root_block_device'),
    some('root_block_device', notTrue('encrypted')),
    some('ebs_block_device', all(notTrue('encrypted'), isEmpty('snapshot_id'))),
  ),
  remediation: 'Set encrypted = true in root_block_device and each ebs_block_device.',
  failing: [{}, { root_block_device: [{}] }],
  passing: [
    { root_block_device: [{ encrypted: true }] },
    { root_block_device: [{ encrypted: true }], ebs_block_device: [{ encrypted: true }] },
  ],
});
