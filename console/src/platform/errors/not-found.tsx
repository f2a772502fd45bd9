import { Stack, Text, Title } from '@mantine/core';
import { useLayoutEffect, useState } from 'react';
import { PageLink } from '../address';
import { usePage } from '../page/use-page';

/** An object that does not exist, or that is not for this user: both look the same. */
export function NotFound({ what }: { what: string }) {
  usePage('Not found');
  const isWholePage = useOnlyHeading();
  return (
    <Stack gap="xs" role="alert">
      <Title order={isWholePage ? 1 : 2} size="h3" tabIndex={-1}>
        Not found
      </Title>
      <Text>
        {sentence(what)} It may have been deleted, or it belongs to a tenant you are not a member of.
      </Text>
      <PageLink to="/">Back to the dashboard</PageLink>
    </Stack>
  );
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** Whether the page has no heading of its own: in the frame of an object that is not there, this is the page. */
function useOnlyHeading(): boolean {
  const [isOnly, setOnly] = useState(false);
  useLayoutEffect(() => setOnly(document.querySelector('h1') === null), []);
  return isOnly;
}
