import { Text } from '@mantine/core';
import { GoTo, PageLink } from '../platform/address';
import { useAllowed } from '../platform/access';
import { Waiting } from '../platform/errors';
import { Page } from '../platform/page';
import { useTenants } from '../platform/tenant';

/** `/`: goes on to the tenant that was used last. */
export function HomePage() {
  const { tenant, isLoaded } = useTenants();
  if (tenant) return <GoTo to={`/tenants/${tenant.id}`} />;
  return isLoaded ? <NoTenant /> : <Waiting />;
}

function NoTenant() {
  const mayCreate = useAllowed({ capability: 'admin' });
  return (
    <Page title="No tenant yet">
      <Text>You are not a member of any tenant. A tenant holds states and the people who work on them.</Text>
      {mayCreate ? (
        <PageLink to="/settings">Create a tenant in the settings</PageLink>
      ) : (
        <Text>Ask an administrator for an invitation, and open its link while you are signed in.</Text>
      )}
    </Page>
  );
}
