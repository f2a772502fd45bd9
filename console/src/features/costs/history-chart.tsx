import type { CostHistoryView, CostPointView } from '../../platform/client';
import { Empty } from '../../platform/errors';
import { type Column, DataTable } from '../../platform/table';
import { approximate, formatAmount } from './amounts';
import classes from './history-chart.module.css';

const [WIDTH, HEIGHT] = [720, 180];
const MAX_COLUMNS = 8;

/** What the states cost day by day: bars for a quick look, and the figures in a table. */
export function HistoryChart({ history }: { history: CostHistoryView }) {
  const { currency } = history;
  const points = sinceTheFirst(history.points);
  if (points.length === 0) return <Empty>No state was priced in these days.</Empty>;
  const names = [...new Set(points.flatMap(({ groups }) => groups.map(({ name }) => name)))];
  const last = points.at(-1);
  const shown = names
    .sort((left, right) => amountOf(last, right) - amountOf(last, left))
    .slice(0, MAX_COLUMNS);
  const columns: Column<CostPointView>[] = [
    { header: 'Day', cell: ({ date }) => date },
    { header: 'A month', isNumber: true, cell: (point) => formatAmount(point.monthly_cost, currency) },
    ...shown.map((name) => ({
      header: name,
      isNumber: true,
      isWide: true,
      cell: (point: CostPointView) =>
        formatAmount(point.groups.find((group) => group.name === name)?.monthly_cost),
    })),
  ];
  return (
    <>
      {points.some(({ monthly_cost }) => approximate(monthly_cost) > 0) && <Bars points={points} />}
      <DataTable
        name="History"
        columns={columns}
        rows={points.toReversed()}
        rowKey={({ date }) => date}
        isSideways={shown.length > 3}
      />
    </>
  );
}

/** Days before the first estimate say nothing. */
function sinceTheFirst(points: readonly CostPointView[]): CostPointView[] {
  const first = points.findIndex(({ monthly_cost }) => monthly_cost !== undefined);
  return first < 0 ? [] : points.slice(first);
}

function amountOf(point: CostPointView | undefined, name: string): number {
  return approximate(point?.groups.find((group) => group.name === name)?.monthly_cost);
}

/** The table below says the same in figures. */
function Bars({ points }: { points: readonly CostPointView[] }) {
  const most = Math.max(1, ...points.map((point) => approximate(point.monthly_cost)));
  const step = WIDTH / Math.max(1, points.length);
  return (
    <svg
      className={classes.chart}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {points.map((point, index) => {
        const height = (approximate(point.monthly_cost) / most) * (HEIGHT - 4);
        return (
          <rect
            key={point.date}
            className={classes.bar}
            x={index * step}
            y={HEIGHT - height}
            width={Math.max(0.5, step - 1)}
            height={height}
          />
        );
      })}
    </svg>
  );
}
