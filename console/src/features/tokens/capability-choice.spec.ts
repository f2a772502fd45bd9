/** @jest-environment @happy-dom/jest-environment */
import { canPick, type Choice, consistent, EVERYTHING, grantsOf, sentenceOf } from './capability-choice';

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
