import { addressOf, blockOf, expressionsIn, type HclBlock, referencesOf } from './hcl-block.rules.js';

function block(data: unknown): HclBlock {
  const found = blockOf(data);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

describe('a block in the JSON syntax', () => {
  it.each([
    [{ resource: { aws_vpc: { main: {} } } }, '', 'aws_vpc.main'],
    [{ resource: { aws_vpc: { main: {} } } }, 'module.net', 'module.net.aws_vpc.main'],
    [{ data: { aws_ami: { latest: {} } } }, '', 'data.aws_ami.latest'],
    [{ module: { net: { source: './net' } } }, 'module.a', 'module.a.module.net'],
    [{ variable: { region: {} } }, '', 'var.region'],
    [{ output: { id: { value: 1 } } }, '', 'output.id'],
    [{ provider: { aws: { alias: 'west' } } }, '', 'provider.aws.west'],
    [{ provider: { aws: {} } }, '', 'provider.aws'],
    [{ locals: { a: 1 } }, '', 'locals'],
    [{ terraform: { backend: {} } }, '', 'terraform'],
  ])('%j in %s is %s', (data, module, address) => {
    expect(addressOf(block(data), module)).toBe(address);
  });

  it.each([
    [null],
    ['x'],
    [{}],
    [{ resource: {}, data: {} }],
    [{ nonsense: {} }],
    [{ resource: { a: { b: {} }, c: { d: {} } } }],
    [{ resource: { aws_vpc: 'main' } }],
    [{ variable: { region: 1 } }],
  ])('%j is none', (data) => {
    expect(typeof blockOf(data)).toBe('string');
  });
});

describe('the references of a block', () => {
  const of = (body: Record<string, unknown>) => referencesOf(block({ resource: { t: { n: body } } }));

  it('are the blocks its expressions name', () => {
    expect(
      of({
        subnet_id: '${aws_subnet.main[0].id}',
        ami: 'prefix-${data.aws_ami.latest.id}-${var.suffix}',
        tags: { '${local.key}': '${module.net.tags["Name.x"]}' },
        count: '${length(aws_instance.web[*].id) > 0 ? var.a.b : 0}',
      }),
    ).toEqual([
      'aws_instance.web',
      'aws_subnet.main',
      'data.aws_ami.latest',
      'local.key',
      'module.net',
      'var.a',
      'var.suffix',
    ]);
  });

  it('are the names in depends_on and provider', () => {
    expect(of({ depends_on: ['aws_vpc.main', 'module.net'], provider: 'aws.west' })).toEqual([
      'aws.west',
      'aws_vpc.main',
      'module.net',
    ]);
  });

  it('are not plain text, escapes, loop words, or quoted strings', () => {
    expect(
      of({
        a: 'aws_vpc.main',
        b: '$${aws_vpc.main.id}',
        c: '${each.value.id}${count.index}${self.id}${path.module}${terraform.workspace}',
        d: '${format("%s.example.com", var.name)}',
      }),
    ).toEqual(['var.name']);
  });

  it('are found in templates within strings within expressions', () => {
    expect(of({ a: '${join(",", ["x-${var.one}", "${{ for k, v in var.two : k => "}" }}"])}' })).toEqual([
      'var.one',
      'var.two',
    ]);
    expect(expressionsIn('${a.b} %{ if c.d }x%{ endif } ${"}"}')).toEqual([
      'a.b',
      ' if c.d ',
      ' endif ',
      '"}"',
    ]);
  });
});
