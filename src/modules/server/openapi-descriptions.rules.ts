import { typedByName } from './schema-types.rules.js';
export type OpenApiNode = Record<string, unknown>;

interface ParameterText {
  description: string;
  format?: 'uuid';
}

const id = (of: string): ParameterText => ({ description: `id of the ${of}`, format: 'uuid' });

/** Parameters that mean the same on every route. What a DTO or a route says itself comes first. */
const PARAMETERS: Record<string, ParameterText> = {
  tenantId: id('tenant'),
  stateId: id('state'),
  installationId: { description: "the provider's own id of the installation or group" },
  installationCoreId: id('installation, as this service names it'),
  repoId: { description: "the provider's own id of the repository" },
  pullNumber: { description: 'number of the pull request' },
  name: { description: 'name of the schedule' },
  rd: { description: 'where to go afterwards, on this service only' },
  cursor: { description: '`next_cursor` of the previous answer; absent for the first page' },
  key: { description: 'key, or start of an iteration, URL-encoded: 1 to 512 bytes of UTF-8' },
  txId: id('transaction'),
  taskId: id('task'),
  ruleId: id('group rule'),
  waiverId: id('waiver'),
  checkId: { description: 'id of a custom check, such as `CUSTOM-TAGS`' },
  submissionId: id('submission'),
  groupId: { description: 'group of the state: the first part of its backend address' },
  workspace: { description: 'name of the workspace' },
  address: { description: 'address of the instance, such as `aws_instance.web[0]`' },
  serial: { description: 'serial of a version' },
  from: { description: 'serial of the older version' },
  to: { description: 'serial of the newer version' },
  provider: { description: 'name of the sign-in provider' },
  user_id: id('user'),
  token_id: id('API key'),
  state_id: id('state'),
  billing_source_id: id('billing source'),
  billingSourceId: id('billing source'),
  workManifestId: id('run'),
  poolId: id('runner pool'),
  n: { description: 'number of the directory in the description of the work' },
  'x-hub-signature-256': { description: '`sha256=` and the HMAC of the body in hex' },
  id: { description: 'id of the object', format: 'uuid' },
  token: { description: 'token of the invitation link' },
  page: { description: '`next_page` of the previous answer; absent for the first page' },
  limit: { description: 'maximum number of rows' },
  view: { description: '`outputs` leaves out resources' },
  force: { description: 'whether to overwrite without comparing with the base of the run' },
  replace: {
    description: 'how the logged content is applied: as changes, as the whole document, or as configuration',
  },
  idx: { description: 'position of the fragment, from 0' },
  type: { description: 'type of the user' },
  status: { description: 'status of the submission' },
};

const REFUSALS: Record<string, string> = {
  '400': 'The request is malformed, or a value in it is invalid.',
  '401': 'No valid credential was sent.',
  '403': 'The credential does not allow this.',
  '404': 'The object does not exist, or the caller may not see it.',
  '409': 'The request conflicts with the current state of the object.',
  '413': 'The body is larger than the server accepts.',
  '423': 'Another run holds the lock; the body describes its holder.',
  '415': 'The body has another type than JSON.',
  '429': 'Too many requests; try again after `Retry-After` seconds.',
  '500': 'Unexpected error; the log has the request id.',
  '502': 'The database is being migrated or does not answer.',
  '503': 'The service cannot answer at the moment; try again after `Retry-After` seconds.',
};

const GENERIC = new Set(['', 'success', 'refused']);

export function describeParameter(parameter: OpenApiNode): OpenApiNode {
  const name = parameter['name'] as string;
  const known = PARAMETERS[name];
  const schema = parameter['schema'] as OpenApiNode | undefined;
  const typed = schema && typedByName('', name, schema);
  return {
    ...parameter,
    ...(known ? { description: parameter['description'] ?? known.description } : {}),
    ...(typed
      ? {
          schema:
            known?.format !== undefined && typed['type'] === 'string'
              ? { ...typed, format: typed['format'] ?? known.format }
              : typed,
        }
      : {}),
  };
}

export function describeResponse(status: string, response: OpenApiNode): OpenApiNode {
  if (!GENERIC.has(String(response['description']))) return response;
  return { ...response, description: REFUSALS[status] ?? describeSuccess(status, response) };
}

/** The sentence for a status that every route answers in the same way. */
export function refusalText(status: string): string {
  return REFUSALS[status] ?? 'The request was refused.';
}

function describeSuccess(status: string, response: OpenApiNode): string {
  const outcome = status === '201' ? 'Created.' : status.startsWith('3') ? 'Redirect.' : 'Success.';
  const content = response['content'] as Record<string, OpenApiNode> | undefined;
  const [body] = Object.values(content ?? {});
  const schema = body?.['schema'] as OpenApiNode | undefined;
  const reference = schema?.['$ref'];
  const name = typeof reference === 'string' ? reference.split('/').at(-1) : undefined;
  if (name) return `${outcome} The body is \`${name}\`.`;
  const text = schema?.['description'];
  if (typeof text === 'string') return `${outcome} The body is ${text}.`;
  return schema === undefined && !status.startsWith('3') ? `${outcome} The body is empty.` : outcome;
}
