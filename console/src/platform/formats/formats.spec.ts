import fc from 'fast-check';
import { formatBytes, formatCount, plural } from './numbers';
import { relativeTime } from './relative-time';

it('groups numbers and counts nouns', () => {
  expect([formatCount(1234567), plural(1, 'instance'), plural(2000, 'instance')]).toEqual([
    '1,234,567',
    '1 instance',
    '2,000 instances',
  ]);
});

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_500, '1.5 kB'],
  [5_000_000, '5 MB'],
])('writes %d bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

it('tells the past from the future, also with a wrong clock', () => {
  const now = Date.UTC(2026, 2, 1);
  expect([now, now - 180_000, now + 86_400_000].map((instant) => relativeTime(instant, now))).toEqual([
    'now',
    '3 minutes ago',
    'tomorrow',
  ]);
  const instants = fc.integer({ min: 0, max: 4_000_000_000_000 });
  fc.assert(
    fc.property(instants, instants, (instant, at) => {
      expect(relativeTime(instant, at)).toMatch(/^(?:now|.* ago|in .*|yesterday|tomorrow|(?:last|next) .*)$/);
    }),
  );
});
