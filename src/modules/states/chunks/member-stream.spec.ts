import fc from 'fast-check';
import { anyText } from '../../../../test/support/any-text.js';
import { NotJson } from '../../documents/index.js';
import { MemberStream, UnfitObject } from './member-stream.js';

function inParts(text: string, size: number): { passed: string; members: Map<string, string> } {
  const stream = new MemberStream('state');
  const bytes = Buffer.from(text);
  const passed: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) passed.push(...stream.take(bytes.subarray(at, at + size)));
  stream.end();
  stream.members.delete('state');
  return {
    passed: Buffer.concat(passed).toString(),
    members: new Map([...stream.members].map(([name, value]) => [name, value.toString()])),
  };
}

describe('An object that arrives in parts', () => {
  it('passes the bytes of one member on and keeps the others, wherever it is cut', () => {
    const names = anyText().filter((name) => name !== 'state' && name !== '__proto__');
    fc.assert(
      fc.property(
        fc.dictionary(names, fc.jsonValue(), { noNullPrototype: true }),
        fc.jsonValue(),
        fc.nat(),
        fc.constantFrom(0, 1, 3),
        fc.integer({ min: 1, max: 40 }),
        (others, state, place, indent, size) => {
          const entries = Object.entries(others);
          const at = place % (entries.length + 1);
          const all = [...entries.slice(0, at), ['state', state], ...entries.slice(at)] as const;
          const print = (value: unknown) => JSON.stringify(value, null, indent);
          const body = ` {${all.map(([name, value]) => `${print(name)} :\n${print(value)}`).join(' ,')} }\r\n`;
          const { passed, members } = inParts(body, size);
          // What stands between it and the end of the object is the end of the file that was sent.
          expect(passed).toBe(at === entries.length ? `${print(state)} ` : print(state));
          expect([...members]).toEqual(entries.map(([name, value]) => [name, print(value)]));
        },
      ),
    );
  });

  it.each([
    '',
    '{',
    '{"a"',
    '{"a":1',
    '{"a":1,}',
    '{,}',
    '[]',
    '1',
    '{"a":1}x',
    '{"a" 1}',
    '{a:1}',
    '{"state":{}',
  ])('is none: %s', (text) => {
    for (const size of [1, 100]) expect(() => inParts(text, size)).toThrow(NotJson);
  });

  it('is not kept without end, and not passed on twice', () => {
    expect(() => inParts(`{"a":"${'x'.repeat(2 ** 20)}"}`, 1000)).toThrow(UnfitObject);
    expect(() => inParts('{"state":{},"state":{}}', 5)).toThrow(UnfitObject);
    expect(inParts(`{"state":"${'x'.repeat(2 ** 20)}"}`, 1000).passed).toHaveLength(2 ** 20 + 2);
  });
});
