import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tenantGraphSummaryOptions } from '../../platform/client';
import { Answer } from '../../platform/errors';
import { formatCount } from '../../platform/formats';
import classes from './cards.module.css';

const MOST = 8;

/** How instances are distributed over providers and types. */
export function SharesCard({ tenantId }: { tenantId: string }) {
  const summary = useQuery(tenantGraphSummaryOptions({ path: { tenantId } }));
  return (
    <Answer of={summary}>
      {({ provider_distribution, resource_type_distribution }) =>
        provider_distribution.length === 0 ? (
          <Text size="sm">Bars appear with the first apply.</Text>
        ) : (
          <Stack gap="md">
            <Bars
              title="Providers"
              bars={provider_distribution.map(({ provider, instances }) => ({
                name: provider.replace(/^registry\.(?:terraform\.io|opentofu\.org)\//, ''),
                count: instances,
              }))}
            />
            <Bars
              title="Types"
              bars={resource_type_distribution.map(({ type, instances }) => ({
                name: type,
                count: instances,
              }))}
            />
          </Stack>
        )
      }
    </Answer>
  );
}

function Bars({ title, bars }: { title: string; bars: readonly { name: string; count: number }[] }) {
  const most = Math.max(...bars.map(({ count }) => count), 1);
  const rest = bars.slice(MOST).reduce((sum, { count }) => sum + count, 0);
  const shown = [...bars.slice(0, MOST), ...(rest > 0 ? [{ name: 'others', count: rest }] : [])];
  return (
    <section>
      <Title order={3} size="h6" mb={4}>
        {title}
      </Title>
      <table className={classes.bars} aria-label={title}>
        <tbody>
          {shown.map(({ name, count }) => (
            <tr key={name}>
              <th scope="row">
                <bdi>{name}</bdi>
              </th>
              <td>
                <div
                  className={classes.bar}
                  style={{ inlineSize: `${Math.min(100, (count / most) * 100)}%` }}
                />
              </td>
              <td className={classes.count}>{formatCount(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
