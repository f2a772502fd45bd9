import { Stack, Text, Title } from '@mantine/core';
import { PageLink } from '../address';
import { usePage } from '../page/use-page';

/** An object that does not exist, or that is not for this user: both look the same. */
export function NotFound({ what }: { what: string }) {
  usePage('Not found');
  return (
    <Stack gap="xs" role="alert">
      <Title order={2} size="h3">
        Not found
      </Title>
      <Text>{what}. It may have been deleted, or it belongs to a tenant you are not a member of.</Text>
      <PageLink to="/">Back to the dashboard</PageLink>
    </Stack>
  );
}
