import type { Json, JsonObject } from './block-data.rules.js';

/** One block of a module, in Terraform's JSON syntax. */
export interface ConfigurationBlock {
  kind: string;
  labels: string[];
  body: Json;
  /** name within its module: `aws_vpc.main`, `var.region`, `moved@main.tf:aws_vpc.old` */
  name: string;
  /** the file it stands in, relative to the root directory */
  file: string;
  startLine: number;
  endLine: number;
  /** of its data, where it is known already */
  hash?: string | undefined;
}

/** The block as one object: `{"resource": {"aws_vpc": {"main": {…}}}}`. */
export function blockData({
  kind,
  labels,
  body,
}: Pick<ConfigurationBlock, 'kind' | 'labels' | 'body'>): JsonObject {
  let data: Json = body;
  for (const label of [...labels].reverse()) data = { [label]: data };
  return { [kind]: data };
}

/** The name that tells a block from all others of its module; the service derives the same. */
export function blockName(kind: string, labels: readonly string[], body: Json, file: string): string {
  const [first = '', second = ''] = labels;
  switch (kind) {
    case 'resource':
      return `${first}.${second}`;
    case 'variable':
      return `var.${first}`;
    case 'locals':
      return `local.${Object.keys(isObject(body) ? body : {})[0] ?? ''}`;
    case 'provider': {
      const alias = isObject(body) ? body['alias'] : undefined;
      return `provider.${first}${typeof alias === 'string' ? `.${alias}` : ''}`;
    }
    case 'terraform':
      return `terraform@${file}`;
    case 'moved':
    case 'removed':
      return `${kind}@${file}:${text(body, 'from')}`;
    case 'import':
      return `import@${file}:${text(body, 'to')}`;
    default:
      return [kind, ...labels].join('.');
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(body: Json, name: string): string {
  const found = isObject(body) ? body[name] : undefined;
  return typeof found === 'string' ? found : '';
}
