import { pauseBefore } from './retry-after.rules.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const get = { method: 'GET', repeat: 'safe' } as const;

describe('the pause before another attempt', () => {
  it.each([429, 502, 503])('is what a %i asks for', (status) => {
    expect(pauseBefore(get, { status, retryAfter: '7' }, NOW)).toBe(7);
  });

  it('is reckoned from a date too, and never negative', () => {
    const at = (retryAfter: string): number | undefined => pauseBefore(get, { status: 503, retryAfter }, NOW);
    expect(at('Thu, 01 Jan 2026 00:00:30 GMT')).toBe(30);
    expect(at('Wed, 31 Dec 2025 23:00:00 GMT')).toBe(0);
    expect(at('soon')).toBeUndefined();
  });

  it('does not come where nobody asked for it, where it takes too long, or after another failure', () => {
    expect(pauseBefore(get, { status: 503, retryAfter: null }, NOW)).toBeUndefined();
    expect(pauseBefore(get, { status: 503, retryAfter: '3600' }, NOW)).toBeUndefined();
    expect(pauseBefore(get, { status: 500, retryAfter: '1' }, NOW)).toBeUndefined();
  });

  it('comes before another POST only where that is said to do no harm', () => {
    const busy = { status: 429, retryAfter: '1' };
    expect(pauseBefore({ method: 'POST', repeat: 'safe' }, busy, NOW)).toBeUndefined();
    expect(pauseBefore({ method: 'POST', repeat: 'all' }, busy, NOW)).toBe(1);
    expect(pauseBefore({ method: 'DELETE', repeat: 'safe' }, busy, NOW)).toBe(1);
  });
});
