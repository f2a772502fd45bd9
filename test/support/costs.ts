import type { TestBackend } from './backend.js';
import { type EstateResource, eventually } from './estate.js';

export interface StateCosts {
  snapshot_id: string;
  triggered_by: string;
  currency: string;
  monthly_cost: string;
  hourly_cost: string;
  resource_count: number;
  supported_count: number;
  priced_count: number;
  coverage_percent: number;
  instance_costs: {
    address: string;
    supported: boolean;
    no_price: boolean;
    region?: string;
    monthly_cost?: string;
    tags?: Record<string, string>;
    components: { name: string; monthly_cost?: string; gap?: string }[];
  }[];
  next_page?: string;
}

/** 0.096 USD an hour and a root volume of 8 GB at 0.80 USD a month: 70.88 USD. */
export function aServer(name: string, more: Record<string, unknown> = {}): EstateResource {
  return {
    type: 'aws_instance',
    name,
    attributes: {
      id: `i-${name}`,
      arn: `arn:aws:ec2:us-east-1:123456789012:instance/i-${name}`,
      instance_type: 'm5.large',
      tags: { team: 'core', Name: name },
      ...more,
    },
  };
}

export const FREE: EstateResource = {
  type: 'aws_iam_role',
  name: 'task',
  attributes: { id: 'task', arn: 'arn:aws:iam::123456789012:role/task', tags: { team: 'core' } },
};
export const UNKNOWN: EstateResource = { type: 'fancycloud_thing', name: 'x', attributes: { id: 'x' } };

/** The costs of a state once a snapshot says what is expected. */
export function costsOf(
  backend: TestBackend,
  stateId: string,
  isExpected: (costs: StateCosts) => boolean,
): Promise<StateCosts> {
  let last: StateCosts | undefined;
  return eventually(`costs of ${stateId}`, async () => {
    const answer = await backend.api('GET', `/states/${stateId}/costs`);
    if (answer.status !== 200) return undefined;
    last = answer.json() as StateCosts;
    return isExpected(last) ? last : undefined;
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; last: ${JSON.stringify(last)}`);
  });
}
