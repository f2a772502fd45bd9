import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../../platform/address';
import { tenantTransactionsListOptions } from '../../platform/client';
import { Answer } from '../../platform/errors';
import { DataTable } from '../../platform/table';
import { isActive } from './statuses';
import { TRANSACTION_COLUMNS } from './transaction-columns';

const MOST = 8;
const REFRESH_MS = 15_000;

/** The transactions of last, active ones among them. */
export function RecentCard({ tenantId }: { tenantId: string }) {
  const recent = useQuery({
    ...tenantTransactionsListOptions({ path: { tenantId }, query: { limit: MOST } }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Answer of={recent}>
      {({ results }) => {
        const active = results.filter(({ state }) => isActive(state)).length;
        return results.length === 0 ? (
          <Text size="sm">No transactions yet.</Text>
        ) : (
          <>
            <Text size="sm">
              {active === 0 ? 'None of them is active.' : `${active} of them active.`}{' '}
              <PageLink to={`/tenants/${tenantId}/transactions`}>All transactions</PageLink>
            </Text>
            <DataTable
              name="Recent transactions"
              rows={results}
              rowKey={(tx) => tx.id}
              columns={TRANSACTION_COLUMNS.filter(({ header }) => header !== 'Plan' && header !== 'States')}
            />
          </>
        );
      }}
    </Answer>
  );
}
