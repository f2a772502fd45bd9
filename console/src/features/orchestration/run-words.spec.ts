import { outcomeOf } from './run-words';

it('says of a completed run whether it failed, whatever its directories say', () => {
  expect(outcomeOf({ state: 'completed', failed: false })).toBe('success');
  expect(outcomeOf({ state: 'completed', failed: true })).toBe('failure');
  for (const state of ['queued', 'running', 'aborted'] as const)
    expect(outcomeOf({ state, failed: false })).toBe(state);
});
