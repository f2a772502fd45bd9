import { type DayDelta, historyOf } from './finding-history.rules.js';

const [LOW, MEDIUM, HIGH] = [1, 2, 3];
const delta = (day: string, blast: number, count: number, severity = HIGH): DayDelta => ({
  day: `2026-03-${day}`,
  severity,
  blast,
  delta: count,
});
const WINDOW = { from: '2026-03-02', to: '2026-03-04' };

/** Of each day: date, all findings, and those of each blast bucket. */
function told(deltas: readonly DayDelta[], window = WINDOW): unknown[] {
  return historyOf(deltas, window).map((point) => [
    point.date.slice(-2),
    point.findings_total_count,
    ...point.blast_breakdown.map(({ bucket, count }) => `${bucket} ${count}`),
  ]);
}

describe('History of findings', () => {
  it.each([
    [0, 'low'],
    [24, 'low'],
    [25, 'medium'],
    [50, 'medium'],
    [75, 'medium'],
    [76, 'high'],
    [100, 'high'],
  ])('puts a blast of %i of 100 into %s', (blast, bucket) => {
    const largest = delta('02', 100, 1, LOW);
    const [point] = historyOf([largest, delta('02', blast, 5)], WINDOW);
    const counts = { low: 0, medium: 0, high: 1, [bucket]: bucket === 'high' ? 6 : 5 };
    expect(point?.blast_breakdown).toEqual(
      (['low', 'medium', 'high'] as const).map((name) => ({ bucket: name, count: counts[name] })),
    );
  });

  it.each([
    ['has zeros without findings', [], [[0], [0], [0]]],
    [
      'has low blasts only where nothing depends on anything',
      [delta('02', 0, 3)],
      [
        [3, 3],
        [3, 3],
        [3, 3],
      ],
    ],
    [
      'carries what was open before the window, and days without scans',
      [delta('01', 10, 2), delta('04', 10, -1)],
      [
        [2, 0, 0, 2],
        [2, 0, 0, 2],
        [1, 0, 0, 1],
      ],
    ],
    [
      'opens and resolves on one day without a trace',
      [delta('03', 10, 4), delta('03', 10, -4)],
      [[0], [0], [0]],
    ],
    [
      'rates by the largest blast of all days',
      [delta('02', 10, 1), delta('04', 100, 1)],
      [
        [1, 1],
        [1, 1],
        [2, 1, 0, 1],
      ],
    ],
    [
      'forgets the largest blast that was gone before the window',
      [delta('01', 100, 1), delta('01', 10, 1), delta('02', 100, -1)],
      [
        [1, 0, 0, 1],
        [1, 0, 0, 1],
        [1, 0, 0, 1],
      ],
    ],
    ['ignores days after the window', [delta('05', 10, 9)], [[0], [0], [0]]],
  ] as [string, DayDelta[], number[][]][])('%s', (_name, deltas, counts) => {
    expect(told(deltas)).toEqual(
      counts.map(([total = 0, low = 0, medium = 0, high = 0], at) => [
        `0${at + 2}`,
        total,
        `low ${low}`,
        `medium ${medium}`,
        `high ${high}`,
      ]),
    );
  });

  it('has a point for each day over the end of a month and of a year', () => {
    const points = historyOf([], { from: '2027-12-30', to: '2028-03-01' });
    expect(points).toHaveLength(63);
    expect(points.map(({ date }) => date)).toEqual(expect.arrayContaining(['2028-01-01', '2028-02-29']));
    expect(new Set(points.map(({ date }) => date)).size).toBe(63);
  });

  it('the history counts findings by severity', () => {
    const deltas = [
      delta('02', 1, 2, MEDIUM),
      delta('03', 1, -1, MEDIUM),
      delta('03', 1, 1, LOW),
      delta('04', 1, 3, -1),
    ];
    const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0, unknown: 0 };
    expect(historyOf(deltas, WINDOW).map((point) => point.severity_breakdown)).toEqual([
      { ...none, medium: 2 },
      { ...none, medium: 1, low: 1 },
      { ...none, medium: 1, low: 1, unknown: 3 },
    ]);
  });
});
