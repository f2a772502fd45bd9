import { Paper, SimpleGrid, Stack, Title } from '@mantine/core';
import { Suspense, useMemo } from 'react';
import { usePathId } from '../../platform/address';
import type { DashboardCard } from '../../platform/area';
import { ErrorBoundary, NotFound, Waiting } from '../../platform/errors';
import { Page } from '../../platform/page';
import { lazyPart } from '../../platform/parts/lazy-part';
import { useEntries } from '../../platform/registry';
import { useTenants } from '../../platform/tenant';

/** The front page of a tenant: cards that the areas register. */
export function DashboardPage() {
  const tenantId = usePathId('tenantId');
  const { tenants, isLoaded } = useTenants();
  const cards = useEntries('dashboardCards', { tenantId });
  const tenant = tenants.find(({ id }) => id === tenantId);
  if (!tenant) return isLoaded ? <NotFound what="This tenant was not found" /> : <Waiting />;
  return (
    <Page title="Dashboard" object={tenant.name}>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        {cards.map((card) => (
          <Card key={card.title} entry={card} tenantId={tenantId} />
        ))}
      </SimpleGrid>
    </Page>
  );
}

function Card({ entry, tenantId }: { entry: DashboardCard; tenantId: string }) {
  const Content = useMemo(() => lazyPart(entry.card), [entry]);
  return (
    <Paper withBorder p="md" radius="md" component="section" aria-label={entry.title}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {entry.title}
        </Title>
        <ErrorBoundary resetKey={tenantId}>
          <Suspense fallback={<Waiting />}>
            <Content tenantId={tenantId} />
          </Suspense>
        </ErrorBoundary>
      </Stack>
    </Paper>
  );
}
