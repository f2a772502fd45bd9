import type { OpenAPIObject } from '@nestjs/swagger';
import {
  isDocument,
  NOT_MODIFIED,
  pagedSchemas,
  withErrorExample,
  withHeaders,
  withLockBodies,
} from './openapi-answers.rules.js';
import { completeSchemas } from './openapi-schemas.rules.js';
import { describeTags } from './openapi-tags.js';
import {
  describeParameter,
  describeResponse,
  type OpenApiNode,
  refusalText,
} from './openapi-descriptions.rules.js';

type Node = OpenApiNode;

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);
const ERROR_BODY = { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } };
/** An SPDX reference: 3.1 takes it instead of an address. */
const LICENSE = { name: 'UNLICENSED', identifier: 'LicenseRef-UNLICENSED' };
const BODY_STATUS = {
  'application/json': { schema: { type: 'object', properties: { status: { type: 'string' } } } },
};

/** Makes what the decorators yield a valid OpenAPI 3.1 document in which everything is described. */
export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  const dialect = toDialect31({ ...document, paths: { ...probes(), ...document.paths } }) as OpenAPIObject;
  const schemas = completeSchemas((dialect.components?.schemas ?? {}) as unknown as Record<string, Node>);
  const paged = pagedSchemas(schemas);
  const paths: Record<string, Node> = {};
  for (const [path, item] of Object.entries(dialect.paths)) {
    const name = path.replace(
      /\{\*(\w+)\}|\*(\w+)/g,
      (_, a: string | undefined, b: string | undefined) => `{${a ?? b}}`,
    );
    paths[name] = completeItem(name, item as Node, paged);
  }
  const tags = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap((operation) => ((operation as Node)['tags'] as string[] | undefined) ?? []),
  );
  return {
    ...dialect,
    info: { ...dialect.info, license: LICENSE },
    paths,
    tags: describeTags(tags),
    components: { ...dialect.components, schemas },
  };
}

function completeItem(path: string, item: Node, paged: ReadonlySet<string>): Node {
  const result: Node = {};
  for (const [method, operation] of Object.entries(item)) {
    // OpenAPI knows no LOCK or UNLOCK; as an extension they stay documented.
    const key = METHODS.has(method) || method.startsWith('x-') ? method : `x-${method}`;
    result[key] = completeOperation(
      { path, method },
      withLockBodies(method.replace(/^x-/, ''), operation as Node),
      paged,
    );
  }
  return result;
}

/** `format=sarif` answers the same list in a media type of its own. */
function withSarif(parameters: readonly Node[], responses: Node): Node {
  const answersSarif = parameters.some(
    ({ name, schema }) =>
      name === 'format' &&
      ((schema as Node | undefined)?.['enum'] as unknown[] | undefined)?.includes('sarif'),
  );
  if (!answersSarif) return responses;
  const success = responses['200'] as Node;
  const content = {
    ...(success['content'] as Node),
    'application/sarif+json': { schema: { type: 'object' } },
  };
  return { ...responses, '200': { ...success, content } };
}

function completeOperation(
  route: { path: string; method: string },
  operation: Node,
  paged: ReadonlySet<string>,
): Node {
  const place = { ...route, id: operation['operationId'] as string };
  const responses = withoutAssumed(operation['responses'] as Node);
  const always: Node = { '400': refusal('400'), '500': refusal('500'), '503': refusal('503') };
  // A browser that another site drives is refused on whatever changes something.
  if (route.method !== 'get' && route.method !== 'head') always['403'] = refusal('403');
  if (operation['requestBody']) {
    always['413'] = refusal('413');
    always['415'] = refusal('415');
  }
  if (isDocument(route)) always['304'] = NOT_MODIFIED;
  const parameters = [...((operation['parameters'] as Node[] | undefined) ?? [])];
  const named = new Set(parameters.filter((one) => one['in'] === 'path').map((one) => one['name']));
  for (const [, name] of route.path.matchAll(/\{(\w+)\}/g)) {
    // A parameter that only a guard reads is in the path all the same.
    if (!named.has(name)) parameters.push({ name, in: 'path', required: true, schema: { type: 'string' } });
  }
  const complete = (status: string, answer: Node): Node =>
    withErrorExample(status, withHeaders(place, status, describeResponse(status, answer), paged));
  const answers = Object.entries({ ...always, ...withSarif(parameters, responses) }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return {
    ...operation,
    tags: ((operation['tags'] as string[] | undefined) ?? []).map((tag) => tag.toLowerCase()),
    ...(operation['x-public'] === true ? { security: [] } : {}),
    parameters: parameters.map(describeParameter),
    responses: Object.fromEntries(
      answers.map(([status, answer]) => [
        status,
        withPage(route.path, status, complete(status, answer as Node)),
      ]),
    ),
  };
}

/** A sign-in that fails in a browser ends on a page. */
function withPage(path: string, status: string, answer: Node): Node {
  if (!path.includes('/oauth2/') || !/^[45]/.test(status)) return answer;
  return {
    ...answer,
    content: { ...(answer['content'] as Node), 'text/html': { schema: { type: 'string' } } },
  };
}

/** The compiler assumes the method's usual success (201 of a POST) beside the one that the route declares. */
function withoutAssumed(responses: Node): Node {
  const isSuccess = (status: string): boolean => /^[23]/.test(status);
  const isAssumed = (status: string): boolean =>
    isSuccess(status) && (responses[status] as Node)['description'] === '';
  const declared = Object.keys(responses).filter((status) => !isAssumed(status));
  if (!declared.some(isSuccess)) return responses;
  return Object.fromEntries(declared.map((status) => [status, responses[status]]));
}

/** Answered before any controller, see the front door of the process. */
function probes(): Node {
  const ready = (operationId: string, summary: string): Node => ({
    get: {
      operationId,
      summary,
      tags: ['Health'],
      'x-public': true,
      security: [],
      parameters: [],
      responses: {
        '200': { description: 'Requests can be served.', content: BODY_STATUS },
        '502': refusal('502'),
        '503': { description: 'The process is stopping.', content: ERROR_BODY },
      },
    },
  });
  const live: Node = {
    operationId: 'healthLive',
    summary: 'Tells whether the process is alive.',
    tags: ['Health'],
    'x-public': true,
    security: [],
    parameters: [],
    responses: { '200': { description: 'The process is alive.', content: BODY_STATUS } },
  };
  return {
    '/health/live': { get: live },
    '/health/ready': ready('healthReady', 'Tells whether requests can be served.'),
    '/api/v1/health': ready('healthLegacy', 'The same as /health/ready.'),
  };
}

function refusal(status: string): Node {
  return { description: refusalText(status), content: ERROR_BODY };
}

/** `nullable` and boolean `exclusiveMinimum` are words of 3.0; 3.1 says the same in JSON Schema. */
function toDialect31(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toDialect31);
  if (typeof node !== 'object' || node === null) return node;
  const source = node as Node;
  const { nullable, ...rest } = source;
  const result = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, toDialect31(value)]));
  // The compiler lists the members of a union in an order that differs between a full and an incremental build.
  if (Array.isArray(result['enum'])) result['enum'] = (result['enum'] as unknown[]).toSorted();
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (result[exclusive] === true) {
      result[exclusive] = result[bound];
      delete result[bound];
    } else if (result[exclusive] === false) delete result[exclusive];
  }
  if (nullable === undefined || typeof nullable === 'object')
    return nullable === undefined ? result : { ...result, nullable };
  if (nullable === false) return result;
  if (typeof result['type'] === 'string') {
    const values = result['enum'];
    return {
      ...result,
      type: [result['type'], 'null'],
      ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
    };
  }
  return { anyOf: [result, { type: 'null' }] };
}
