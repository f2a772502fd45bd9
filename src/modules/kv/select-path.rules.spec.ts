import { parseSelections, selectFrom } from './select-path.rules.js';

const select = (data: string, ...parameters: string[]): string =>
  selectFrom(data, parseSelections(parameters));

describe('What is selected from JSON data', () => {
  it.each([
    ['a=b', '{"b":1.10}', '{"a":1.10}'],
    ['a=$.b[1]."c.d"', '{"b":[0,{"c.d":[]}]}', '{"a":[]}'],
    ['a=$[0]', '[null]', '{"a":null}'],
    ['a=[0][1]', '[[1,"x"]]', '{"a":"x"}'],
    ['a=b=c', '{"b=c":true}', '{"a":true}'],
    ['a="b c"', '{"b c":"\\ud800"}', '{"a":"\\ud800"}'],
    ['a=__proto__.b', '{"__proto__":{"b":1}}', '{"a":1}'],
    ['a=constructor', '{}', '{"a":null}'],
    ['a=b.value', '{"b":{"isLosslessNumber":true,"value":"x"}}', '{"a":"x"}'],
    ['a=length', '[]', '{"a":null}'],
  ])('with %s of %s is %s', (parameter, data, expected) => {
    expect(select(data, parameter)).toBe(expected);
  });

  it('is refused where many paths lead to one large value', () => {
    const data = JSON.stringify('x'.repeat(2 ** 20 - 10));
    const paths = (count: number): string[] => Array.from({ length: count }, (_, n) => `n${n}=a`);
    expect(select(`{"a":${data}}`, ...paths(15)).length).toBeGreaterThan(15 * 2 ** 20 - 1000);
    expect(() => select(`{"a":${data}}`, ...paths(17))).toThrow(/^select must not lead/);
  });

  it('is null where the value is nested too deeply to be written out', () => {
    const answers = new Set<string>();
    for (let depth = 500; depth < 40_000; depth += 500) {
      const data = `{"a":${'['.repeat(depth)}${']'.repeat(depth)},"b":1}`;
      const { a, b } = JSON.parse(select(data, 'a=a', 'b=b')) as { a: unknown; b: unknown };
      answers.add(a === null ? 'null' : 'value');
      expect([1, null]).toContain(b);
    }
    expect([...answers]).toEqual(['value', 'null']);
  });
});
