import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../../platform/address';
import { type TenantSummaryView, tenantGraphSummaryOptions } from '../../platform/client';
import { Answer } from '../../platform/errors';
import { Facts, formatCount, plural } from '../../platform/formats';
import classes from './cards.module.css';
import { sqlText } from './instance-history';

/** How much there is in a tenant, each number leading to what it counts. */
export function EstateCard({ tenantId }: { tenantId: string }) {
  const summary = useQuery(tenantGraphSummaryOptions({ path: { tenantId } }));
  return (
    <Answer of={summary}>
      {(counts) =>
        counts.total_states === 0 ? (
          <FirstSteps tenantId={tenantId} />
        ) : (
          <Numbers tenantId={tenantId} counts={counts} />
        )
      }
    </Answer>
  );
}

/** The way of an empty tenant to its first apply. */
function FirstSteps({ tenantId }: { tenantId: string }) {
  return (
    <Stack gap="xs">
      <Text>Nothing here yet. Three steps lead to the first apply:</Text>
      <ol className={classes.steps}>
        <li>
          <PageLink to={`/tenants/${tenantId}/states`}>Create a state</PageLink>
        </li>
        <li>
          <PageLink to="/keys">Make an API key</PageLink> for Terraform or OpenTofu
        </li>
        <li>Copy the backend block that the state shows under Connect, and apply</li>
      </ol>
    </Stack>
  );
}

function Numbers({ tenantId, counts }: { tenantId: string; counts: TenantSummaryView }) {
  const tenant = sqlText(tenantId);
  const inTenant = `SELECT s.name AS state, i.address FROM instances i JOIN states s ON s.id = i.state_id WHERE s.tenant_id = ${tenant}`;
  const ofModule = (name: string) =>
    `SELECT s.name AS state, m.name, m.resource_count, m.instance_count FROM modules m JOIN states s ON s.id = m.state_id WHERE s.tenant_id = ${tenant} AND m.name = ${sqlText(name)} ORDER BY s.name LIMIT 100`;
  const sql = (q: string) => ({ to: '/sql', search: { q } });
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm">
        <Figure name="States" value={counts.total_states} to={`/tenants/${tenantId}/states`} />
        <Figure
          name="Instances"
          value={counts.total_instances}
          {...sql(`${inTenant} ORDER BY s.name, i.address LIMIT 100`)}
        />
        <Figure
          name="Resources"
          value={counts.total_resources}
          {...sql(
            `SELECT r.* FROM resources r JOIN states s ON s.id = r.state_id WHERE s.tenant_id = ${tenant} LIMIT 100`,
          )}
        />
        <Figure
          name="Modules"
          value={counts.total_modules}
          {...sql(
            `SELECT s.name AS state, m.* FROM modules m JOIN states s ON s.id = m.state_id WHERE s.tenant_id = ${tenant} LIMIT 100`,
          )}
        />
        <Figure
          name="Providers"
          value={counts.total_providers}
          {...sql(
            `SELECT s.name AS state, p.* FROM providers p JOIN states s ON s.id = p.state_id WHERE s.tenant_id = ${tenant} LIMIT 100`,
          )}
        />
        <Figure
          name="Dependencies"
          value={counts.total_edges}
          {...sql(
            `SELECT s.name AS state, e.from_address, e.to_address FROM edges e JOIN states s ON s.id = e.state_id WHERE s.tenant_id = ${tenant} ORDER BY s.name, e.from_address, e.to_address LIMIT 100`,
          )}
        />
      </SimpleGrid>
      <Facts
        facts={[
          [
            'Largest module',
            <Named
              name={counts.largest_module}
              count={counts.largest_module_resource_count}
              noun="resource"
              query={ofModule}
            />,
          ],
          [
            'Most deployed module',
            <Named
              name={counts.most_deployed_module}
              count={counts.most_deployed_module_instance_count}
              noun="instance"
              query={ofModule}
            />,
          ],
          [
            'Most depended on',
            <Named
              name={counts.dependency_hotspot_address}
              count={counts.dependency_hotspot_refs}
              noun="dependent"
              query={(address) =>
                `SELECT s.name AS state, e.from_address FROM edges e JOIN states s ON s.id = e.state_id WHERE s.tenant_id = ${tenant} AND e.to_address = ${sqlText(address)} ORDER BY s.name, e.from_address LIMIT 100`
              }
            />,
          ],
          [
            'Without any dependency',
            <PageLink
              {...sql(
                `${inTenant} AND NOT EXISTS (SELECT 1 FROM edges e WHERE e.to_state_id = i.state_id AND e.to_address = i.address) AND NOT EXISTS (SELECT 1 FROM edges e WHERE e.state_id = i.state_id AND e.from_address = i.address) ORDER BY s.name, i.address LIMIT 100`,
              )}
            >
              {plural(counts.orphaned_count, 'instance')}
            </PageLink>,
          ],
        ]}
      />
    </Stack>
  );
}

interface NamedProps {
  name: string | null;
  count: number;
  noun: string;
  /** the query behind the name */
  query: (name: string) => string;
}

function Named({ name, count, noun, query }: NamedProps) {
  if (name === null) return '–';
  return (
    <>
      <PageLink to="/sql" search={{ q: query(name) }}>
        <bdi>{name}</bdi>
      </PageLink>{' '}
      ({plural(count, noun)})
    </>
  );
}

function Figure({
  name,
  value,
  to,
  search,
}: {
  name: string;
  value: number;
  to?: string;
  search?: { q: string };
}) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fw={700} size="xl" component="div">
        {to === undefined ? (
          formatCount(value)
        ) : (
          <PageLink to={to} search={search} aria-label={`${name}: ${formatCount(value)}`}>
            {formatCount(value)}
          </PageLink>
        )}
      </Text>
    </div>
  );
}
