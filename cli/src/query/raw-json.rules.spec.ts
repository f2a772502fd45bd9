import fc from 'fast-check';
import { elementsOf, membersOf } from './raw-json.rules.js';

describe('parts of a JSON text', () => {
  it('are the elements of an array and the members of an object as they are written', () => {
    expect(elementsOf('[ 1.10 , {"a":[1,2]},"x,]" ]')).toEqual(['1.10', '{"a":[1,2]}', '"x,]"']);
    expect([...membersOf('{"a:b" : 12345678901234567890, "c\\"}": {"d": [1]} }')]).toEqual([
      ['a:b', '12345678901234567890'],
      ['c"}', '{"d": [1]}'],
    ]);
  });

  it('are none of an empty array and an empty object', () => {
    expect(elementsOf('[]')).toEqual([]);
    expect(membersOf(' { } ').size).toBe(0);
  });

  it('mean what they mean to JSON.parse', () => {
    const space = fc.constantFrom(undefined, 1);
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), space, (values, indent) => {
        const parts = elementsOf(JSON.stringify(values, null, indent));
        expect(parts.map((part) => JSON.parse(part) as unknown)).toEqual(
          JSON.parse(JSON.stringify(values)) as unknown,
        );
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), space, (value, indent) => {
        const parts = membersOf(JSON.stringify(value, null, indent));
        const parsed = [...parts].map(([name, part]) => [name, JSON.parse(part) as unknown]);
        expect(parsed).toEqual(Object.entries(JSON.parse(JSON.stringify(value)) as object));
      }),
    );
  });
});
