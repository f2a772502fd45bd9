import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../../platform/address';
import { tenantStatesListOptions } from '../../platform/client';
import { Answer } from '../../platform/errors';
import { Time } from '../../platform/formats';

/** Locks among the states that were written last. */
export function LocksCard({ tenantId }: { tenantId: string }) {
  const states = useQuery(
    tenantStatesListOptions({ path: { tenantId }, query: { limit: 100, sort: '-updated_at' } }),
  );
  return (
    <Answer of={states}>
      {({ results, next_page }) => {
        const locked = results.filter(({ lock }) => lock !== undefined);
        const among = next_page === undefined ? '' : ' among the 100 states written last';
        if (locked.length === 0) return <Text size="sm">Nobody holds a lock{among}.</Text>;
        return (
          <List size="sm">
            {locked.map(({ id, name, lock }) => (
              <List.Item key={id}>
                <PageLink to={`/states/${id}`}>
                  <bdi>{name}</bdi>
                </PageLink>
                : <bdi>{lock?.who ?? 'somebody'}</bdi>, <Time value={lock?.created_at} />
              </List.Item>
            ))}
          </List>
        );
      }}
    </Answer>
  );
}
