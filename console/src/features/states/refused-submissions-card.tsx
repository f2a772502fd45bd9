import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../../platform/address';
import { serviceNow, tenantSubmissionsListOptions } from '../../platform/client';
import { Answer } from '../../platform/errors';
import { Time } from '../../platform/formats';

const MOST = 8;
const DAY_MS = 86_400_000;
const DAYS = 7;

/** Documents of the last week that were refused, newest first. */
export function RefusedSubmissionsCard({ tenantId }: { tenantId: string }) {
  // A bare day: the same request for the whole of it.
  const from = new Date(serviceNow() - DAYS * DAY_MS).toISOString().slice(0, 10);
  const refused = useQuery(
    tenantSubmissionsListOptions({ path: { tenantId }, query: { status: 'refused', from, limit: MOST } }),
  );
  return (
    <Answer of={refused}>
      {({ results, next_page }) =>
        results.length === 0 ? (
          <Text size="sm">No document was refused in the last week.</Text>
        ) : (
          <List size="sm">
            {results.map(({ id, state_id, state_name, created_by_name, created_at, base_version }) => (
              <List.Item key={id}>
                <PageLink to={`/states/${state_id}/submissions`} search={{ status: 'refused' }}>
                  <bdi>{state_name}</bdi>
                </PageLink>
                : <bdi>{created_by_name ?? 'somebody'}</bdi>, <Time value={created_at} />
                {base_version !== undefined && (
                  <>
                    {', '}
                    <PageLink
                      to={`/states/${state_id}/submissions/${id}/diff`}
                      aria-label={`Compare the refused document of ${state_name}`}
                    >
                      Compare
                    </PageLink>
                  </>
                )}
              </List.Item>
            ))}
            {next_page !== undefined && <List.Item>and more</List.Item>}
          </List>
        )
      }
    </Answer>
  );
}
