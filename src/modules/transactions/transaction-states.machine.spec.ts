import * as fc from 'fast-check';
import {
  isActive,
  next,
  TRANSACTION_STATES,
  type Trigger,
  TRANSITIONS,
} from './transaction-states.machine.js';

const triggers = Object.keys(TRANSITIONS) as Trigger[];

describe('the states of a transaction', () => {
  it('end: nothing leads out of committed, failed and aborted', () => {
    for (const state of ['committed', 'failed', 'aborted'] as const)
      expect(triggers.filter((trigger) => next(state, trigger) !== undefined)).toEqual([]);
  });

  it('are all reached from open', () => {
    const reached = new Set<string>(['open']);
    for (let size = 0; size !== reached.size;) {
      size = reached.size;
      for (const state of TRANSACTION_STATES)
        if (reached.has(state)) for (const trigger of triggers) reached.add(next(state, trigger) ?? state);
    }
    expect([...reached].sort()).toEqual([...TRANSACTION_STATES].sort());
  });

  it('once ended, never become active again, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...triggers), { maxLength: 20 }), (events) => {
        let state: (typeof TRANSACTION_STATES)[number] = 'open';
        let ended = false;
        for (const event of events) {
          state = next(state, event) ?? state;
          if (ended) expect(isActive(state)).toBe(false);
          ended ||= !isActive(state);
        }
      }),
    );
  });

  it('can be aborted exactly while active', () => {
    for (const state of TRANSACTION_STATES) expect(next(state, 'abort') === 'aborted').toBe(isActive(state));
  });
});
