import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ImpactView, transactionSecurityImpactOptions } from '../../platform/client';
import { Answer, Empty, Waiting } from '../../platform/errors';
import { plural, Time } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { useTransactionOfPage } from '../transactions';
import { FindingTable } from './findings-table';

const POLL_MS = 2_000;

/** What a transaction would add and resolve, or did. */
export function TransactionSecurityPage() {
  const { tx } = useTransactionOfPage();
  usePage('Security', tx.id.slice(0, 8));
  const impact = useQuery({
    ...transactionSecurityImpactOptions({ path: { txId: tx.id } }),
    refetchInterval: ({ state }) => (state.data !== undefined && 'status' in state.data ? POLL_MS : false),
  });
  return (
    <Answer of={impact}>
      {(found) =>
        'status' in found ? (
          <Waiting label="Computing what changes" />
        ) : (
          <Impact impact={found} tenantId={tx.tenant_id} />
        )
      }
    </Answer>
  );
}

function Impact({ impact, tenantId }: { impact: ImpactView; tenantId: string }) {
  const { findings_added: added, findings_resolved: resolved } = impact;
  return (
    <Stack gap="md">
      <Text>
        {impact.source === 'planned' ? 'The plan would add ' : 'The commit added '}
        {plural(added.length, 'finding')} and {impact.source === 'planned' ? 'resolve' : 'resolved'}{' '}
        {resolved.length}. Computed <Time value={impact.computed_at} />.
        {impact.cross_boundary_finding_count > 0 &&
          ` Other states depend on the resources of ${plural(impact.cross_boundary_finding_count, 'added finding')}.`}
      </Text>
      {(
        [
          ['Added', added, 'Nothing is added.'],
          ['Resolved', resolved, 'Nothing is resolved.'],
        ] as const
      ).map(([name, findings, empty]) => (
        <section key={name} aria-label={`Findings ${name.toLowerCase()}`}>
          <Title order={2} size="h4">
            {name}
          </Title>
          {findings.length === 0 ? (
            <Empty>{empty}</Empty>
          ) : (
            <FindingTable name={name} findings={findings} tenantId={tenantId} />
          )}
        </section>
      ))}
    </Stack>
  );
}
