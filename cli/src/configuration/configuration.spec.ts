import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Configuration, readConfiguration } from './configuration.js';

describe('a configuration', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'configuration-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function read(files: Record<string, string>): Configuration {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    return readConfiguration(root);
  }

  const keys = ({ nodes }: Configuration): string[] => nodes.map(({ key }) => key).sort();

  it('has a node for each block of each module as it is called, each value and each file', () => {
    const configuration = read({
      'main.tf':
        'module "a" {\n  source = "./net"\n}\nmodule "b" {\n  source = "./net"\n}\nvariable "v" {}\n',
      'net/main.tf':
        'resource "t" "n" {}\nmodule "sub" {\n  source = "../sub"\n}\nlocals {\n  l = file("${path.module}/x.txt")\n}\n',
      'net/x.txt': 'X',
      'sub/main.tf': 'output "o" {\n  value = 1\n}\nterraform {}\nremoved {\n  from = t.gone\n}\n',
      'terraform.tfvars': 'v = 1\n',
    });
    expect(keys(configuration)).toEqual(
      [
        'module.a',
        'module.b',
        'var.v',
        ...['module.a', 'module.b'].flatMap((path) => [
          `${path}.t.n`,
          `${path}.module.sub`,
          `${path}.local.l`,
          `${path}.module.sub.output.o`,
          `${path}.module.sub.terraform@sub/main.tf`,
          `${path}.module.sub.removed@sub/main.tf:t.gone`,
        ]),
        'terraform.tfvars:v',
        'file:net/x.txt',
      ].sort(),
    );
  });

  it('is what OpenTofu would read when it is asked so: its own files, and those instead of others of their name', () => {
    const files = {
      'main.tf': 'resource "t" "terraform" {}\nmodule "m" {\n  source = "./m"\n}\n',
      'main.tofu': 'resource "t" "tofu" {}\nmodule "m" {\n  source = "./m"\n}\n',
      'more.tofu.json': '{"resource": {"t": {"json": {}}}}',
      'more.tf.json': '{"resource": {"t": {"other": {}}}}',
      'plain.tf': 'resource "t" "both" {}\n',
      'x_override.tofu': 'resource "t" "both" {\n  x = 1\n}\n',
      'm/m.tofu': 'resource "t" "inside" {}\n',
      'm/m.tf': 'resource "t" "outside" {}\n',
    };
    expect(keys(read(files))).toEqual(['module.m', 'module.m.t.outside', 't.both', 't.other', 't.terraform']);
    const asTofu = readConfiguration(root, { asTofu: true });
    expect(keys(asTofu)).toEqual(['module.m', 'module.m.t.inside', 't.both', 't.json', 't.tofu']);
    const both = asTofu.nodes.find(({ key }) => key === 't.both')?.entry;
    expect(both).toMatchObject({ data: { data: { resource: { t: { both: { x: 1 } } } } } });
  });

  it('finds installed modules where terraform init put them', () => {
    const files = {
      'main.tf': 'module "vpc" {\n  source  = "registry/vpc/aws"\n  version = "1.0.0"\n}\n',
      '.terraform/modules/modules.json':
        '{"Modules":[{"Key":"vpc","Source":"x","Dir":".terraform/modules/vpc"}]}',
      '.terraform/modules/vpc/main.tf': 'resource "t" "n" {}\n',
    };
    expect(keys(read(files))).toEqual(['module.vpc', 'module.vpc.t.n']);
    const absolute = readConfiguration(root, { dataDirectory: join(root, '.terraform') });
    expect(keys(absolute)).toEqual(['module.vpc', 'module.vpc.t.n']);
    rmSync(join(root, '.terraform'), { recursive: true });
    expect(() => readConfiguration(root)).toThrow(
      'main.tf:1: module.vpc is not installed: run terraform init',
    );
  });

  it('hashes what a block means and not how it is laid out', () => {
    const hashes = ({ nodes }: Configuration): Record<string, string> =>
      Object.fromEntries(nodes.map(({ key, hash }) => [key, hash]));
    const before = read({
      'main.tf': 'resource "t" "n" {\n  b = "x"\n  a = [1, 2]\n}\nresource "t" "m" {}\n',
    });
    const laidOut = read({
      'main.tf':
        '# new\nresource "t" "m" { }\n\nresource t n {\n  a = [\n    1,\n    2, # two\n  ]\n  b   = "x"\n}\n',
    });
    expect(hashes(laidOut)).toEqual(hashes(before));
    expect(laidOut.hash).toBe(before.hash);
    const changed = read({
      'main.tf': 'resource "t" "n" {\n  b = "y"\n  a = [1, 2]\n}\nresource "t" "m" {}\n',
    });
    expect(changed.hash).not.toBe(before.hash);
    expect(hashes(changed)['t.m']).toBe(hashes(before)['t.m']);
  });

  it('holds the files that expressions may read, and of hidden and large ones only the hash', () => {
    const { nodes } = read({
      'main.tf': [
        'locals {',
        '  a = file("a.txt")',
        '  b = templatefile("${path.module}/t/x.tpl", {})',
        '  c = [for n in var.names : file("t/${n}")]',
        '  d = filesha256("${path.root}/large.bin")',
        '  e = file(".secret")',
        '  f = file("missing.txt")',
        '  g = "file(\\"not-a-call.txt\\")"',
        '}',
        'variable "names" {}',
      ].join('\n'),
      'a.txt': 'A',
      'not-a-call.txt': '',
      'large.bin': 'x'.repeat(1024 * 1024 + 1),
      '.secret': 'hush',
      '.hidden/x': 'hush',
      'terraform.tfstate': '{}',
      'secret.tfvars': 'a = 1',
      't/x.tpl': 'X',
      't/.hidden': 'hush',
    });
    const files = nodes.flatMap(({ entry }) =>
      entry.action === 'file_set'
        ? [[entry.data.filepath, Buffer.from(entry.data.content, 'base64').toString()]]
        : [],
    );
    // What `file("t/${n}")` reads is not known before: everything plain below the module is sent.
    expect(files.sort()).toEqual([
      ['.secret', expect.stringMatching(/^not sent; SHA-256 [0-9a-f]{64}\n$/)],
      ['a.txt', 'A'],
      ['large.bin', expect.stringMatching(/^not sent; SHA-256 [0-9a-f]{64}\n$/)],
      ['not-a-call.txt', ''],
      ['t/x.tpl', 'X'],
    ]);
  });

  it('refuses what is declared twice, and modules that call themselves', () => {
    expect(() => read({ 'a.tf': 'variable "x" {}\n', 'b.tf': '\nvariable "x" {}\n' })).toThrow(
      'b.tf:2: var.x was already declared at a.tf:1',
    );
    rmSync(join(root, 'b.tf'));
    expect(() => read({ 'a.tf': 'module "self" {\n  source = "./"\n}\n' })).toThrow(
      'modules call each other without end',
    );
  });

  it('notices a sensitive value that changes, and sends none', () => {
    const files = {
      'main.tf': 'variable "s" {\n  sensitive = true\n}\nvariable "e" {\n  ephemeral = true\n}\n',
    };
    const before = read({ ...files, 'terraform.tfvars': 's = "first secret"\ne = "an ephemeral one"\n' });
    const after = read({ 'terraform.tfvars': 's = "second secret"\ne = "another one"\n' });
    const changed = after.nodes.filter(({ key, hash }) =>
      before.nodes.some((node) => node.key === key && node.hash !== hash),
    );
    expect(keys(before)).toEqual(['var.e', 'var.s']);
    expect(changed.map(({ key }) => key)).toEqual(['var.s']);
    expect(JSON.stringify([before.nodes, before.unhashed])).not.toMatch(/first secret|an ephemeral one/);
    expect([...before.privateValues]).toEqual([
      ['s', 'first secret'],
      ['e', 'an ephemeral one'],
    ]);
  });

  it('reads JSON with the lines its blocks stand on', () => {
    const { nodes } = read({
      'main.tf.json':
        '{\n "resource": {"t": {\n  "a": {"x": 1},\n  "b": [\n   {"y": "${file(\\"f\\")}"}]}},\n "locals": {\n  "l": 1}\n}',
      f: 'F',
    });
    expect(
      nodes.map(({ key, entry }) =>
        entry.action === 'hcl_set' ? [key, entry.data.start_line, entry.data.end_line] : [key],
      ),
    ).toEqual([['t.a', 3, 3], ['t.b', 5, 5], ['local.l', 7, 7], ['file:f']]);
  });
});
