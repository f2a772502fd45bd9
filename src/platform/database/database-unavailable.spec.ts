import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { isDatabaseUnavailable } from './database-unavailable.js';

const coded = (code: string) => Object.assign(new Error('a failure'), { code });

describe('isDatabaseUnavailable', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', '08006', '08001', '57P01', '57P02', '57P03', '53300', '25006'])(
    'sees %s, also where TypeORM has wrapped it',
    (code) => {
      expect(isDatabaseUnavailable(coded(code))).toBe(true);
      expect(isDatabaseUnavailable(new QueryFailedError('SELECT 1', [], coded(code)))).toBe(true);
      expect(isDatabaseUnavailable(new AggregateError([coded(code)]))).toBe(true);
    },
  );

  it('sees a pool that is used up, and connections that end', () => {
    for (const message of ['timeout exceeded when trying to connect', 'Connection terminated unexpectedly']) {
      expect(isDatabaseUnavailable(new Error(message))).toBe(true);
      expect(isDatabaseUnavailable(new QueryFailedError('SELECT 1', [], new Error(message)))).toBe(true);
    }
    expect(isDatabaseUnavailable(new QueryRunnerAlreadyReleasedError())).toBe(true);
  });

  it.each([coded('23505'), coded('57014'), coded('22P02'), new TypeError('x'), 'ECONNREFUSED', undefined])(
    'does not see it in %p',
    (error) => expect(isDatabaseUnavailable(error)).toBe(false),
  );
});
