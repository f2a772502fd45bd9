import fc from 'fast-check';
import { couldRead, couldSee, isSince } from './written-comment.rules.js';

const at = (time: string) => new Date(`2026-01-31T${time}Z`);

describe('A comment that asks for an apply', () => {
  // The clock of the provider is 20 seconds ahead.
  const said = { completedAt: at('09:59:38'), sayingAt: at('09:59:40'), saidAt: at('10:00:00') };

  it.each([
    ['10:00:00.000', true],
    ['09:59:58.000', true],
    ['09:59:57.999', false],
    ['09:00:00.000', false],
  ])(
    'could have read the plan when it was written at %s by the clock of the provider: %s',
    (createdAt, expected) => {
      expect(couldRead({ createdAt: at(createdAt), receivedAt: at('10:30:00') }, said)).toBe(expected);
    },
  );

  it('is judged by the clock of the provider alone, however far the one of this service is off', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: -1e4, max: 1e4 }), (skew, after) => {
        const createdAt = new Date(said.saidAt.getTime() + after * 1000);
        const receivedAt = new Date(createdAt.getTime() + skew);
        const completedAt = new Date(said.completedAt.getTime() + skew);
        const sayingAt = new Date(said.sayingAt.getTime() + skew);
        expect(couldRead({ createdAt, receivedAt }, { ...said, completedAt, sayingAt })).toBe(after >= -2);
      }),
    );
  });

  it.each([
    ['arrived after it ended', '10:00:01', '09:59:39', true],
    ['was written in the second in which it ended', '09:59:38', '09:59:39', true],
    ['arrived before it ended', '10:00:01', '09:59:37', false],
    ['was written before it ended', '09:59:37', '10:00:00', false],
    ['was delivered late', '09:50:00', '10:30:00', false],
  ])('of a plan without a comment yet: the one that %s', (_, createdAt, receivedAt, expected) => {
    const times = { createdAt: at(createdAt), receivedAt: at(receivedAt) };
    expect(couldRead(times, { ...said, sayingAt: null, saidAt: null })).toBe(expected);
  });

  it.each([
    ['arrived after it', '10:00:01', '09:59:39', true],
    ['comes from a clock that is behind', '09:56:00', '09:59:39', true],
    ['arrived before it', '10:00:01', '09:59:37', false],
    ['was delivered late', '09:50:00', '10:30:00', false],
  ])('may have been written since a moment: the one that %s', (_, createdAt, receivedAt, expected) => {
    const times = { createdAt: at(createdAt), receivedAt: at(receivedAt) };
    expect(isSince(times, said.completedAt)).toBe(expected);
  });

  it.each([
    ['came before it', at('10:00:00'), true],
    ['came after it', at('10:00:02'), false],
    ['came at a time that nobody knows', null, false],
  ])('could have seen a commit that %s: %s', (_, since, expected) => {
    expect(couldSee({ createdAt: at('10:00:01'), receivedAt: at('10:00:01') }, { since })).toBe(expected);
  });

  it('needs nothing of a provider that says no times', () => {
    expect(couldRead({ createdAt: undefined, receivedAt: at('10:00:00') }, said)).toBe(true);
    expect(couldRead({ createdAt: undefined, receivedAt: at('09:00:00') }, said)).toBe(false);
  });
});
