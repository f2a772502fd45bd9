import { defineCheck } from '../../engine/check.js';
import { notFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-IAM-004',
  title: 'Project must not have the default network',
  severity: 'high',
  category: 'network-exposure',
  aliases: ['AVD-GCP-0010', 'CKV_GCP_27'],
  types: ['google_project'],
  fail: notFalse('auto_create_network'),
  remediation: 'Set auto_create_network = false.',
  failing: [{}, { auto_create_network: true }],
  passing: [{ auto_create_network: false }],
});
