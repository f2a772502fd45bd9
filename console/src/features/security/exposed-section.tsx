import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../../platform/address';
import { mqlQuery } from '../../platform/client';
import { Answer, Empty } from '../../platform/errors';
import { type Column, DataTable } from '../../platform/table';

interface ExposureRow {
  state_id: string;
  address: string;
  type: string;
  ports: string | null;
  evidence: string | null;
}

const MOST = 500;
const UUID = /^[0-9a-f-]{36}$/i;

const COLUMNS: Column<ExposureRow>[] = [
  {
    header: 'Resource',
    cell: ({ state_id, address }) => (
      <PageLink to={`/states/${state_id}/instances`} search={{ instance: address }}>
        <bdi style={{ overflowWrap: 'anywhere' }}>{address}</bdi>
      </PageLink>
    ),
  },
  { header: 'Ports', cell: ({ ports }) => ports ?? '–' },
  {
    header: 'Way',
    isWide: true,
    cell: ({ evidence }) => <bdi style={{ overflowWrap: 'anywhere' }}>{evidence}</bdi>,
  },
];

/** What the internet reaches, in all states of the tenant. */
export function ExposedSection({ tenantId }: { tenantId: string }) {
  const exposed = useQuery({
    queryKey: ['security', 'exposed', tenantId],
    queryFn: () => exposuresOf(tenantId),
  });
  return (
    <Answer of={exposed}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty>Nothing is reachable from the internet, as far as the states tell.</Empty>
        ) : (
          <DataTable
            name="Exposed resources"
            rows={rows}
            rowKey={({ state_id, address }) => `${state_id} ${address}`}
            columns={COLUMNS}
          />
        )
      }
    </Answer>
  );
}

async function exposuresOf(tenantId: string): Promise<ExposureRow[]> {
  if (!UUID.test(tenantId)) return [];
  const q = `SELECT e.state_id, e.address, e.type, e.ports, e.evidence
    FROM internet_exposures e JOIN states s ON s.id = e.state_id
    WHERE s.tenant_id = '${tenantId}' ORDER BY e.address, e.state_id LIMIT ${MOST}`;
  const { data } = await mqlQuery({ query: { q }, throwOnError: true });
  return data as unknown as ExposureRow[];
}
