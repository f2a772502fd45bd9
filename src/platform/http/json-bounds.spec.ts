import * as fc from 'fast-check';
import { excessOf } from './json-bounds.js';

function measure(value: unknown, depth = 1): { members: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { members: 0, depth: depth - 1 };
  const items = Object.values(value).map((item) => measure(item, depth + 1));
  const members = items.reduce((sum, item) => sum + item.members, items.length);
  return { members, depth: Math.max(depth, ...items.map((item) => item.depth)) };
}

const bytesOf = (value: unknown, space?: number): Buffer => Buffer.from(JSON.stringify(value, null, space));

describe('The bounds of a JSON body', () => {
  it('count what the parsed value has, whatever its strings hold and however it is laid out', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, space) => {
        const { members, depth } = measure(value);
        const bytes = bytesOf(value, space);
        const empties = JSON.stringify(value).match(/\[\]|\{\}/g)?.length ?? 0;
        // An empty object or list counts as one with a member.
        expect(excessOf(bytes, { members: members + empties, depth })).toBeUndefined();
        if (members > empties) expect(excessOf(bytes, { members: members - 1, depth })).toContain('members');
        if (depth > 0) expect(excessOf(bytes, { members: Infinity, depth: depth - 1 })).toContain('deep');
      }),
      { numRuns: 500 },
    );
  });

  it('are not fooled by structure in strings and escapes', () => {
    expect(excessOf(Buffer.from('["\\"[[[[,,,,\\\\",1]'), { members: 2, depth: 1 })).toBeUndefined();
  });

  it('read no byte beyond the first excess', () => {
    let read = 0;
    const bytes = new Proxy(bytesOf(Array(100_000).fill(0)), {
      get: (target, name) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) read++;
        return Reflect.get(target, name, target) as unknown;
      },
    });
    expect(excessOf(bytes, { members: 200, depth: 20 })).toContain('200 members');
    expect(read).toBeLessThan(1000);
  });
});
