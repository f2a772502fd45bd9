import { Decimal } from '../../pricing/index.js';
import type { TransactionCostsView } from '../dto/cost-delta.dto.js';

/** Such as `12.00 → 15.10 USD (+3.10), 4 of 5 instances priced`; amounts of two digits, never a zero for an unknown one. */
export function planCostText(costs: TransactionCostsView): string {
  const { currency = '' } = costs;
  const before = amountOf(costs.current_monthly_cost);
  const after = amountOf(costs.planned_monthly_cost);
  const delta = costs.delta_monthly_cost;
  const amounts =
    before === undefined && after === undefined
      ? 'nothing that has a price'
      : `${before ?? 'unknown'} → ${after ?? 'unknown'} ${currency}${delta === undefined ? '' : ` (${signed(delta)})`}`;
  const others = (costs.other_currencies ?? []).map(
    (other) => `${signed(other.monthly_cost)} ${other.currency}`,
  );
  const coverage =
    costs.planned_coverage_percent < 100
      ? [`${costs.planned_coverage_percent} % of the billable instances have a price`]
      : [];
  return [amounts, ...others, ...coverage].join(', ');
}

function amountOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Decimal.of(text).rounded(2).toAmount();
}

function signed(text: string): string {
  const amount = Decimal.of(text.replace(/^\+/, '')).rounded(2);
  return amount.isNegative() ? amount.toAmount() : `+${amount.toAmount()}`;
}
