import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../../platform/address';
import { tenantStatesListOptions } from '../../platform/client';
import { Answer } from '../../platform/errors';
import { Time } from '../../platform/formats';

const MOST = 20;

/** Who holds the lock of which state. */
export function LocksCard({ tenantId }: { tenantId: string }) {
  const states = useQuery(
    tenantStatesListOptions({ path: { tenantId }, query: { limit: MOST, locked: 'true' } }),
  );
  return (
    <Answer of={states}>
      {({ results, next_page }) => {
        if (results.length === 0) return <Text size="sm">Nobody holds a lock.</Text>;
        return (
          <List size="sm">
            {results.map(({ id, name, lock }) => (
              <List.Item key={id}>
                <PageLink to={`/states/${id}`}>
                  <bdi>{name}</bdi>
                </PageLink>
                : <bdi>{lock?.who ?? 'somebody'}</bdi>, <Time value={lock?.created_at} />
              </List.Item>
            ))}
            {next_page !== undefined && <List.Item>and more</List.Item>}
          </List>
        );
      }}
    </Answer>
  );
}
