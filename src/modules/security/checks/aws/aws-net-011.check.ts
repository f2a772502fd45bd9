import { defineCheck, example } from '../../engine/check.js';
import { linked, not } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-NET-011',
  title: 'VPC must have a flow log',
  severity: 'medium',
  category: 'logging',
  cis: '3.9',
  aliases: ['AVD-AWS-0178', 'CKV2_AWS_11'],
  types: ['aws_vpc'],
  fail: not(linked({ types: ['aws_flow_log'], via: 'vpc_id' })),
  remediation: 'Add an aws_flow_log whose vpc_id is the id of the VPC.',
  failing: [{ id: 'this-1' }],
  passing: [
    example({
      attributes: { id: 'this-1' },
      others: [{ type: 'aws_flow_log', attributes: { vpc_id: 'this-1' } }],
    }),
  ],
});
