import fc from 'fast-check';
import { completions, exactAddress, quoted, searchOf } from './search-terms';

it('takes words for parts of an address, and terms as they are', () => {
  expect([searchOf('  '), searchOf('vpc main'), searchOf('type:aws_vpc')]).toEqual([
    undefined,
    'address:*vpc* address:*main*',
    'type:aws_vpc',
  ]);
});

it('completes keys, then types, and leaves the terms before alone', () => {
  expect(completions('module:a ty', [])).toEqual(['module:a type:']);
  expect(completions('type:vpc', ['aws_vpc', 'aws_subnet'])).toEqual(['type:aws_vpc']);
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), (typed, types) => {
      const before = typed.slice(0, typed.lastIndexOf(' ') + 1);
      for (const one of completions(typed, types)) expect(one.startsWith(before)).toBe(true);
    }),
  );
});

it('quotes any text so that it can be read back', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const inside = quoted(text).slice(1, -1);
      expect(inside.replace(/\\(["\\])/g, '$1')).toBe(text);
      expect(/(?:^|[^\\])(?:\\\\)*"/.test(inside)).toBe(false);
      expect(exactAddress(text)).toBe(`address:"${inside}"`);
    }),
  );
});
