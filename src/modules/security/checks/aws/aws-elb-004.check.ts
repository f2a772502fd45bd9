import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ELB-004',
  title: 'Load balancer listener must use a TLS policy that requires TLS 1.2',
  severity: 'critical',
  category: 'encryption-transit',
  aliases: ['AVD-AWS-0047'],
  types: ['aws_lb_listener', 'aws_alb_listener'],
  when: isIn('protocol', ['HTTPS', 'TLS']),
  fail: isIn('ssl_policy', [
    'ELBSecurityPolicy-2015-05',
    'ELBSecurityPolicy-TLS-1-0-2015-04',
    'ELBSecurityPolicy-2016-08',
    'ELBSecurityPolicy-TLS-1-1-2017-01',
    'ELBSecurityPolicy-FS-2018-06',
    'ELBSecurityPolicy-FS-1-1-2019-08',
    'ELBSecurityPolicy-TLS13-1-0-2021-06',
    'ELBSecurityPolicy-TLS13-1-1-2021-06',
  ]),
  remediation: 'Set ssl_policy to a policy such as "ELBSecurityPolicy-TLS13-1-2-2021-06".',
  failing: [
    { protocol: 'HTTPS', ssl_policy: 'ELBSecurityPolicy-2015-05' },
    { protocol: 'HTTPS', ssl_policy: 'ELBSecurityPolicy-TLS-1-0-2015-04' },
  ],
  passing: [{ protocol: 'HTTPS', ssl_policy: 'ELBSecurityPolicy-TLS13-1-2-2021-06' }, { protocol: 'HTTPS' }],
});
