import { EVERYTHING, type NodeChange } from '../publishing/document-difference.rules.js';
import { isSameObject, possibleMoves } from './moved-instance.rules.js';

const instance = (attributes: Record<string, unknown>, rest = {}) => JSON.stringify({ ...rest, attributes });

describe('A moved instance', () => {
  it('is the same object with the same id, whatever else changed', () => {
    expect(isSameObject(instance({ id: 'i-1', a: 1 }), instance({ a: 2, id: 'i-1' }, { index_key: 0 }))).toBe(
      true,
    );
    expect(isSameObject(instance({ id: 'i-1' }), instance({ id: 'i-2' }))).toBe(false);
  });

  it('is the same object with the same attributes where it has no id', () => {
    expect(isSameObject(instance({ a: 1, b: { c: 2, d: 3 } }), instance({ b: { d: 3, c: 2 }, a: 1 }))).toBe(
      true,
    );
    expect(isSameObject(instance({ a: 1 }), instance({ a: 2 }))).toBe(false);
    expect(isSameObject(undefined, instance({}))).toBe(false);
  });

  describe('is looked for', () => {
    const node = (type: string) => ({ type, mode: 'managed' }) as NodeChange['before'] & object;
    const removed = { key: 'k', op: 'r', before: node('a') } as NodeChange;
    const mine = (key: string, type: string) => ({ key, op: 'a', after: node(type) }) as NodeChange;
    const theirs = (key: string, type: string) => ({ key, op: 'r', before: node(type) }) as NodeChange;
    const log = (key: string, tx: string) => ({ key, tx_id: tx });

    it('among what the writer brought of its type', () => {
      expect(possibleMoves([removed], { mine: [mine('x', 'z')], theirs: [] }, [])).toEqual([]);
      expect(possibleMoves([removed], { mine: [mine('x', 'a')], theirs: [] }, [])).toEqual([
        { removed, destinations: { mine: ['x'], theirs: [] } },
      ]);
    });

    it('among what others brought of its type, in the write that removed it', () => {
      const brought = { mine: [], theirs: [theirs('x', 'a')] };
      expect(possibleMoves([removed], brought, [log('k', '1'), log('x', '2')])).toEqual([]);
      expect(possibleMoves([removed], brought, [log('k', '1'), log('x', '1')])).toEqual([
        { removed, destinations: { mine: [], theirs: ['x'] } },
      ]);
    });

    it('among what others brought in later writes, when these changed what the write that removed it changed', () => {
      const brought = { mine: [], theirs: [theirs('x', 'a')] };
      const first = [log('k', '1'), log('m', '1')];
      expect(possibleMoves([removed], brought, [...first, log('x', '3')])).toEqual([]);
      const later = [log('x', '3'), log('n', '3'), log('n', '2'), log('m', '2')];
      const found = [{ removed, destinations: { mine: [], theirs: ['x'] } }];
      expect(possibleMoves([removed], brought, [...first, ...later])).toEqual(found);
      expect(possibleMoves([removed], brought, [...later, ...first])).toEqual(found);
    });

    it('among everything when the log does not name the changes of a write', () => {
      const brought = { mine: [], theirs: [theirs('x', 'a')] };
      const found = [{ removed, destinations: { mine: [], theirs: ['x'] } }];
      expect(possibleMoves([removed], brought, [log('k', '1'), log('x', '2'), log(EVERYTHING, '3')])).toEqual(
        found,
      );
      expect(possibleMoves([removed], brought, [log(EVERYTHING, '3')])).toEqual(found);
      expect(possibleMoves([removed], brought, [])).toEqual([]);
    });
  });
});
