import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { aBackend, backendBlock, send, type TestBackend, type TestState } from '../support/backend.js';
import { describeWith, TerraformWorkspace } from '../support/terraform.js';

/** Path of a mistyped address, for the state that was meant. */
const TYPOS: readonly [name: string, path: (state: TestState) => string][] = [
  ['without /api/v1', ({ groupId }) => `/states/backend/${groupId}`],
  ['with state for states', ({ groupId }) => `/api/v1/state/backend/${groupId}`],
  ['with backends for backend', ({ groupId }) => `/api/v1/states/backends/${groupId}`],
  ['without backend', ({ groupId }) => `/api/v1/states/${groupId}`],
  ['with the group alone', ({ groupId }) => `/${groupId}`],
  ['with another version', ({ groupId }) => `/api/v2/states/backend/${groupId}/default`],
  ['with one part too many', ({ groupId }) => `/api/v1/states/backend/${groupId}/staging/network`],
  ['without a group', () => '/api/v1/states/backend'],
  ['of the service', () => '/api/v1'],
];
/** As Terraform's client sends it. */
const HEADERS = { 'user-agent': 'Go-http-client/1.1' };
const MAIN = `resource "terraform_data" "created" {
  provisioner "local-exec" {
    command = "touch created"
  }
}
`;

describe('A mistyped backend address', () => {
  let backend: TestBackend;
  let state: TestState;

  beforeAll(async () => {
    backend = await aBackend();
    state = await backend.aState();
  });
  afterAll(() => backend.stop());

  it.each(TYPOS)(
    '%s is answered 400 with the right address, never the 404 of a new state',
    async (_name, path) => {
      const url = backend.url + path(state);
      for (const method of ['GET', 'POST', 'LOCK', 'UNLOCK']) {
        const answer = await send(url, {
          method,
          key: backend.key,
          headers: { ...HEADERS, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) },
          ...(method === 'GET' ? {} : { body: '{}' }),
        });
        const { id, data } = answer.json() as { id: string; data: string };
        expect([method, answer.status, id]).toEqual([method, 400, 'INVALID_REQUEST']);
        const group = path(state).includes(state.groupId) ? state.groupId : '<group id>';
        expect(data).toContain(`${backend.url}/api/v1/states/backend/${group}`);
      }
    },
  );

  it('is told apart from the API’s own answers', async () => {
    expect((await backend.api('GET', `/states/${state.groupId}`)).status).toBe(404);
    expect((await backend.api('GET', '/nothing-here')).status).toBe(404);
    const unwritten = await send(`${backend.url}/api/v1/states/backend/${state.groupId}/new`, {
      key: backend.key,
      headers: HEADERS,
    });
    expect(unwritten.status).toBe(404);
  });

  describeWith('terraform', 'in the hands of the real client', () => {
    it.each(TYPOS)('%s creates nothing', async (_name, path) => {
      const workspace = new TerraformWorkspace({
        'backend.tf': backendBlock(backend.url + path(state), backend.key),
        'main.tf': MAIN,
      });
      try {
        const init = await workspace.try(['init', '-no-color']);
        const apply = await workspace.try(['apply', '-auto-approve', '-no-color']);
        expect(apply.code).not.toBe(0);
        expect(`${init.stderr}${apply.stderr}`).toContain('Unexpected HTTP response code 400');
        expect(existsSync(join(workspace.directory, 'created'))).toBe(false);
      } finally {
        workspace.remove();
      }
    });
  });
});

describe('A method that a path does not take', () => {
  let backend: TestBackend;

  beforeAll(async () => {
    backend = await aBackend();
  });
  afterAll(() => backend.stop());

  it.each([
    ['PUT', '/login/options', 'GET'],
    ['POST', '/mql', 'GET'],
    ['DELETE', '/whoami', 'GET'],
  ])('%s %s is answered 405 with those that it takes', async (method, path, allowed) => {
    const answer = await backend.api(method, path, { body: {} });
    expect([answer.status, answer.headers.allow, answer.json()]).toEqual([
      405,
      allowed,
      { id: 'METHOD_NOT_ALLOWED', data: `/api/v1${path} accepts ${allowed}` },
    ]);
  });
});
