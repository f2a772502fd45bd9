import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readConfiguration } from '../configuration/configuration.js';
import type { BundleBlock } from './bundle.js';
import { writeBundle } from './bundle-directory.js';
import { OriginalTexts } from './original-text.js';

const MAIN = `# What this is about.
terraform {
  required_version = ">= 1.0"
  backend "http" {}
}

locals {
  # a comment
  name   = "x"

  others = {
    a = 1
  }
}

variable "size" {
  type      = number # how large
  sensitive = true
}

resource "terraform_data" "left_out" {
  input = 1
}

/* two
   lines */
resource "terraform_data" "kept" {

  input = {
    # not there
    value = terraform_data.none.id
    text  = <<-EOT
      one
        two
    EOT
  }
}
module "one" {
  source  = "./net" # here
  version = "1.0"
  name    = local.name
}
module "two" {
  source = "./net"
  name   = "\${local.name}-2"
}
output "last" { value = 1 }
`;
const NET = `variable "name" {}

resource "terraform_data" "here" {
  # of the module
  input = "\${path.module}/\${var.name}"
}
`;

describe('A configuration of which a part is planned', () => {
  let home: string;
  let base: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'home-'));
    base = mkdtempSync(join(tmpdir(), 'bundle-'));
    put('main.tf', MAIN);
    put('net/main.tf', NET);
    put(
      '.terraform/modules/modules.json',
      JSON.stringify({
        Modules: ['one', 'two'].map((Key) => ({ Key, Source: './net', Dir: 'net' })),
      }),
    );
  });
  afterEach(() => {
    for (const directory of [home, base]) rmSync(directory, { recursive: true });
  });

  function put(file: string, text: string): void {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  }

  /** Writes what is planned of it; `between` happens after it was read. */
  function written(isPlanned: (key: string) => boolean, between: () => void = () => undefined) {
    const { nodes } = readConfiguration(home, { environment: { TF_VAR_size: '1' } });
    const hcl = nodes.flatMap(({ key, entry }): BundleBlock[] =>
      entry.action === 'hcl_set' && isPlanned(key)
        ? [JSON.parse(JSON.stringify(entry.data)) as BundleBlock]
        : [],
    );
    between();
    const originals = new OriginalTexts(home, nodes);
    const root = writeBundle({ hcl, files: [], state: '{}', isEmpty: false }, base, { home, originals });
    return { hcl, lines: (file: string) => readFileSync(join(root, file), 'utf8').split('\n') };
  }

  it('has every block at its line and in its words, and nothing in the other lines', () => {
    const { lines } = written((key) => !key.includes('left_out'));
    const own = MAIN.split('\n');
    const found = lines('main.tf');
    const differing = own.flatMap((line, index) =>
      found[index] === line ? [] : [[index + 1, found[index]]],
    );
    expect(differing).toEqual([
      [1, ''],
      // Without its backend, the block of Terraform's own is shorter.
      [4, '}'],
      [5, ''],
      [7, ''],
      [8, 'locals {'],
      [21, ''],
      [22, ''],
      [23, ''],
      [25, ''],
      [26, ''],
      [40, '  '],
      [44, expect.stringContaining('"./.infrastate/modules/')],
    ]);
    expect(found).toHaveLength(own.length);
  });

  it('has a block alone where it stands', () => {
    const { lines } = written((key) => key === 'terraform_data.kept');
    const found = lines('main.tf');
    expect(found.findIndex((line) => line.includes('terraform_data.none.id'))).toBe(
      MAIN.split('\n').findIndex((line) => line.includes('terraform_data.none.id')),
    );
    expect(found.filter((line) => line !== '')).toHaveLength(10);
  });

  it('has the lines of a module that is written somewhere else, with the path that it has', () => {
    const { lines } = written(() => true);
    const copy = lines('main.tf')[43]?.match(/"(.*)"/)?.[1] ?? '';
    expect(lines('net/main.tf').join('\n')).toBe(NET);
    expect(lines(join(copy, 'main.tf')).join('\n')).toBe(NET.replace('${path.module}', '${"net"}'));
  });

  it('is what was read, though the file has been changed since', () => {
    const { lines } = written(
      (key) => key === 'terraform_data.kept',
      () => put('main.tf', MAIN.replace('terraform_data.none.id', '"something else"')),
    );
    const text = lines('main.tf').join('\n');
    expect(text).toContain('terraform_data.none.id');
    expect(text).not.toContain('something else');
    // Begins where it stood, as far as anybody knows.
    expect(lines('main.tf')[26]).toBe('resource "terraform_data" "kept" {');
  });

  it('is what was read, though the file is gone', () => {
    const { lines } = written(
      (key) => key.startsWith('local.'),
      () => rmSync(join(home, 'main.tf')),
    );
    expect(lines('main.tf').slice(7, 11)).toEqual(['locals {', '  name = "x"', '}', 'locals {']);
  });
});
