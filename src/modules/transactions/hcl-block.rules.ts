/** One block of Terraform's JSON syntax: `{"resource": {"aws_vpc": {"main": {…}}}}`. */
export interface HclBlock {
  kind: string;
  labels: string[];
  body: unknown;
}

/** How many names stand between a block's kind and its body (Terraform documentation, JSON configuration syntax). */
const LABELS: Readonly<Record<string, number>> = {
  resource: 2,
  data: 2,
  ephemeral: 2,
  module: 1,
  variable: 1,
  output: 1,
  provider: 1,
  check: 1,
  locals: 0,
  terraform: 0,
  moved: 0,
  import: 0,
  removed: 0,
};

/** The one block an object holds, or why it holds none. */
export function blockOf(data: unknown): HclBlock | string {
  if (!isObject(data)) return 'a block is an object';
  const [kind, ...others] = Object.keys(data);
  if (kind === undefined || others.length > 0) return 'a block has exactly one kind';
  const count = LABELS[kind];
  if (count === undefined) return `there are no blocks of kind ${kind.slice(0, 50)}`;
  const labels: string[] = [];
  let body: unknown = data[kind];
  for (let i = 0; i < count; i++) {
    if (!isObject(body)) return `a ${kind} block has ${count} labels`;
    const [label, ...rest] = Object.keys(body);
    if (label === undefined || rest.length > 0) return `one ${kind} block at a time`;
    labels.push(label);
    body = body[label];
  }
  if (!isObject(body) && !Array.isArray(body)) return `a ${kind} block has a body`;
  return { kind, labels, body };
}

/** What Terraform calls it: `module.net.aws_vpc.main`, `var.region`, `provider.aws.west`. */
export function addressOf({ kind, labels, body }: HclBlock, module: string): string {
  const prefix = module === '' ? '' : `${module}.`;
  const [first = '', second = ''] = labels;
  switch (kind) {
    case 'resource':
      return `${prefix}${first}.${second}`;
    case 'variable':
      return `${prefix}var.${first}`;
    case 'provider': {
      const alias = isObject(body) ? body['alias'] : undefined;
      return `${prefix}provider.${first}${typeof alias === 'string' ? `.${alias}` : ''}`;
    }
    default:
      return `${prefix}${[kind, ...labels].join('.')}`;
  }
}

/**
 * The names a block refers to, relative to its module: `var.x`, `local.x`, `module.x`, `data.t.n`, `t.n`. Expressions
 * stand in `${…}`; `depends_on`, `provider` and `providers` hold names without it.
 */
export function referencesOf({ body }: HclBlock): string[] {
  const found = new Set<string>();
  walk(body, undefined, (text, key) => {
    if (key !== undefined && NAMES_ONLY.has(key)) collect(text, found);
    else for (const expression of expressionsIn(text)) collect(expression, found);
  });
  return [...found].sort();
}

const NAMES_ONLY = new Set(['depends_on', 'provider', 'providers', 'replace_triggered_by']);
/** Words that begin a traversal and name no block. */
const NOT_BLOCKS = new Set(['each', 'count', 'self', 'path', 'terraform']);
const TRAVERSAL = /(?<![\w.-])[A-Za-z_][\w-]*(?:\[(?:"[^"]*"|\d+|\*)\])?(?:\.[A-Za-z_*][\w-]*|\.\d+)+/g;

function collect(expression: string, found: Set<string>): void {
  for (const [match] of withoutStrings(expression).matchAll(TRAVERSAL)) {
    const parts = match.replace(/\[[^\]]*\]/g, '').split('.');
    const [first = '', second = '', third = ''] = parts;
    if (NOT_BLOCKS.has(first)) continue;
    if (first === 'data' || first === 'ephemeral') {
      if (third !== '') found.add(`${first}.${second}.${third}`);
    } else found.add(`${first}.${second}`);
  }
}

/** Quoted strings hold no names, but the templates in them do. */
function withoutStrings(expression: string): string {
  return expression.replace(/"(?:[^"\\]|\\.)*"/g, (literal, at: number) => {
    const isIndex = expression[at - 1] === '[' && expression[at + literal.length] === ']';
    if (isIndex) return '""';
    return ` ${expressionsIn(literal.slice(1, -1)).map(withoutStrings).join(' ')} `;
  });
}

/** The insides of `${…}` and `%{…}`; `$${` and `%%{` are text. */
export function expressionsIn(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const opens = (text[at] === '$' || text[at] === '%') && text[at + 1] === '{';
    if (!opens) continue;
    if (at > 0 && text[at - 1] === text[at]) continue;
    const end = closingBrace(text, at + 2);
    found.push(text.slice(at + 2, end));
    at = end;
  }
  return found;
}

function closingBrace(text: string, from: number): number {
  let depth = 1;
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '\\') at++;
    else if (char === '"') quoted = !quoted;
    else if (quoted && char === '$' && text[at + 1] === '{') at = closingBrace(text, at + 2);
    else if (!quoted && char === '{') depth++;
    else if (!quoted && char === '}' && --depth === 0) return at;
  }
  return text.length;
}

function walk(
  value: unknown,
  key: string | undefined,
  visit: (text: string, key: string | undefined) => void,
): void {
  if (typeof value === 'string') visit(value, key);
  else if (Array.isArray(value)) for (const item of value) walk(item, key, visit);
  else if (isObject(value))
    for (const [name, item] of Object.entries(value)) {
      // Keys of an object may hold templates too.
      visit(name, undefined);
      walk(item, key !== undefined && NAMES_ONLY.has(key) ? key : name, visit);
    }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
