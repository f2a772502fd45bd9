import * as fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.js';
import { instanceAddress, keyOf, providerSource, resourceAddress } from './instance-address.js';

const keys = fc.oneof(
  anyText({ maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('$', '%', '{', '}', '"', '\\', '\n', 'a', '\t', ' ', ']', '['),
    maxLength: 12,
  }),
);

/** Reads a quoted key back as HCL would. */
function unquoted(quoted: string): string {
  const inner = quoted.slice(1, -1);
  return inner.replace(
    /\\u([0-9a-f]{4})|\\U([0-9a-f]{8})|\\([nrt"\\])|([$%])\4(?=\{)/g,
    (whole, four?: string, eight?: string, short?: string, sign?: string) => {
      if (four ?? eight) return String.fromCodePoint(parseInt(four ?? eight ?? '', 16));
      if (short) return { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' }[short] ?? whole;
      return sign ?? whole;
    },
  );
}

describe('Addresses of instances', () => {
  it('reads back as the key it was made of', () => {
    fc.assert(
      fc.property(keys, (key) => {
        const address = instanceAddress('t.n', key);
        expect(address.slice(0, 4) + address.slice(-1)).toBe('t.n[]');
        expect(unquoted(address.slice(4, -1))).toBe(key);
      }),
      { numRuns: 2000 },
    );
  });

  it('never gives two keys of a resource the same address', () => {
    fc.assert(
      fc.property(keys, keys, (a, b) => {
        expect(instanceAddress('t.n', a) === instanceAddress('t.n', b)).toBe(a === b);
        expect(instanceAddress('t.n', a)).not.toBe(instanceAddress('t.n', undefined));
      }),
    );
    expect(instanceAddress('t.n', '0')).toBe('t.n["0"]');
    expect(instanceAddress('t.n', 0)).toBe('t.n[0]');
  });

  // What `terraform state list` printed for each of these keys.
  it.each([
    ['plain', '"plain"'],
    ['', '""'],
    ['with "quotes"', '"with \\"quotes\\""'],
    ['back\\slash', '"back\\\\slash"'],
    ['${x}', '"$${x}"'],
    ['%{if}', '"%%{if}"'],
    ['$ {x} %', '"$ {x} %"'],
    ['$${x}', '"$$${x}"'],
    ['line\nbreak\r\t', '"line\\nbreak\\r\\t"'],
    ['\u0001\u007f', '"\\u0001\\u007f"'],
    ['ключ 日本 😀', '"ключ 日本 😀"'],
    ['no\u00a0break', '"no\\u00a0break"'],
    ['zero\u200bwidth\ufeff', '"zero\\u200bwidth\\ufeff"'],
    ['line\u2028separator', '"line\\u2028separator"'],
    ['private\ue000', '"private\\ue000"'],
    ['beyond\u{f0000}', '"beyond\\U000f0000"'],
  ])('quotes %j as Terraform prints it', (key, quoted) => {
    expect(instanceAddress('t.n', key)).toBe(`t.n[${quoted}]`);
  });

  it('puts the module first and marks data sources', () => {
    expect(resourceAddress(undefined, 'managed', 't', 'n')).toBe('t.n');
    expect(resourceAddress('module.a["x"].module.b', 'data', 't', 'n')).toBe(
      'module.a["x"].module.b.data.t.n',
    );
  });

  it('keeps deposed objects apart from the current one and from each other', () => {
    expect(
      new Set([keyOf('t.n'), keyOf('t.n', '0a1b2c3d'), keyOf('t.n', '4e5f6071'), keyOf('t.n', '')]).size,
    ).toBe(4);
    expect(keyOf('t.n')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('reads the source address of a provider', () => {
    expect(providerSource('provider["registry.terraform.io/hashicorp/aws"]')).toBe(
      'registry.terraform.io/hashicorp/aws',
    );
    expect(providerSource('provider["registry.terraform.io/hashicorp/aws"].west')).toBe(
      'registry.terraform.io/hashicorp/aws',
    );
    expect(providerSource('module.a["b"].provider["example.com/own/thing"]')).toBe('example.com/own/thing');
    expect(providerSource('provider.aws')).toBe('registry.terraform.io/-/aws');
    expect(providerSource('module.a.provider.aws.west')).toBe('registry.terraform.io/-/aws');
  });
});
