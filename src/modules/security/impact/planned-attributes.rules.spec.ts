import fc from 'fast-check';
import { UNKNOWN } from '../engine/attribute-path.rules.js';
import { plannedStateOf } from './planned-attributes.rules.js';

const change = (
  actions: string[],
  more: object = {},
  after: unknown = {},
  after_unknown: unknown = {},
): unknown => ({
  address: 'aws_x.a',
  mode: 'managed',
  type: 'aws_x',
  change: { actions, after, after_unknown },
  ...more,
});
const of = (...resource_changes: unknown[]) => plannedStateOf({ resource_changes });

describe('What a plan makes of a state', () => {
  it('has created, updated and replaced instances with what is not known yet marked', () => {
    const after = { name: 'a', block: [{ open: true }], tags: null };
    const unknown = { id: true, block: [{ arn: true }], tags: {} };
    const expected = { name: 'a', id: UNKNOWN, block: [{ open: true, arn: UNKNOWN }], tags: null };
    for (const actions of [['create'], ['update'], ['delete', 'create'], ['create', 'delete']])
      expect(of(change(actions, {}, after, unknown))).toEqual({
        touched: ['aws_x.a'],
        instances: [{ address: 'aws_x.a', type: 'aws_x', attributes: expected }],
      });
  });

  it('loses deleted and forgotten instances, and keeps what is not touched', () => {
    expect(of(change(['delete']), change(['forget'], { address: 'aws_x.b' }))).toEqual({
      touched: ['aws_x.a', 'aws_x.b'],
      instances: [],
    });
    const data = change(['read'], { mode: 'data' });
    const deposed = change(['delete'], { deposed: 'abcd' });
    expect(of(change(['no-op']), data, deposed)).toEqual({ touched: [], instances: [] });
  });

  it('moves instances without any other change', () => {
    expect(of(change(['no-op'], { previous_address: 'aws_x.old' }, { a: 1 }))).toEqual({
      touched: ['aws_x.a', 'aws_x.old'],
      instances: [{ address: 'aws_x.a', type: 'aws_x', attributes: { a: 1 }, previousAddress: 'aws_x.old' }],
    });
  });

  it('is total on any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (plan, after, unknown) => {
        plannedStateOf(plan);
        of(change(['create'], {}, after, unknown), plan);
      }),
    );
  });
});
