import { addressOf, blockOf, type HclBlock, nodeIdOf, referencesOf } from './hcl-block.rules.js';

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
    [{ provider: { aws: [{ alias: 'west' }] } }, '', 'provider.aws.west'],
    [{ locals: { a: 1 } }, 'module.net', 'module.net.local.a'],
    [{ locals: { a: 1, b: 2 } }, '', 'locals'],
    [{ terraform: { backend: {} } }, '', 'terraform'],
  ])('%j in %s is %s', (data, module, address) => {
    expect(addressOf(block(data), module)).toBe(address);
  });

  it.each([
    [{ resource: { aws_vpc: { main: {} } } }, 'aws_vpc.main'],
    [{ locals: { a: 1 } }, 'local.a'],
    [{ locals: { a: 1, b: 2 } }, 'locals@f/a.tf'],
    [{ terraform: [{}, {}] }, 'terraform@f/a.tf'],
    [{ moved: { from: 'a.b[0]', to: 'a.c' } }, 'moved@f/a.tf:a.b[0]'],
    [{ removed: { from: 'module.x' } }, 'removed@f/a.tf:module.x'],
    [{ import: { to: 'a.c["k"]', id: 'i' } }, 'import@f/a.tf:a.c["k"]'],
  ])('%j has the id %s in its module', (data, id) => {
    expect(nodeIdOf(block(data), '', 'f/a.tf')).toBe(id);
    expect(nodeIdOf(block(data), 'module.net', 'f/a.tf')).toBe(`module.net.${id}`);
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
      'module.net.tags',
      'var.a',
      'var.suffix',
    ]);
  });

  it('are the names in depends_on, provider and replace_triggered_by', () => {
    expect(
      of({
        depends_on: ['aws_vpc.main', '${module.net}'],
        provider: '${aws.west}',
        lifecycle: [{ replace_triggered_by: ['aws_ami.a[0].id'], ignore_changes: ['aws_x.y'] }],
        identity: { provider: 'plain.text', depends_on: 'plain.text' },
      }),
    ).toEqual(['aws_ami.a', 'aws_vpc.main', 'module.net', 'provider.aws.west']);
  });

  it('references to a module are to its outputs, for any key, or to all of it', () => {
    expect(
      of({
        a: '${module.one.out}',
        b: '${module.two["a.b"].out.id}',
        c: '${module.three[*].out}',
        d: '${module.four[each.value.key].out}',
        e: '${[for m in module.five : m.out]}',
        f: '${module.six["x"]}',
      }),
    ).toEqual([
      'm.out',
      'module.five',
      'module.four.out',
      'module.one.out',
      'module.six',
      'module.three.out',
      'module.two.out',
    ]);
  });

  it('are found in indexes, and not behind other values', () => {
    expect(
      of({ a: '${local.map[var.key].x[local.i]}', b: '${f(var.c).not.this}${[1][0].nor.that}' }),
    ).toEqual(['local.i', 'local.map', 'var.c', 'var.key']);
  });

  it('are not hidden by comments, and not found in them', () => {
    const text = '${{\n a = var.a # don\'t "quote\n b = var.b // local.x\n /* local.y " */ c = var.c\n}}';
    expect(of({ text })).toEqual(['var.a', 'var.b', 'var.c']);
  });

  it('are found in heredocs, and after them', () => {
    const text = '${jsonencode(<<-EOT\n  say "${var.a}\n  EOT\n)} ${var.b}';
    expect(of({ text })).toEqual(['var.a', 'var.b']);
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
    expect(of({ a: '${a.b} %{ if c.d }x%{ endif } ${"}"}%%{e.f}' })).toEqual(['a.b', 'c.d']);
  });

  it.each([
    ['calls', 'file('],
    ['templates', '"${'],
    ['indexes', 'a[a.b'],
    ['brackets', '['],
    ['heredocs', '<<E\n${'],
    ['open strings', '"x" + "'],
    ['comments', '/* '],
  ])('end, however many %s are left open', (_, part) => {
    expect(() => of({ a: `\${${part.repeat(50_000)}` })).not.toThrow();
  });

  it('are those of blocks of a sensible depth', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 300; i++) deep = [deep];
    expect(blockOf({ resource: { t: { n: { deep } } } })).toMatch(/deep at most/);
  });
});
