import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHclFile } from './hcl-file.js';
import { type VariableOption, variableValues } from './variable-values.js';

describe('the values of variables', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'variables-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function values(
    declarations: string,
    given: { files?: Record<string, string>; env?: Record<string, string>; options?: VariableOption[] },
  ): unknown[] {
    for (const [name, text] of Object.entries(given.files ?? {})) writeFileSync(join(root, name), text);
    const { blocks } = readHclFile(declarations, 'main.tf');
    return variableValues(blocks, { root, environment: given.env ?? {}, options: given.options ?? [] }).map(
      ({ name, file, value, isPrivate }) => [name, file, value, ...(isPrivate ? ['private'] : [])],
    );
  }

  it('are those of the last source in the order of Terraform', () => {
    const sources: [string, Parameters<typeof values>[1]][] = [
      ['env', { env: { TF_VAR_x: 'v' } }],
      ['terraform.tfvars', { files: { 'terraform.tfvars': 'x = "v"' } }],
      ['terraform.tfvars.json', { files: { 'terraform.tfvars.json': '{"x": "v"}' } }],
      ['a.auto.tfvars.json', { files: { 'a.auto.tfvars.json': '{"x": "v"}' } }],
      ['b.auto.tfvars', { files: { 'b.auto.tfvars': 'x = "v"' } }],
      [
        'extra.tfvars',
        { files: { 'extra.tfvars': 'x = "v"' }, options: [{ kind: 'file', path: 'extra.tfvars' }] },
      ],
      [
        '-var',
        {
          options: [
            { kind: 'file', path: 'extra.tfvars' },
            { kind: 'var', text: 'x=v' },
          ],
        },
      ],
    ];
    const env: Record<string, string> = {};
    for (const [file, given] of sources) {
      Object.assign(env, given.env);
      expect(values('variable "x" {}', { ...given, env })).toEqual([['x', file, 'v']]);
    }
  });

  it('are texts for primitive types and expressions for all others, on the command line and in the environment', () => {
    const declarations = `
      variable "plain" {}
      variable "text" { type = string }
      variable "count" { type = number }
      variable "list" { type = list(string) }
      variable "any" { type = any }`;
    const env = {
      TF_VAR_plain: '[1]',
      TF_VAR_text: 'a "b" ${c}',
      TF_VAR_count: '12',
      TF_VAR_other: 'ignored',
    };
    const options: VariableOption[] = [
      { kind: 'var', text: 'list=["a", "b=c"]' },
      { kind: 'var', text: 'any={a = -1, "b" = null}' },
    ];
    expect(values(declarations, { env, options })).toEqual([
      ['plain', 'env', '[1]'],
      ['text', 'env', 'a "b" ${c}'],
      ['count', 'env', '12'],
      ['list', '-var', ['a', 'b=c']],
      ['any', '-var', { a: -1, b: null }],
    ]);
  });

  it('are only those of declared variables; those that must not be stored are marked', () => {
    const files = { 'terraform.tfvars': 'x = 1\nunknown = 2\nsecret = "s"\ntoken = "t"\n' };
    const declarations =
      'variable "x" {}\nvariable "secret" { sensitive = true }\nvariable "token" { ephemeral = true }';
    expect(values(declarations, { files })).toEqual([
      ['x', 'terraform.tfvars', 1],
      ['secret', 'terraform.tfvars', 's', 'private'],
      ['token', 'terraform.tfvars', 't', 'private'],
    ]);
    expect(() => values('', { options: [{ kind: 'var', text: 'nope=secret value' }] })).toThrow(
      /^-var nope: the root module declares no such variable$/,
    );
  });

  it('name file and line of what is no value', () => {
    const files = { 'terraform.tfvars': 'x = 1\ny = [\n  foo(),\n]\n' };
    expect(() => values('variable "x" {}', { files })).toThrow(
      'terraform.tfvars:3: a value is expected here',
    );
  });
});
