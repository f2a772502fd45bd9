import { isRateLimited, isTransient, pauseBefore } from './retry-after.rules.js';

const now = new Date('2026-01-01T00:00:00Z');
const head = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers: new Headers(headers),
});
const pause = (answer: ReturnType<typeof head> | undefined, attempt = 1, random = 1) =>
  pauseBefore(answer, { attempt, now, random });

describe('An answer that may be asked for again', () => {
  it('is a failure of the server, or one of a limit', () => {
    expect([500, 502, 503, 429].map((status) => isTransient(head(status)))).toEqual([true, true, true, true]);
    expect([200, 304, 400, 403, 404, 422].map((status) => isTransient(head(status)))).not.toContain(true);
    expect(isRateLimited(head(403, { 'retry-after': '5' }))).toBe(true);
    expect(isRateLimited(head(403, { 'x-ratelimit-remaining': '0' }))).toBe(true);
    expect(isRateLimited(head(403, { 'x-ratelimit-remaining': '1' }))).toBe(false);
  });

  it('is asked for when the server says', () => {
    expect(pause(head(503, { 'retry-after': '30' }))).toBe(30_000);
    expect(pause(head(503, { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }))).toBe(60_000);
    expect(pause(head(503, { 'retry-after': 'Thu, 01 Jan 2020 00:01:00 GMT' }))).toBe(0);
    const reset = String(now.getTime() / 1000 + 90);
    expect(pause(head(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }))).toBe(90_000);
    expect(pause(head(429, { 'ratelimit-reset': reset }))).toBe(90_000);
  });

  it('is asked for after a day at most: timers end at once beyond 24 days', () => {
    const day = 24 * 3_600_000;
    expect(pause(head(503, { 'retry-after': '999999999' }))).toBe(day);
    expect(pause(head(503, { 'retry-after': 'Thu, 01 Jan 2099 00:01:00 GMT' }))).toBe(day);
    expect(pause(head(429, { 'x-ratelimit-reset': '999999999999' }))).toBe(day);
  });

  it('is asked for after growing pauses where the server says nothing, or nonsense', () => {
    expect([1, 2, 3].map((attempt) => pause(undefined, attempt))).toEqual([1_000, 2_000, 4_000]);
    expect(pause(head(500), 20)).toBe(60_000);
    expect(pause(head(503, { 'retry-after': 'soon' }), 1, 0)).toBe(500);
    expect(pause(head(503, { 'x-ratelimit-reset': '99999999999' }), 1)).toBe(1_000);
  });
});
