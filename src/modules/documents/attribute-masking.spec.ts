import * as fc from 'fast-check';
import { jsonTrees, Tree } from '../../../test/support/document-generator.js';
import { projectAttributes } from './attribute-masking.js';
import { minifiedJson } from './json-scanner.js';
import { MASK, pathsOf } from './masked-paths.js';

const SECRET = '"tok-3n-th4t-must-n0t-leak"';

function jsonOf(tree: Tree): string {
  if ('token' in tree) return tree.token;
  if ('items' in tree) return `[${tree.items.map(jsonOf).join(',')}]`;
  return `{${tree.members.map(([key, value]) => `${key}:${jsonOf(value)}`).join(',')}}`;
}

const attributes = jsonTrees.map((tree) =>
  minifiedJson(
    jsonOf({
      members: [
        ['"a"', tree],
        ['"b"', { token: '1' }],
      ],
    }),
  ),
);

/** A way from the top to a secret, as steps and as a tree with the secret at its end. */
const hiddenSecrets = fc
  .array(fc.oneof(fc.constantFrom('k', 'a.b', '__proto__', '0', ''), fc.nat({ max: 3 })), {
    minLength: 1,
    maxLength: 5,
  })
  .map((steps) => {
    const first = typeof steps[0] === 'number' ? ['top', ...steps] : steps;
    const tree = first.reduceRight<string>(
      (inner, step) =>
        typeof step === 'number'
          ? `[${'null,'.repeat(step)}${inner}]`
          : `{${JSON.stringify(step)}:${inner},"beside":1}`,
      SECRET,
    );
    const path = first.map((step) =>
      typeof step === 'number'
        ? { type: 'index', value: { value: step, type: 'number' } }
        : { type: 'get_attr', value: step },
    );
    return { tree, path };
  });

describe('Masking attributes', () => {
  it('changes nothing that PostgreSQL takes and nobody hides', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const minified = minifiedJson(
          `{"a":${text.replaceAll(/\\u0000/g, '').replaceAll(/\\u[dD][89a-fA-F]../g, '')}}`,
        );
        expect(JSON.parse(projectAttributes(minified, [], { isRemoteState: false }))).toEqual(
          JSON.parse(minified),
        );
      }),
    );
  });

  it('never lets a value under a sensitive path through', () => {
    fc.assert(
      fc.property(hiddenSecrets, ({ tree, path }) => {
        const projected = projectAttributes(tree, [path], { isRemoteState: false });
        expect(projected).not.toContain(SECRET);
        expect(projected).toContain(MASK);
      }),
      { numRuns: 500 },
    );
  });

  it('hides a whole subtree when the path ends above the secret', () => {
    fc.assert(
      fc.property(hiddenSecrets, fc.nat(), ({ tree, path }, cut) => {
        expect(
          projectAttributes(tree, [path.slice(0, cut % path.length)], { isRemoteState: false }),
        ).not.toContain(SECRET);
      }),
    );
  });

  it('rather hides too much where it does not understand a path', () => {
    const attributes = `{"set":[{"password":${SECRET}}],"map":{"k":${SECRET}}}`;
    const odd = [
      [
        { type: 'get_attr', value: 'set' },
        { type: 'index', value: { value: { a: 1 }, type: ['object', {}] } },
      ],
      [{ type: 'get_attr', value: 'map' }, { type: 'splat' }],
    ];
    expect(projectAttributes(attributes, odd, { isRemoteState: false })).toBe(
      `{"set":${MASK},"map":${MASK}}`,
    );
    expect(projectAttributes(attributes, ['set', null], { isRemoteState: false })).not.toContain(SECRET);
  });

  it('leaves null and what stands beside visible', () => {
    expect(
      projectAttributes(
        '{"p":null,"q":1,"r":{"s":"x","t":2}}',
        [
          [{ type: 'get_attr', value: 'p' }],
          [
            { type: 'get_attr', value: 'r' },
            { type: 'get_attr', value: 's' },
          ],
        ],
        { isRemoteState: false },
      ),
    ).toBe(`{"p":null,"q":1,"r":{"s":${MASK},"t":2}}`);
  });

  it('hides every secret of a remote state and the user info of its address, wherever they stand', () => {
    const config =
      '{"config":{"type":"object","value":{"address":"https://user:hunter2@host/x","password":"p1","username":"u1","lock_address":"http://a:b@h","skip":true,"nested":[{"access_key":"AK","token":"t1"}]}},"attempts":{"password":"shown"}}';
    expect(projectAttributes(config, [], { isRemoteState: true })).toBe(
      `{"config":{"type":"object","value":{"address":"https://host/x","password":${MASK},"username":${MASK},"lock_address":"http://h","skip":true,"nested":[{"access_key":${MASK},"token":${MASK}}]}},"attempts":{"password":"shown"}}`,
    );
  });

  it('hides the outputs of a remote state, which may be sensitive where they come from, but not their names', () => {
    expect(
      projectAttributes(
        '{"outputs":{"value":{"db":{"password":"p"},"port":1,"none":null},"type":["object",{"port":"number"}]}}',
        [],
        { isRemoteState: true },
      ),
    ).toBe(
      `{"outputs":{"value":{"db":${MASK},"port":${MASK},"none":null},"type":["object",{"port":"number"}]}}`,
    );
    expect(projectAttributes('{"outputs":{"value":"p","other":"q"}}', [], { isRemoteState: true })).toBe(
      `{"outputs":{"value":${MASK},"other":${MASK}}}`,
    );
    expect(projectAttributes('{"outputs":{"value":"p"}}', [], { isRemoteState: false })).toBe(
      '{"outputs":{"value":"p"}}',
    );
  });

  it.each([
    ['conn_str', '"user=u password=p"'],
    ['web_identity_token', '"p"'],
    ['headers', '{"Authorization":"Bearer p"}'],
    ['headers', '["p"]'],
  ])('hides %s of a remote state whole, whatever it is', (name, value) =>
    expect(
      projectAttributes(`{"config":{"value":{"x":{"${name}":${value}}}}}`, [], { isRemoteState: true }),
    ).toBe(`{"config":{"value":{"x":{"${name}":${MASK}}}}}`),
  );

  it('hides a user info that contains an escaped or encoded sign', () => {
    for (const address of [
      'https:\\/\\/user:hunter2@host/x',
      'https://us\\u0065r:hunter2@host',
      'https://user:hunt%40er2@host',
      'https://user:hunter2\\u0040host',
      'https://user:hunter/2@host',
    ]) {
      expect(
        projectAttributes(`{"config":{"address":"${address}"}}`, [], { isRemoteState: true }),
      ).not.toMatch(/hunt/);
    }
  });

  it('hides user info wherever it stands in a text', () => {
    const shown = (address: string): unknown =>
      (
        JSON.parse(
          projectAttributes(JSON.stringify({ config: { a: address } }), [], { isRemoteState: true }),
        ) as {
          config: { a: string };
        }
      ).config.a;
    expect(shown('a://u:p@h b://v:q@i?c=d://w:r@j')).toBe('a://h b://i?c=d://j');
    expect(shown('a://u://v@h')).toBe('a://h');
    expect(shown('x@a://h')).toBe('x@a://h');
    // A text made of what begins an address, with nothing that ends its user info.
    expect(shown(`@${'://'.repeat(500_000)}`)).toBe(`@${'://'.repeat(500_000)}`);
  });

  it('makes every document acceptable to jsonb and stays JSON', () => {
    fc.assert(
      fc.property(attributes, (text) => {
        const projected = projectAttributes(text, [], { isRemoteState: false });
        expect(() => JSON.parse(projected)).not.toThrow();
        const strings: string[] = [];
        JSON.parse(projected, (key: string, value: unknown) => {
          strings.push(key);
          if (typeof value === 'string') strings.push(value);
          return value;
        });
        expect(
          strings.filter((value) => value.includes('\0') || Buffer.from(value).toString() !== value),
        ).toEqual([]);
      }),
    );
  });

  it('keeps the digits of numbers', () => {
    const text = '{"a":9007199254740993,"b":1e-30,"c":0.1000000000000000055511151231257827,"d":[-0]}';
    expect(projectAttributes(text, [[{ type: 'get_attr', value: 'x' }]], { isRemoteState: false })).toBe(
      text,
    );
  });

  it('reads paths of every kind', () => {
    expect(
      pathsOf([
        [
          { type: 'get_attr', value: 'a' },
          { type: 'index', value: { value: 0, type: 'number' } },
        ],
        ['b', 1],
        [{ type: 'splat' }],
      ]),
    ).toEqual([['a', 0], ['b', 1], [undefined]]);
    expect([undefined, null, 'x', {}, 3].map(pathsOf)).toEqual([[], [], [], [], []]);
  });
});
