/** @jest-environment @happy-dom/jest-environment */
import fc from 'fast-check';
import { allows, CAPABILITIES, type Grants } from '../../platform/access';
import {
  canPick,
  type Choice,
  consistent,
  EVERYTHING,
  grantsOf,
  isComplete,
  PICKABLE,
  sentenceOf,
} from './capability-choice';

const chosen = (change: Partial<Choice>): Choice => ({ ...EVERYTHING, isEverything: false, ...change });

it('names what a key may do and where', () => {
  const choice = chosen({ capabilities: ['preview', 'commit'], where: 'states', states: ['1'] });
  expect(sentenceOf(choice, () => 'network')).toBe('This key may plan and write and apply on network.');
  expect(grantsOf(choice)).toEqual({ preview: { states: { 1: ['*'] } }, commit: { states: { 1: ['*'] } } });
});

it('inherits everything without a capabilities object', () => {
  expect(grantsOf(EVERYTHING)).toBeUndefined();
});

it('lets nobody pick what they lack', () => {
  const held = { commit: { tenants: ['a'] } };
  expect(canPick(held, 'commit', chosen({ where: 'everywhere' }))).toBe(false);
  expect(canPick(held, 'commit', chosen({ where: 'tenants', tenants: ['a'] }))).toBe(true);
  expect(canPick(held, 'commit', chosen({ where: 'tenants', tenants: ['a', 'b'] }))).toBe(false);
  expect(
    consistent(held, chosen({ where: 'tenants', tenants: ['b'], capabilities: ['commit'] })).capabilities,
  ).toEqual([]);
});

const IDS = ['a', 'b', 'c'];
const scopes = fc.oneof(
  fc.constant({}),
  fc.record({ tenants: fc.subarray(IDS) }),
  fc.record({ states: fc.dictionary(fc.constantFrom(...IDS), fc.constant(['*'])) }),
);
const grants: fc.Arbitrary<Grants> = fc.dictionary(fc.constantFrom(...CAPABILITIES), scopes);
const choices: fc.Arbitrary<Choice> = fc.record({
  isEverything: fc.constant(false),
  capabilities: fc.subarray(PICKABLE.map(({ capability }) => capability)),
  where: fc.constantFrom('everywhere', 'tenants', 'states'),
  tenants: fc.subarray(IDS),
  states: fc.subarray(IDS),
  statesOf: fc.constantFrom(...IDS),
});

it('never gives a key more than its creator holds, wherever it is to hold', () => {
  fc.assert(
    fc.property(grants, choices, (held, choice) => {
      const kept = consistent(held, choice);
      fc.pre(isComplete(kept));
      for (const capability of kept.capabilities) {
        const places =
          kept.where === 'everywhere'
            ? [{}]
            : kept.where === 'tenants'
              ? kept.tenants.map((tenantId) => ({ tenantId }))
              : kept.states.map((stateId) => ({ stateId, tenantId: kept.statesOf }));
        for (const place of places) expect(allows(held, { capability, ...place })).toBe(true);
      }
    }),
  );
});

it('drops nothing that could still be picked, and says everything that it gives', () => {
  fc.assert(
    fc.property(grants, choices, (held, choice) => {
      const kept = consistent(held, choice);
      expect(consistent(held, kept)).toEqual(kept);
      for (const capability of choice.capabilities)
        expect(kept.capabilities.includes(capability)).toBe(canPick(held, capability, choice));
      if (!isComplete(kept)) return;
      expect(Object.keys(grantsOf(kept) ?? {})).toEqual(kept.capabilities);
      const sentence = sentenceOf(kept, (id) => `<${id}>`);
      const places = kept.where === 'everywhere' ? [] : kept[kept.where];
      for (const id of places) expect(sentence).toContain(`<${id}>`);
      for (const { capability, doing } of PICKABLE)
        if (kept.capabilities.includes(capability)) expect(sentence).toContain(doing);
    }),
  );
});
