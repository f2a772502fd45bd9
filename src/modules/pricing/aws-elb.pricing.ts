import type { ResourceDraft, Rules } from './resource-draft.js';

// Components: infracost/infracost@95ba4f49 internal/resources/aws/{lb,elb}.go (Apache-2.0).

function balancer(r: ResourceDraft): void {
  const type = r.attributes.text('load_balancer_type') ?? 'application';
  if (type === 'gateway') {
    r.hours('Gateway load balancer');
    r.perUse('Load balancer capacity units', 'GLCU', units(r), { key: 'lb/capacity-units/gateway' });
    return;
  }
  r.hours(type === 'network' ? 'Network load balancer' : 'Application load balancer');
  r.perUse('Load balancer capacity units', 'LCU', units(r), { key: `lb/capacity-units/${type}` });
}

/** The highest of the four measures a capacity unit covers: https://aws.amazon.com/elasticloadbalancing/pricing/ (2026-07). */
function units(r: ResourceDraft) {
  const measures = [
    r.usage('new_connections', 25),
    r.usage('active_connections', 3000),
    r.usage('processed_bytes_gb'),
    r.usage('rule_evaluations', 1000),
  ].filter((measure) => measure !== undefined);
  return measures.reduce((most, measure) => most?.atLeast(measure) ?? measure, measures[0]);
}

export const awsElb: Rules = {
  aws_lb: balancer,
  aws_alb: ['lb', balancer],
  aws_elb: (r) => {
    r.hours('Classic load balancer');
    r.perUse('Data processed', 'GB', r.usage('monthly_data_processed_gb'));
  },
};
