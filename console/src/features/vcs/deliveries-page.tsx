import { Badge } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { usePathId } from '../../platform/address';
import { BY_PAGE_TOKEN, deliveriesListInfiniteOptions, type DeliveryView } from '../../platform/client';
import { Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, Listing } from '../../platform/table';
import { useTenants } from '../../platform/tenant';

/** How often the list is asked for again. */
const LIST_MS = 10_000;

const columns: Column<DeliveryView>[] = [
  { header: 'Received', cell: ({ received_at }) => <Time value={received_at} /> },
  { header: 'Provider', isWide: true, cell: ({ provider }) => (provider === 'github' ? 'GitHub' : 'GitLab') },
  { header: 'Installation', isWide: true, cell: ({ installation_id }) => installation_id },
  {
    header: 'Event',
    cell: ({ event, action }) => <bdi>{action === undefined ? event : `${event} ${action}`}</bdi>,
  },
  {
    header: 'State',
    cell: ({ state }) => (
      <Badge variant="outline" color="gray" c="var(--mantine-color-text)">
        {state}
      </Badge>
    ),
  },
  { header: 'Error', isWide: true, cell: ({ error }) => error ?? '–' },
  {
    header: 'Next attempt',
    isWide: true,
    cell: ({ next_attempt_at: at }) => (at === undefined ? '–' : <Time value={at} />),
  },
];

/** What the webhooks of a tenant's installations delivered: where to look when nothing happens. */
export function DeliveriesPage() {
  const tenantId = usePathId('tenantId');
  const { tenant } = useTenants();
  const query = useInfiniteQuery({
    ...deliveriesListInfiniteOptions({ path: { tenantId } }),
    ...BY_PAGE_TOKEN,
    refetchInterval: LIST_MS,
  });
  return (
    <Page title="Webhook deliveries" object={tenant?.name}>
      <Listing
        name="Webhook deliveries"
        query={query}
        rowsOf={({ results }) => results}
        columns={columns}
        rowKey={({ id }) => id}
        empty="No deliveries in the last seven days. Check the address and the secret of the webhook at the provider."
      />
    </Page>
  );
}
