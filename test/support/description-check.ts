import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** An answer of the service, whatever client got it. */
export interface ReceivedAnswer {
  method: string;
  url: string;
  status: number;
  contentType: string | null;
  text: string;
}

type Node = Record<string, unknown>;

interface Route {
  method: string;
  pattern: RegExp;
  name: string;
  responses: Record<string, { content?: Record<string, { schema?: Node }> } | undefined>;
}

const LARGEST_TEXT = 2 * 1024 * 1024;
/** What the process in front of the routes answers anywhere. */
const ANYWHERE = new Set([408, 431]);

/** Compares answers with docs/openapi.json: the status is described, and the body has the described shape and no more. */
export class DescriptionCheck {
  private readonly routes: Route[];
  private readonly validator: Ajv2020;
  private readonly compiled = new Map<Node, ValidateFunction>();

  constructor(
    document = JSON.parse(readFileSync(join(__dirname, '..', '..', 'docs', 'openapi.json'), 'utf8')) as Node,
  ) {
    this.routes = routesOf(document);
    this.validator = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
    addFormats(this.validator);
    this.validator.addSchema({ $id: 'api:', ...closed(document) });
  }

  /** What contradicts the description; nothing for a route that is not described. */
  contradiction(answer: ReceivedAnswer): string | undefined {
    const path = pathOf(answer.url);
    const route = this.routes.find(({ method, pattern }) => method === answer.method && pattern.test(path));
    if (!route) return undefined;
    const place = `${route.name} → ${answer.status}`;
    const response = route.responses[String(answer.status)];
    if (!response)
      return ANYWHERE.has(answer.status)
        ? undefined
        : `${place}: the status is not described (${answer.text.slice(0, 200)})`;
    // Node.js itself answers a request that is no HTTP, without a body.
    if (answer.status === 400 && answer.contentType === null) return undefined;
    const [media = ''] = (answer.contentType ?? '').split(';');
    if (media !== 'application/json' && response.content?.[media]) return undefined;
    const schema = response.content?.['application/json']?.schema;
    if (!schema || answer.text.length > LARGEST_TEXT || answer.method === 'HEAD') return undefined;
    if (!answer.contentType?.includes('application/json'))
      return answer.status === 304
        ? undefined
        : `${place}: the body is ${answer.contentType ?? 'of no type'}, not JSON`;
    const validate = this.validatorOf(schema);
    if (validate(parsed(answer.text))) return undefined;
    return `${place}: ${this.validator.errorsText(validate.errors)} in ${answer.text.slice(0, 300)}`;
  }

  private validatorOf(schema: Node): ValidateFunction {
    let found = this.compiled.get(schema);
    if (!found) {
      found = this.validator.compile(absolute(schema) as Node);
      this.compiled.set(schema, found);
    }
    return found;
  }
}

function routesOf(document: Node): Route[] {
  const routes = Object.entries(document['paths'] as Record<string, Node>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method: method.replace(/^x-/, '').toUpperCase(),
      name: `${method.toUpperCase()} ${path}`,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      responses: (operation as { responses: Route['responses'] }).responses,
    })),
  );
  // A segment that is written out stands before one that is a parameter.
  const rank = (path: string): string => path.replace(/\{\w+\}/g, '\uffff');
  return routes.sort((a, b) => (rank(a.path) < rank(b.path) ? -1 : 1));
}

/** The schemas without room for properties that they do not name. */
function closed(document: Node): Node {
  const schemas = (document['components'] as { schemas: Record<string, Node> }).schemas;
  return {
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [
          name,
          schema['properties'] !== undefined && schema['additionalProperties'] === undefined
            ? { ...schema, additionalProperties: false }
            : schema,
        ]),
      ),
    },
  };
}

function absolute(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(absolute);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' ? `api:${value}` : absolute(value),
    ]),
  );
}

function pathOf(url: string): string {
  try {
    return new URL(url).pathname;
  } catch {
    return '';
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

let check: DescriptionCheck | undefined;

/** Fails the test that got an answer which docs/openapi.json does not describe. */
export function expectDescribed(answer: ReceivedAnswer): void {
  if (!/\/(api\/v1|health)\//.test(answer.url)) return;
  check ??= new DescriptionCheck();
  const contradiction = check.contradiction(answer);
  if (contradiction === undefined) return;
  throw new Error(`the answer contradicts docs/openapi.json: ${contradiction}`);
}
