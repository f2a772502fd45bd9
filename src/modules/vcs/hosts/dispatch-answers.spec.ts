import { requireFinal } from './dispatch-answers.js';

describe('An answer to a dispatch', () => {
  it.each<[number, string, string | undefined]>([
    [500, '', 'PROVIDER_UNAVAILABLE'],
    [502, 'Bad Gateway', 'PROVIDER_UNAVAILABLE'],
    [503, 'Unicorn', 'PROVIDER_UNAVAILABLE'],
    [403, 'You have exceeded a secondary rate limit', 'PROVIDER_REFUSED'],
    [429, 'API rate limit exceeded', 'PROVIDER_REFUSED'],
    [403, 'Resource not accessible by integration', undefined],
    [404, 'Not Found', undefined],
    [422, 'No ref found for: topic', undefined],
  ])('%s %j is %s', (status, reason, expected) => {
    let thrown: unknown;
    try {
      requireFinal({ status, reason });
    } catch (error) {
      thrown = (error as { id: string }).id;
    }
    expect(thrown).toBe(expected);
  });
});
