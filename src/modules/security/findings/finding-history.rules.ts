import { httpErrors } from '../../../platform/errors/index.js';
import type { HistoryPointView } from '../dto/security.dto.js';
import { severityName } from './effective-severity.rules.js';
import { emptyBreakdown } from './scans.store.js';

/** Findings opened less resolved on a day, by effective severity and blast radius. */
export interface DayDelta {
  day: string;
  severity: number;
  blast: number;
  delta: number;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 1_100;
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** First and last UTC day of the window that a request asks for. */
export function windowOf(query: { from?: unknown; to?: unknown }, now: Date): { from: string; to: string } {
  const to = dayOf('to', query.to) ?? startOfDay(now.getTime());
  const from = dayOf('from', query.from) ?? to - (DEFAULT_DAYS - 1) * DAY_MS;
  if (from > to) throw httpErrors.INVALID_DATE_PARAM('from must not be after to');
  if ((to - from) / DAY_MS + 1 > MAX_DAYS)
    throw httpErrors.INVALID_DATE_PARAM(`from and to must span at most ${MAX_DAYS} days`);
  return { from: textOf(from), to: textOf(to) };
}

function dayOf(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const time = typeof value === 'string' && TIME.test(value) ? Date.parse(zoned(value)) : Number.NaN;
  if (typeof value !== 'string' || Number.isNaN(time) || !isRealDay(value))
    throw httpErrors.INVALID_DATE_PARAM(`${name} must be an ISO 8601 date or timestamp`);
  return startOfDay(time);
}

/** Times without a zone are UTC. */
function zoned(value: string): string {
  return value.includes('T') && !/(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? `${value}Z` : value;
}

/** `Date.parse` takes the 30th of February for the 1st of March. */
function isRealDay(value: string): boolean {
  const day = value.slice(0, 10);
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && textOf(time) === day;
}

function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

function textOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** One point for every day of the window: what was open at its end. */
export function historyOf(
  deltas: readonly DayDelta[],
  { from, to }: { from: string; to: string },
): HistoryPointView[] {
  const byDay = new Map<string, DayDelta[]>();
  for (const delta of deltas) {
    const known = byDay.get(delta.day);
    if (known === undefined) byDay.set(delta.day, [delta]);
    else known.push(delta);
  }
  const first = Date.parse(`${from}T00:00:00Z`);
  const last = Date.parse(`${to}T00:00:00Z`);
  const open = new Map<string, DayDelta>();
  const apply = (list: readonly DayDelta[]): void => {
    for (const delta of list) {
      const key = `${delta.severity} ${delta.blast}`;
      const count = (open.get(key)?.delta ?? 0) + delta.delta;
      if (count === 0) open.delete(key);
      else open.set(key, { ...delta, delta: count });
    }
  };
  apply(byDay.get(textOf(first - DAY_MS)) ?? []);
  const days: { date: string; open: DayDelta[] }[] = [];
  let largest = 0;
  for (let day = first; day <= last; day += DAY_MS) {
    apply(byDay.get(textOf(day)) ?? []);
    const now = [...open.values()];
    for (const { blast } of now) largest = Math.max(largest, blast);
    days.push({ date: textOf(day), open: now });
  }
  return days.map((day) => pointOf(day, largest));
}

function pointOf(
  { date, open }: { date: string; open: readonly DayDelta[] },
  largest: number,
): HistoryPointView {
  const breakdown = emptyBreakdown();
  const buckets = { low: 0, medium: 0, high: 0 };
  let total = 0;
  for (const { severity, blast, delta } of open) {
    total += delta;
    breakdown[severityName(severity)] += delta;
    buckets[bucketOf(blast, largest)] += delta;
  }
  return {
    date,
    findings_total_count: total,
    severity_breakdown: breakdown,
    blast_breakdown: (['low', 'medium', 'high'] as const).map((bucket) => ({
      bucket,
      count: buckets[bucket],
    })),
  };
}

function bucketOf(blast: number, largest: number): 'low' | 'medium' | 'high' {
  if (largest === 0 || blast < largest * 0.25) return 'low';
  return blast > largest * 0.75 ? 'high' : 'medium';
}
