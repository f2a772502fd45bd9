import { Text } from '@mantine/core';
import { PageLink } from '../platform/address';
import { Page } from '../platform/page';

export function PageNotFound() {
  return (
    <Page title="Page not found">
      <Text>There is no page at this address.</Text>
      <PageLink to="/">Back to the dashboard</PageLink>
    </Page>
  );
}
