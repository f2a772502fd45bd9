import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-MSK-001',
  title: 'MSK cluster must encrypt traffic of clients',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['AVD-AWS-0073'],
  types: ['aws_msk_cluster'],
  fail: isIn('encryption_info.0.encryption_in_transit.0.client_broker', ['PLAINTEXT', 'TLS_PLAINTEXT']),
  remediation: 'Set client_broker = "TLS" in encryption_info.encryption_in_transit.',
  failing: [
    { encryption_info: [{ encryption_in_transit: [{ client_broker: 'PLAINTEXT' }] }] },
    { encryption_info: [{ encryption_in_transit: [{ client_broker: 'TLS_PLAINTEXT' }] }] },
  ],
  passing: [{ encryption_info: [{ encryption_in_transit: [{ client_broker: 'TLS' }] }] }, {}],
});
