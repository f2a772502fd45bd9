import { EXIT_CODES, exitCodeOf, Failure, ServiceFailure, UsageFailure } from './failure.js';

describe('The exit code of a failure', () => {
  it.each([
    [new UsageFailure('x'), EXIT_CODES.usage],
    [new Failure('STATE_UNKNOWN', 'x'), EXIT_CODES.notFound],
    [new Failure('TX_CONFLICT', 'x'), EXIT_CODES.conflict],
    [new ServiceFailure(401, 'UNAUTHENTICATED', 'x'), EXIT_CODES.denied],
    [new ServiceFailure(403, 'FORBIDDEN', 'x'), EXIT_CODES.denied],
    [new ServiceFailure(404, 'STATE_NOT_FOUND', 'x'), EXIT_CODES.notFound],
    [new ServiceFailure(409, 'STATE_EXISTS', 'x'), EXIT_CODES.conflict],
    [new ServiceFailure(423, 'STATE_LOCKED', 'x'), EXIT_CODES.conflict],
    [new ServiceFailure(503, 'UNAVAILABLE', 'x'), EXIT_CODES.unavailable],
    [new ServiceFailure(400, 'INVALID_REQUEST', 'x'), EXIT_CODES.failure],
    [new Failure('APPLY_FAILED', 'x'), EXIT_CODES.failure],
  ])('%p tells scripts what to do: %i', (failure, code) => expect(exitCodeOf(failure)).toBe(code));

  it('is never that of a plan with changes', () => {
    expect(Object.values(EXIT_CODES)).not.toContain(2);
  });
});
