import { AzureCloud } from '../support/clouds/azure-cloud.js';
import { GoogleCloud } from '../support/clouds/google-cloud.js';
import { EstateWriter, eventually } from '../support/estate.js';
import { aServiceAccountKey, GapSuite } from '../support/gaps.js';

const DIRECTORY = '0f8e7d6c-1111-4222-8333-444455556666';
const CLIENT = '1f8e7d6c-1111-4222-8333-444455556666';
const SUBSCRIPTION = '2f8e7d6c-1111-4222-8333-444455556666';
const SECRET = 'azure-canary-secret~1';
const vm = (name: string): Record<string, unknown> => ({
  id: `/subscriptions/${SUBSCRIPTION}/resourceGroups/RG/providers/Microsoft.Compute/virtualMachines/${name}`,
  ...{
    name,
    type: 'microsoft.compute/virtualmachines',
    location: 'westeurope',
    resourceGroup: 'rg',
    subscriptionId: SUBSCRIPTION,
  },
  ...{ tags: { team: 'a' }, kind: '', osType: 'Linux', orchestrationMode: '' },
});
const asset = (kind: string, path: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: `//${kind.split('/')[0]}/${path}`,
  ...{
    assetType: kind,
    project: 'projects/42',
    displayName: path.split('/').at(-1),
    location: 'europe-west1',
  },
  parentFullResourceName: '//cloudresourcemanager.googleapis.com/projects/my-project',
  ...more,
});

describe('Gap analysis of Google Cloud and Azure', () => {
  const google = new GoogleCloud();
  const azure = new AzureCloud();
  const { key, publicKey } = aServiceAccountKey();
  let suite: GapSuite;
  let member: { key: string };
  let stranger: { key: string };
  beforeAll(async () => {
    await Promise.all([google.start(), azure.start()]);
    google.accounts.push({ email: key['client_email'] ?? '', publicKey, scope: 'projects/my-project' });
    const resources = new Map([[SUBSCRIPTION, [vm('one'), vm('two')]]]);
    azure.directories.push({ id: DIRECTORY, clientId: CLIENT, secret: SECRET, subscriptions: resources });
    suite = await GapSuite.start({
      SERVICE_GCP_ENDPOINT_URL: google.url,
      SERVICE_AZURE_ENDPOINT_URL: azure.url,
    });
    const outsider = await suite.backend.aUser();
    await suite.backend.service.pool.query('DELETE FROM tenant_members WHERE user_id = $1', [outsider.id]);
    stranger = outsider;
    member = await suite.backend.aUser();
  });
  afterAll(async () => {
    await suite.stop();
    await Promise.all([google.stop(), azure.stop()]);
  });
  beforeEach(() => {
    google.heal();
    azure.heal();
  });

  const azureBody = {
    provider: 'azure',
    azure_tenant_id: DIRECTORY,
    client_id: CLIENT,
    client_secret: SECRET,
    subscriptions: [SUBSCRIPTION],
  };
  const gcpBody = { provider: 'gcp', scope: 'projects/my-project', service_account_key: key };

  it('lets members read, administrators of the tenant configure, and shows strangers nothing', async () => {
    const status = async (
      method: string,
      path: string,
      by: string | undefined,
      body?: unknown,
    ): Promise<number> =>
      (
        await suite.backend.api(method, suite.path(path), {
          key: by,
          ...(body === undefined ? {} : { body }),
        })
      ).status;
    const resources = [{ arn: 'arn:aws:sns:eu-west-1:111111111111:t' }];
    const matrix: [string, string, unknown, number][] = [
      ['GET', '/config?provider=gcp', undefined, 200],
      ['GET', '?provider=gcp', undefined, 409],
      ['POST', '/import', { provider: 'aws', resources }, 200],
      ['PUT', '/config', azureBody, 403],
      ['DELETE', '/config?provider=azure', undefined, 403],
    ];
    const { backend } = suite;
    const foreignTenant = await backend.aTenant();
    const [foreignAdmin, admin] = [await backend.aUser(), await backend.aUser()];
    const { pool } = backend.service;
    await pool.query('DELETE FROM tenant_members WHERE user_id = $1 AND tenant_id <> $2', [
      ...[foreignAdmin.id, foreignTenant],
    ]);
    for (const [id, tenantId] of [
      [foreignAdmin.id, foreignTenant],
      [admin.id, backend.tenantId],
    ])
      await pool.query(`INSERT INTO user_grants VALUES ($1, 'admin', ARRAY[$2::uuid])`, [id, tenantId]);
    const reader = await backend.aKey({ preview: {} });
    for (const [method, path, body, expected] of matrix)
      expect([
        path,
        await status(method, path, undefined, body),
        await status(method, path, stranger.key, body),
        await status(method, path, foreignAdmin.session, body),
        await status(method, path, member.key, body),
      ]).toEqual([path, 401, 404, 404, expected]);
    expect(await status('PUT', '/config', reader, azureBody)).toBe(403);
    expect(await status('PUT', '/config', admin.session, azureBody)).toBe(200);
    expect(await status('DELETE', '/config?provider=azure', admin.session)).toBe(204);
    const shown = await suite.backend.api('GET', suite.path('/config?provider=aws'), { key: member.key });
    expect(shown.json()).not.toHaveProperty('external_id');
  });

  it.each([
    ['provider', {}],
    ['provider', { provider: 'oci' }],
    ['role_arn', { provider: 'aws' }],
    ['role_arn', { provider: 'aws', role_arn: 'arn:aws:iam::1:role/x' }],
    [
      'region',
      { provider: 'aws', role_arn: 'arn:aws:iam::111111111111:role/x', region: 'evil.example.com/' },
    ],
    ['scope', { ...gcpBody, scope: 'projects/../../x' }],
    ['service_account_key', { provider: 'gcp', scope: 'folders/1' }],
    ['service_account_key.private_key', { ...gcpBody, service_account_key: { ...key, private_key: 'x' } }],
    ['client_secret', { ...azureBody, client_secret: undefined }],
    ['azure_tenant_id', { ...azureBody, azure_tenant_id: '../x' }],
    ['subscriptions', { ...azureBody, subscriptions: [] }],
    ['scope', { ...azureBody, scope: 'folders/1' }],
  ])('refuses settings with a bad %s, naming it', async (field, body) => {
    const answer = await suite.config(body);
    expect([answer.status, answer.json()]).toEqual([
      400,
      { id: 'INVALID_REQUEST', data: expect.stringContaining(field) as string },
    ]);
  });

  it('compares what Google lists by project id, by number and by address', async () => {
    google.assets.set('projects/my-project', [
      asset('compute.googleapis.com/Instance', 'projects/my-project/zones/z/instances/web'),
      asset('secretmanager.googleapis.com/Secret', 'projects/42/secrets/token'),
      asset('iam.googleapis.com/ServiceAccount', 'projects/my-project/serviceAccounts/1001', {
        additionalAttributes: { email: 'app@my-project.iam.gserviceaccount.com' },
      }),
      asset('compute.googleapis.com/Network', 'projects/my-project/global/networks/default'),
      ...Array.from({ length: 1_200 }, (_, at) =>
        asset('pubsub.googleapis.com/Topic', `projects/my-project/topics/t${at}`),
      ),
    ]);
    const put = await suite.config(gcpBody);
    expect([put.status, put.json()]).toMatchObject([
      200,
      { status: 'ready', warnings: [], scope: 'projects/my-project' },
    ]);
    google.refusedTokens = 1;
    const before = await suite.scanned('gcp');
    expect(before.summary).toMatchObject({
      total_aws_resources: 0,
      total_cloud_resources: 1_204,
      unmanaged: 1_203,
      phantom_filtered: 1,
    });
    const writer = new EstateWriter(suite.backend, await suite.backend.aState());
    await writer.write([
      {
        type: 'google_compute_instance',
        name: 'web',
        attributes: { id: 'projects/my-project/zones/z/instances/web' },
      },
      {
        type: 'google_secret_manager_secret',
        name: 't',
        attributes: { id: 'projects/my-project/secrets/token' },
      },
      {
        type: 'google_service_account',
        name: 'a',
        attributes: { id: 'projects/my-project/serviceAccounts/app@my-project.iam.gserviceaccount.com' },
      },
    ]);
    await eventually('three are managed', async () =>
      (await suite.ask('gcp')).body.summary.unmanaged === 1_200 ? true : undefined,
    );
  });

  it('reads every page of Azure, in any spelling, and tells types apart by what it lists', async () => {
    const put = await suite.config(azureBody);
    expect(JSON.stringify(put.json())).not.toContain(SECRET);
    expect([put.status, put.json()]).toMatchObject([200, { status: 'ready', subscriptions: [SUBSCRIPTION] }]);
    const group = {
      id: `/subscriptions/${SUBSCRIPTION}/resourceGroups/RG`,
      name: 'RG',
      type: 'microsoft.resources/subscriptions/resourcegroups',
      subscriptionId: SUBSCRIPTION,
    };
    azure.directories[0]?.subscriptions.set(SUBSCRIPTION, [
      ...Array.from({ length: 2_300 }, (_, at) => vm(`vm${at}`)),
      group,
    ]);
    azure.refusedTokens = 1;
    const found = await suite.scanned('azure');
    expect(found.summary).toMatchObject({ total_cloud_resources: 2_301, unmanaged: 2_301 });
    const writer = new EstateWriter(suite.backend, await suite.backend.aState());
    await writer.write([
      {
        type: 'azurerm_linux_virtual_machine',
        name: 'a',
        attributes: { id: String(vm('VM7')['id']).replace('resourceGroups', 'resourcegroups') },
      },
    ]);
    await eventually('one is managed', async () =>
      (await suite.ask('azure')).body.summary.unmanaged === 2_300 ? true : undefined,
    );
    const resources = [{ arn: String(vm('vm1')['id']) }];
    const texts = await suite.backend.api('POST', suite.path('/import'), {
      body: { provider: 'azure', resources },
    });
    expect(texts.json()).toMatchObject({
      supported_count: 1,
      import_blocks: expect.stringContaining('azurerm_linux_virtual_machine.vm1') as string,
    });
  });

  it.each([
    ['azure', 'HTML', 'INVALID_RESPONSE', () => azure.failAlways('query', { kind: 'html' })],
    [
      'azure',
      'a repeated token',
      'INVALID_RESPONSE',
      () =>
        azure.failAlways('query', { kind: 'text', body: JSON.stringify({ data: [], $skipToken: 'again' }) }),
    ],
    [
      'azure',
      'a truncated list',
      'INVALID_RESPONSE',
      () =>
        azure.failAlways('query', {
          kind: 'text',
          body: JSON.stringify({ data: [], resultTruncated: 'true' }),
        }),
    ],
    [
      'gcp',
      '10 MB in a name',
      'INVALID_RESPONSE',
      () =>
        google.failAlways('search', {
          kind: 'text',
          body: JSON.stringify({
            results: [asset('a.googleapis.com/B', 'x', { displayName: 'x'.repeat(10_000_000) })],
          }),
        }),
    ],
    [
      'gcp',
      'half a page',
      'INVALID_RESPONSE',
      () => google.failAlways('search', { kind: 'text', body: '{"results": [' }),
    ],
    [
      'gcp',
      'a refusal',
      'ACCESS_DENIED',
      () => google.failAlways('token', { kind: 'status', status: 403, type: 'PERMISSION_DENIED' }),
    ],
    [
      'gcp',
      '429 without end',
      'THROTTLED',
      () =>
        google.failAlways('search', {
          kind: 'status',
          status: 429,
          type: 'RESOURCE_EXHAUSTED',
          headers: { 'retry-after': '0' },
        }),
    ],
  ])('fails a scan of %s that gets %s, and keeps the older inventory', async (provider, _, code, breakIt) => {
    const before = (await suite.ask(provider)).body.summary;
    breakIt();
    await expect(suite.scanned(provider)).rejects.toThrow(code);
    const { status, body } = await suite.ask(provider);
    expect([status, body]).toMatchObject([200, { summary: before, error: { code } }]);
  });

  it('cannot be led to another directory or project by a tenant that knows their names', async () => {
    const tenantId = await suite.backend.aTenant();
    const other = aServiceAccountKey();
    const stolen = { ...gcpBody, service_account_key: { ...other.key, client_email: key['client_email'] } };
    const gcp = await suite.config(stolen, tenantId);
    expect(gcp.json()).toMatchObject({ status: 'error', warnings: [{ code: 'ACCESS_DENIED' }] });
    const guessed = await suite.config({ ...azureBody, client_secret: 'guessed' }, tenantId);
    expect(guessed.json()).toMatchObject({ status: 'error', warnings: [{ code: 'ACCESS_DENIED' }] });
    await expect(suite.scanned('azure', tenantId)).rejects.toThrow('ACCESS_DENIED');
  });

  it('forgets what was found with the settings', async () => {
    expect((await suite.backend.api('DELETE', suite.path('/config?provider=gcp'))).status).toBe(204);
    expect((await suite.ask('gcp')).status).toBe(409);
    const { rows } = await suite.backend.service.pool.query(
      `SELECT 1 FROM gap_inventory WHERE tenant_id = $1 AND provider = 'gcp'`,
      [suite.backend.tenantId],
    );
    expect(rows).toEqual([]);
  });

  it('keeps secrets out of logs, tasks, audit entries and tables', async () => {
    const { rows } = await suite.backend.service.pool.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    const lines = (key['private_key'] ?? '').split('\n');
    const canaries = [SECRET, lines[2] ?? '', 'token-0'];
    for (const { name } of rows)
      for (const canary of canaries) {
        const found = await suite.backend.service.pool.query(
          `SELECT 1 FROM "${name}" t WHERE t::text LIKE '%' || $1 || '%' LIMIT 1`,
          [canary],
        );
        expect([name, found.rows.length]).toEqual([name, 0]);
      }
    const logs = suite.backend.service.output() + suite.worker.output();
    for (const canary of canaries) expect(logs).not.toContain(canary);
  });
});
