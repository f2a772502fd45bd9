import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-012',
  title: 'GKE cluster must have intranode visibility enabled',
  severity: 'low',
  category: 'logging',
  aliases: ['CKV_GCP_61'],
  types: ['google_container_cluster'],
  fail: notTrue('enable_intranode_visibility'),
  remediation: 'Set enable_intranode_visibility = true.',
  failing: [{}, { enable_intranode_visibility: false }],
  passing: [{ enable_intranode_visibility: true }],
});
