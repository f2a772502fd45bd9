import { defineCheck } from '../../engine/check.js';
import { all, eq, isIn, not, notIn, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ELB-003',
  title: 'Load balancer listener must not serve plain HTTP',
  severity: 'critical',
  category: 'encryption-transit',
  aliases: ['AVD-AWS-0054', 'CKV_AWS_2'],
  types: ['aws_lb_listener', 'aws_alb_listener'],
  when: notIn('protocol', ['TCP', 'UDP', 'TCP_UDP', 'TLS', 'GENEVE']),
  fail: all(
    isIn('protocol', ['HTTP', null]),
    not(
      some(
        'default_action',
        all(eq('type', 'redirect'), isIn('redirect.0.protocol', ['HTTPS', '#{protocol}'])),
      ),
    ),
  ),
  remediation: 'Set protocol = "HTTPS", or redirect to HTTPS in default_action.',
  failing: [
    { protocol: 'HTTP' },
    { protocol: 'HTTP', default_action: [{ redirect: [{ protocol: 'HTTPS' }] }] },
  ],
  passing: [
    { protocol: 'tcp' },
    { protocol: 'tcp', default_action: [{ redirect: [{ protocol: 'HTTPS' }] }] },
  ],
});
