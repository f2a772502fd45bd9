import type { OpenApiNode } from './openapi-descriptions.rules.js';

type Node = OpenApiNode;

const text = (description: string): Node => ({ description, schema: { type: 'string' } });
const SECONDS: Node = { description: 'seconds to wait before the next attempt', schema: { type: 'integer' } };
const REQUEST_ID: Node = {
  description: 'id of the request: the one that was sent in this header, else a new one',
  schema: { type: 'string' },
};
const LINK: Node = {
  description: 'addresses of other pages by relation: `next`, and `prev` where the list goes back',
  schema: { type: 'string' },
};
const DOCUMENT_HEADERS: Record<string, Node> = {
  ETag: text('entity tag of the document, for `If-None-Match`'),
  'Content-MD5': text('base64 MD5 of the document before compression'),
};
const MQL_HEADERS: Record<string, Node> = {
  Link: LINK,
  'mql-default-limit-applied': {
    description: 'limit that was applied because the query has none; absent when it has one',
    schema: { type: 'integer' },
  },
  'mql-pagination-error': text('why the rows cannot be paged; absent when they can'),
};

/** Schemas of lists whose pages `Link` headers connect. */
export function pagedSchemas(schemas: Record<string, Node>): ReadonlySet<string> {
  return new Set(
    Object.entries(schemas)
      .filter(([, { properties }]) => properties !== undefined && 'next_page' in (properties as object))
      .map(([name]) => `#/components/schemas/${name}`),
  );
}

/** The headers that an answer carries besides the usual ones of HTTP. */
export function withHeaders(
  operation: { id: string; path: string; method: string },
  status: string,
  response: Node,
  paged: ReadonlySet<string>,
): Node {
  const headers: Record<string, Node> = { 'X-Request-Id': REQUEST_ID };
  if (status === '429' || status === '503') headers['Retry-After'] = SECONDS;
  if (status === '200') {
    const reference = schemaOf(response)?.['$ref'];
    if (typeof reference === 'string' && paged.has(reference)) headers['Link'] = LINK;
    if (operation.id === 'mqlQuery') Object.assign(headers, MQL_HEADERS);
    if (isDocument(operation)) Object.assign(headers, DOCUMENT_HEADERS);
  }
  return { ...response, headers: { ...headers, ...(response['headers'] as object | undefined) } };
}

/** Whether the route answers the bytes of a document, which also answers 304 to a fresh copy. */
export function isDocument({ path, method }: { path: string; method: string }): boolean {
  return (
    method === 'get' &&
    /\/states\/(backend\/\{groupId\}(\/\{workspace\})?|\{stateId\}\/(export|versions\/\{serial\}|submissions\/\{submissionId\}))$/.test(
      path,
    )
  );
}

export const NOT_MODIFIED: Node = { description: 'The copy that `If-None-Match` names is the current one.' };

/** What Terraform sends to LOCK and UNLOCK, and gets back as it was sent: only `ID` is looked at. */
const LOCK_SCHEMA: Node = {
  type: 'object',
  required: ['ID'],
  additionalProperties: true,
  properties: {
    ID: { type: 'string', description: 'id that the holder chose' },
    Operation: { description: 'such as `OperationTypeApply`' },
    Info: { description: 'further information from the holder' },
    Who: { description: '`user@host` of the holder' },
    Version: { description: "version of the holder's client" },
    Created: { description: 'when the holder made the lock' },
    Path: { description: 'path of the state, as the holder sees it' },
  },
};
const LOCK_BODY = { 'application/json': { schema: LOCK_SCHEMA } };

/** LOCK and UNLOCK read their body themselves, so that no decorator describes it. */
export function withLockBodies(method: string, operation: Node): Node {
  if (method !== 'lock' && method !== 'unlock') return operation;
  const requestBody = { required: method === 'lock', content: LOCK_BODY };
  if (method === 'unlock') return { ...operation, requestBody };
  const responses = {
    ...(operation['responses'] as object),
    '200': { description: 'Success. The body is the lock.', content: LOCK_BODY },
    '423': { description: 'Another run holds the lock; the body is its lock.', content: LOCK_BODY },
  };
  return { ...operation, requestBody, responses };
}

const ERROR_IDS: Record<string, [string, string]> = {
  '400': ['INVALID_REQUEST', 'limit must be a whole number from 1'],
  '401': ['UNAUTHENTICATED', 'no valid credential'],
  '403': ['FORBIDDEN', 'not allowed'],
  '404': ['NOT_FOUND', 'does not exist'],
  '409': ['CONFLICT', 'the object has changed'],
  '413': ['PAYLOAD_TOO_LARGE', 'the body is too large'],
  '415': ['UNSUPPORTED_MEDIA_TYPE', 'the body must be sent with Content-Type: application/json'],
  '429': ['RATE_LIMITED', 'too many requests'],
  '500': ['INTERNAL_ERROR', 'unexpected error'],
  '503': ['UNAVAILABLE', 'the service cannot answer at the moment'],
};

/** An example of the error body of this status. */
export function withErrorExample(status: string, response: Node): Node {
  const [id, data] = ERROR_IDS[status] ?? [];
  const content = response['content'] as Record<string, Node> | undefined;
  const json = content?.['application/json'];
  if (id === undefined || !json || schemaOf(response)?.['$ref'] !== '#/components/schemas/ErrorBody')
    return response;
  return { ...response, content: { ...content, 'application/json': { ...json, example: { id, data } } } };
}

function schemaOf(response: Node): Node | undefined {
  const content = response['content'] as Record<string, Node> | undefined;
  return content?.['application/json']?.['schema'] as Node | undefined;
}
