/** @jest-environment @happy-dom/jest-environment */
import { refuseNonObject, refusePage, toFailure } from './failure';
import { isWorthRetrying, waitMs } from './query-client';

const failed = (status: number, headers: Record<string, string> = {}) =>
  toFailure({ id: 'X', data: 'x' }, new Response('', { status, headers }));

it('waits as long as the service asks, in seconds or until a date of its own clock', () => {
  expect(waitMs(0, failed(503, { 'Retry-After': '7' }))).toBe(7_000);
  const dates = { Date: 'Mon, 01 Jan 2035 00:00:00 GMT', 'Retry-After': 'Mon, 01 Jan 2035 00:01:30 GMT' };
  expect(waitMs(3, failed(429, dates))).toBe(90_000);
  expect(waitMs(0, failed(429, { ...dates, 'Retry-After': 'Sun, 31 Dec 2034 00:00:00 GMT' }))).toBe(0);
});

it('backs off by itself where the service says nothing, or nothing that can be read', () => {
  for (const asked of ['', 'soon', '-1', '1.5'])
    expect([0, 1, 2, 9].map((failures) => waitMs(failures, failed(503, { 'Retry-After': asked })))).toEqual([
      500, 1_000, 2_000, 30_000,
    ]);
});

it('repeats only what was refused for a moment, a few times, and no wait that is too long', () => {
  const retried = [0, 400, 401, 403, 404, 409, 429, 500, 502, 503, 504].filter((status) =>
    isWorthRetrying(0, status === 0 ? toFailure(new TypeError('x'), undefined) : failed(status)),
  );
  expect(retried).toEqual([0, 429, 502, 503, 504]);
  expect(isWorthRetrying(4, failed(503))).toBe(false);
  expect(isWorthRetrying(0, failed(429, { 'Retry-After': '3600' }))).toBe(false);
  expect(isWorthRetrying(0, new SyntaxError('x'))).toBe(false);
});

it('takes no page for data', () => {
  const answer = (type: string, status = 200) =>
    new Response('', { status, headers: { 'Content-Type': type } });
  expect(() => refusePage(answer('text/html; charset=utf-8'))).toThrow('a page instead of data');
  for (const fine of [
    answer('application/json'),
    answer('application/octet-stream'),
    answer('text/html', 502),
  ])
    expect(() => refusePage(fine)).not.toThrow();
});

it('takes nothing for data that is no object', async () => {
  for (const data of [null, 7, 'x', true]) await expect(refuseNonObject(data)).rejects.toThrow('nothing');
  for (const data of [{}, []]) await expect(refuseNonObject(data)).resolves.toBeUndefined();
});
