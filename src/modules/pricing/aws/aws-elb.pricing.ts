import type { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components: infracost/infracost@95ba4f49 internal/resources/aws/{lb,elb}.go (Apache-2.0).

function balancer(r: ResourceDraft): void {
  const type = r.attributes.text('load_balancer_type') ?? 'application';
  if (type === 'gateway') {
    r.hours('Gateway load balancer');
    r.perUse('Load balancer capacity units', 'GLCU', units(r, type), { key: 'lb/capacity-units/gateway' });
    return;
  }
  r.hours(type === 'network' ? 'Network load balancer' : 'Application load balancer');
  r.perUse('Load balancer capacity units', 'LCU', units(r, type), { key: `lb/capacity-units/${type}` });
}

/** What one capacity unit covers a second, a minute and an hour: https://aws.amazon.com/elasticloadbalancing/pricing/ (2026-07). */
const UNIT_COVERS = {
  application: { new: 25, active: 3000, rules: 1000 },
  network: { new: 800, active: 100_000, rules: undefined },
  gateway: { new: 600, active: 60_000, rules: undefined },
};

/** The highest of the measures decides; a unit covers 1 GB an hour. */
function units(r: ResourceDraft, type: string): Decimal | undefined {
  const covers = type === 'network' || type === 'gateway' ? UNIT_COVERS[type] : UNIT_COVERS.application;
  const measures = [
    r.usage('new_connections', covers.new),
    r.usage('active_connections', covers.active),
    r.usage('processed_bytes_gb', 730),
    covers.rules === undefined ? undefined : r.usage('rule_evaluations', covers.rules),
  ].filter((measure) => measure !== undefined);
  return measures.reduce<Decimal | undefined>(
    (most, measure) => most?.atLeast(measure) ?? measure,
    undefined,
  );
}

export const awsElb: Rules = {
  aws_lb: balancer,
  aws_alb: ['lb', balancer],
  aws_elb: (r) => {
    r.hours('Classic load balancer');
    r.perUse('Data processed', 'GB', r.usage('monthly_data_processed_gb'));
  },
};
