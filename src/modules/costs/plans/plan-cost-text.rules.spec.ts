import type { TransactionCostsView } from '../dto/cost-delta.dto.js';
import { planCostText } from './plan-cost-text.rules.js';

const costs = (values: Partial<TransactionCostsView>) =>
  planCostText({ currency: 'USD', planned_coverage_percent: 100, ...values } as TransactionCostsView);

describe('The line about what a plan costs', () => {
  it('has what is paid before and after, and the difference with its sign', () => {
    expect(
      costs({ current_monthly_cost: '12', planned_monthly_cost: '15.105', delta_monthly_cost: '+3.105' }),
    ).toBe('12.00 → 15.11 USD (+3.11)');
    expect(costs({ current_monthly_cost: '12', planned_monthly_cost: '0', delta_monthly_cost: '-12' })).toBe(
      '12.00 → 0.00 USD (-12.00)',
    );
  });

  it('never says zero for what has no price, and says how much has one', () => {
    expect(costs({})).toBe('nothing that has a price');
    expect(costs({ planned_monthly_cost: '1', planned_coverage_percent: 40 })).toBe(
      'unknown → 1.00 USD, 40 % of the billable instances have a price',
    );
  });

  it('does not add currencies', () => {
    expect(
      costs({
        current_monthly_cost: '1',
        planned_monthly_cost: '1',
        delta_monthly_cost: '+0',
        other_currencies: [{ currency: 'EUR', monthly_cost: '+2', hourly_cost: '+0.1' }],
      }),
    ).toBe('1.00 → 1.00 USD (+0.00), +2.00 EUR');
  });
});
