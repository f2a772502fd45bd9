import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.js';
import { readHclFile } from './hcl-file.js';
import { HclSyntaxError } from './hcl-syntax-error.js';

const bodyOf = (text: string): unknown =>
  readHclFile(`resource "t" "n" {\n${text}\n}\n`, 'main.tf').blocks[0]?.body;

function problemOf(text: string): string {
  try {
    readHclFile(text, 'main.tf');
    return 'none';
  } catch (error) {
    if (error instanceof HclSyntaxError) return `${error.file}:${error.line}`;
    throw error;
  }
}

describe('a file of HCL', () => {
  it('becomes blocks with names, lines and a body in the JSON syntax', () => {
    const { blocks } = readHclFile(
      `# first
resource "aws_vpc" "main" {
  cidr_block = var.cidr
}

locals {
  a = 1
  b = "x"
}
terraform {
  required_version = ">= 1"
}
provider "aws" {
  alias = "west"
}
moved {
  from = aws_vpc.old["a"]
  to   = aws_vpc.main
}
terraform {}
`,
      'net/main.tf',
    );
    expect(blocks.map(({ name, startLine, endLine, body }) => [name, startLine, endLine, body])).toEqual([
      ['aws_vpc.main', 2, 4, { cidr_block: '${var.cidr}' }],
      ['local.a', 7, 7, { a: 1 }],
      ['local.b', 8, 8, { b: 'x' }],
      ['provider.aws.west', 13, 15, { alias: 'west' }],
      ['moved@net/main.tf:aws_vpc.old["a"]', 16, 19, { from: 'aws_vpc.old["a"]', to: 'aws_vpc.main' }],
      ['terraform@net/main.tf', 10, 12, [{ required_version: '>= 1' }, {}]],
    ]);
  });

  it('keeps literals, and writes all that is to be evaluated as it stands, without comments', () => {
    expect(
      bodyOf(`
        a = -1.5
        b = [1, true, null, "x", [], {}]
        c = { k = "v", (x) = 1, "a\${b}" : y }
        d = foo(a, # why
          b...) /* done */
        e = [for x in y : x]
        f = 12345678901234567890
        g = "plain $\${not} \${ yes } \\"q\\""
        h = <<-EOT
          one
            two \${x}
        EOT
        i = [{ a = 1 }]
        j = a ? b : c`),
    ).toEqual({
      a: -1.5,
      b: [1, true, null, 'x', [], {}],
      c: { k: 'v', '${(x)}': 1, 'a${b}': '${y}' },
      d: '${foo(a, \n          b...)}',
      e: '${[for x in y : x]}',
      f: '${12345678901234567890}',
      g: 'plain $${not} ${yes} "q"',
      h: '  one\n    two ${x}\n'.replace(/^ {2}/gm, ''),
      i: '${[{ a = 1 }]}',
      j: '${a ? b : c}',
    });
  });

  it('writes nested blocks as lists in order, their labels as objects, and names without ${}', () => {
    expect(
      bodyOf(`
        depends_on = [a.b, module.c["x"].d]
        provider   = aws.west
        rule { port = 1 }
        rule { port = 2 }
        dynamic "setting" {
          for_each = x
          iterator = it
          content { v = it.value }
        }
        provisioner "local-exec" { when = destroy }
        lifecycle {
          ignore_changes = [tags["a"], b]
        }`),
    ).toEqual({
      depends_on: ['a.b', 'module.c["x"].d'],
      provider: 'aws.west',
      rule: [{ port: 1 }, { port: 2 }],
      dynamic: [{ setting: { for_each: '${x}', iterator: 'it', content: [{ v: '${it.value}' }] } }],
      provisioner: [{ 'local-exec': { when: 'destroy' } }],
      lifecycle: [{ ignore_changes: ['tags["a"]', 'b'] }],
    });
  });

  it.each([
    ['resource "a" "b" {\n  x = \n}\n', 2],
    ['resource "a" "b" {\n  x = "not closed\n}\n', 2],
    ['resource "a" "b" {\n  x = 1 y = 2\n}\n', 2],
    ['resource "a" "b" {\n\n  x = 1\n  x = 2\n}\n', 4],
    ['resource "a" "b" {\n  x = [1\n  y = 2\n}\n', 3],
    ['resource "a" "b" {\n  x = <<EOT\n  EOTX\n}\n', 2],
    ['\nresource "a" "b" {\n  x = 1\n', 4],
    ['resource "a" {}\n', 1],
    ['nonsense "a" {}\n', 1],
    ['a = 1\n', 1],
    ['resource "a" "b" {}\n}\n', 2],
    ['resource "a" "b" {\n  x = "\\q"\n}\n', 2],
    ['resource "a" "b" {\n  x = "${a"\n}\n', 2],
    ['resource "a" "b" {\n  x = a +\n}\n', 2],
    ['resource "a" "b" { /* \n', 1],
    [`output "a" {\n  value = ${'['.repeat(2000)}\n}\n`, 2],
  ])('%j is refused with its line', (text, line) => {
    expect(problemOf(text)).toBe(`main.tf:${line}`);
  });

  it('reads back any text that was written as a string', () => {
    const quoted = (text: string): string =>
      JSON.stringify(text)
        .replace(/\\[bf]/g, (found) => (found === '\\b' ? '\\u0008' : '\\u000c'))
        .replace(/([$%])(?=\{)/g, '$1$1');
    const plain = anyText().filter((text) => !/[$%\r]/.test(text));
    fc.assert(
      fc.property(plain, (text) => {
        expect(bodyOf(`x = ${quoted(text)}`)).toEqual({ x: text });
      }),
    );
  });
});
