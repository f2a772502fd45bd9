import type { OpenAPIObject } from '@nestjs/swagger';
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

/** Makes what the decorators yield a valid OpenAPI 3.1 document in which every error is described. */
export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  const paths: Node = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const name = path.replace(
      /\{\*(\w+)\}|\*(\w+)/g,
      (_, a: string | undefined, b: string | undefined) => `{${a ?? b}}`,
    );
    paths[name] = completeItem(name, item as Node);
  }
  const info = { ...document.info, license: LICENSE };
  const complete = { ...document, info, paths: { ...probes(), ...paths } };
  return toDialect31(complete) as OpenAPIObject;
}

function completeItem(path: string, item: Node): Node {
  const result: Node = {};
  for (const [method, operation] of Object.entries(item)) {
    // OpenAPI knows no LOCK or UNLOCK; as an extension they stay documented.
    const key = METHODS.has(method) || method.startsWith('x-') ? method : `x-${method}`;
    result[key] = completeOperation(path, operation as Node);
  }
  return result;
}

function completeOperation(path: string, operation: Node): Node {
  const responses = withoutAssumed(operation['responses'] as Node);
  const always: Node = { '400': refusal('400'), '500': refusal('500') };
  if (operation['requestBody']) always['413'] = refusal('413');
  const parameters = [...((operation['parameters'] as Node[] | undefined) ?? [])];
  const named = new Set(parameters.filter((one) => one['in'] === 'path').map((one) => one['name']));
  for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
    // A parameter that only a guard reads is in the path all the same.
    if (!named.has(name)) parameters.push({ name, in: 'path', required: true, schema: { type: 'string' } });
  }
  const answers = Object.entries({ ...always, ...responses });
  return {
    ...operation,
    ...(operation['x-public'] === true ? { security: [] } : {}),
    parameters: parameters.map(describeParameter),
    responses: Object.fromEntries(
      answers.map(([status, answer]) => [status, describeResponse(status, answer as Node)]),
    ),
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
    summary: 'Whether the process lives.',
    tags: ['Health'],
    'x-public': true,
    security: [],
    parameters: [],
    responses: { '200': { description: 'The process is alive.', content: BODY_STATUS } },
  };
  return {
    '/health/live': { get: live },
    '/health/ready': ready('healthReady', 'Whether requests can be served.'),
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
