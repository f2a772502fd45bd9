import { useQuery } from '@tanstack/react-query';
import { type HistoryPointView, tenantSecurityHistoryOptions } from '../../platform/client';
import { Answer } from '../../platform/errors';
import { formatCount } from '../../platform/formats';
import { type Column, DataTable } from '../../platform/table';
import { Breakdown } from './severities';
import { HistoryChart } from './history-chart';

const COLUMNS: Column<HistoryPointView>[] = [
  { header: 'Day', cell: ({ date }) => date },
  { header: 'Open', isNumber: true, cell: (point) => formatCount(point.findings_total_count) },
  { header: 'By severity', cell: (point) => <Breakdown of={point.severity_breakdown} /> },
  {
    header: 'By blast radius',
    isWide: true,
    cell: ({ blast_breakdown }) =>
      blast_breakdown.map(({ bucket, count }) => `${formatCount(count)} ${bucket}`).join(', '),
  },
];

/** What was open at the end of each of the last 30 days, as a drawing and as a table. */
export function HistorySection({ tenantId }: { tenantId: string }) {
  const history = useQuery(tenantSecurityHistoryOptions({ path: { tenantId } }));
  return (
    <Answer of={history}>
      {({ points }) => (
        <>
          <HistoryChart points={points} />
          <DataTable
            name="History"
            rows={[...points].reverse()}
            rowKey={({ date }) => date}
            columns={COLUMNS}
          />
        </>
      )}
    </Answer>
  );
}
