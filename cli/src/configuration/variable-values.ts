import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { Json, JsonObject } from './block-data.rules.js';
import { type ConfigurationBlock, isObject } from './configuration-block.js';
import { Failure } from '../failure.js';
import { HclParser } from './hcl-parser.js';
import { parseJson } from './json-file.js';
import { literalText, literalValue } from './literal.rules.js';

/** The value that counts for a variable of the root module. */
export interface VariableValue {
  name: string;
  /** where it came from: `terraform.tfvars`, `env`, `-var` */
  file: string;
  value: Json;
  /** ephemeral or sensitive: it reaches Terraform through the environment and is never stored */
  isPrivate: boolean;
}

/** `-var` and `-var-file`, in the order of the command line. */
export type VariableOption = { kind: 'var'; text: string } | { kind: 'file'; path: string };

export interface VariableSources {
  root: string;
  environment: Readonly<Record<string, string | undefined>>;
  options: readonly VariableOption[];
}

interface Given {
  file: string;
  value: Json;
}

/** What is wrong with a value that was given for a variable. */
class VariableError extends Failure {
  constructor(message: string) {
    super('VARIABLES_INVALID', message);
  }
}

/**
 * Terraform's precedence, the last one wins: environment, terraform.tfvars, terraform.tfvars.json, `*.auto.tfvars` and
 * `*.auto.tfvars.json` by name, then the command line as it is ordered. Only variables the root module declares.
 */
export function variableValues(
  declarations: readonly ConfigurationBlock[],
  sources: VariableSources,
): VariableValue[] {
  const declared = new Map(
    declarations.map((block) => [block.labels[0] ?? '', isObject(block.body) ? block.body : {}]),
  );
  const given = new Map<string, Given>();
  const takeFile = (path: string): void => {
    const file = isAbsolute(path) ? relative(sources.root, path) : path;
    for (const [name, value] of Object.entries(fileValues(join(sources.root, file), file)))
      given.set(name, { file, value });
  };
  for (const [name, type] of declared) {
    const text = sources.environment[`TF_VAR_${name}`];
    if (text !== undefined) given.set(name, { file: 'env', value: textValue(text, name, type['type']) });
  }
  for (const file of automaticFiles(sources.root)) takeFile(file);
  for (const option of sources.options) {
    if (option.kind === 'file') takeFile(option.path);
    else {
      const { name, text } = assignment(option.text);
      const type = declared.get(name);
      if (!type) throw new VariableError(`-var ${name}: the root module declares no such variable`);
      given.set(name, { file: '-var', value: textValue(text, name, type['type']) });
    }
  }
  return [...given]
    .filter(([name]) => declared.has(name))
    .map(([name, { file, value }]) => ({
      name,
      file,
      value,
      isPrivate: isPrivate(declared.get(name)),
    }));
}

function isPrivate(declaration: JsonObject | undefined): boolean {
  return declaration?.['ephemeral'] === true || declaration?.['sensitive'] === true;
}

function automaticFiles(root: string): string[] {
  const automatic = readdirSync(root).filter(
    (name) => /\.auto\.tfvars(?:\.json)?$/.test(name) && !name.startsWith('.'),
  );
  return [
    ...['terraform.tfvars', 'terraform.tfvars.json'].filter((name) => existsSync(join(root, name))),
    ...automatic.sort(),
  ];
}

function fileValues(path: string, file: string): Record<string, Json> {
  if (!existsSync(path)) throw new VariableError(`there is no variable file ${file}`);
  const text = readFileSync(path, 'utf8');
  if (file.endsWith('.json')) {
    const root = parseJson(text, file);
    if (!isObject(root)) throw new VariableError(`${file}: variables in JSON are one object`);
    return root;
  }
  const parser = new HclParser(text, file);
  const { attributes, blocks } = parser.file();
  const [block] = blocks;
  if (block) parser.fail('a variable file holds values, no blocks', block.start);
  return Object.fromEntries(attributes.map(({ name, value }) => [name, literalValue(parser, value)]));
}

function assignment(text: string): { name: string; text: string } {
  const at = text.indexOf('=');
  if (at === -1) throw new VariableError('-var is given as name=value');
  return { name: text.slice(0, at).trim(), text: text.slice(at + 1) };
}

/** Of a variable of a primitive type, or of none, the text is the value; of any other it is an expression. */
function textValue(text: string, name: string, type: Json | undefined): Json {
  const isText = typeof type !== 'string' || ['string', 'number', 'bool'].includes(type);
  return isText ? text : literalText(text, name);
}
