import type { HistoryPointView } from '../../platform/client';
import { SEVERITIES } from './severities';

const [WIDTH, HEIGHT] = [600, 120];
/** Shades of the colour of the console, the worst the darkest: the table has the figures. */
const OPACITIES = [1, 0.7, 0.45, 0.3, 0.2, 0.1];

/** Bars of open findings, one a day. The table beside it is what screen readers get. */
export function HistoryChart({ points }: { points: readonly HistoryPointView[] }) {
  const most = Math.max(1, ...points.map((point) => point.findings_total_count));
  const width = WIDTH / Math.max(1, points.length);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width="100%" aria-hidden="true" preserveAspectRatio="none">
      {points.map((point, day) => (
        <g key={point.date}>
          {barsOf(point, most).map(({ name, y, height, opacity }) => (
            <rect
              key={name}
              x={day * width + 1}
              y={y}
              width={Math.max(1, width - 2)}
              height={height}
              fill="var(--mantine-primary-color-filled)"
              fillOpacity={opacity}
            />
          ))}
        </g>
      ))}
    </svg>
  );
}

function barsOf({ severity_breakdown: counts }: HistoryPointView, most: number) {
  let bottom = HEIGHT;
  return SEVERITIES.map((name, rank) => {
    const height = (counts[name] / most) * HEIGHT;
    bottom -= height;
    return { name, y: bottom, height, opacity: OPACITIES[rank] ?? 0.1 };
  });
}
