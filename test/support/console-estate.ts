import { randomBytes, randomUUID } from 'node:crypto';
import { aBackend, aWrittenState, BackendClient, Run, send, type TestBackend } from './backend.js';
import { AwsCloud, anAccount, SERVER_KEY } from './clouds/aws-cloud.js';
import { GithubStandIn } from './code-hosts/github-stand-in.js';
import { estateDocument } from './estate.js';
import { aSide, inventoryOf, type Side } from './mql.js';
import { aRepository, aRun, aStep, type TestRepository } from './run-records.js';
import { change, runState, setInstance, TransactionClient } from './transactions.js';

export const ADMINISTRATOR = {
  email: 'admin@example.test',
  password: 'correct horse battery',
  name: 'Admin',
};

/** A service with every switch on, and a cloud beside it. */
export interface ConsoleService {
  backend: TestBackend;
  aws: AwsCloud;
  stop(): Promise<void>;
}

export async function startConsole(env: Record<string, string> = {}): Promise<ConsoleService> {
  const aws = await new AwsCloud().start();
  const github = await new GithubStandIn().start();
  const stopOthers = async (): Promise<void> => {
    await aws.stop();
    await github.stop();
  };
  try {
    const backend = await aBackend({
      env: {
        SERVICE_COST_ENABLED: 'true',
        SERVICE_EDITION: 'enterprise',
        SERVICE_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
        SERVICE_LOGIN_RATE_PER_ACCOUNT: '100000',
        SERVICE_LOGIN_RATE_PER_ADDRESS: '100000',
        SERVICE_GAPS_FRESH_SECONDS: '100000',
        SERVICE_AWS_ENDPOINT_URL: aws.url,
        SERVICE_ORCHESTRATION_ENABLED: 'true',
        ...github.environment,
        ...SERVER_KEY,
        ...env,
      },
    });
    const stop = async (): Promise<void> => {
      await backend.stop();
      await stopOthers();
    };
    return { backend, aws, stop };
  } catch (error) {
    await stopOthers();
    throw error;
  }
}

/** A tenant that has something of every kind to show in the console. */
export interface ConsoleEstate {
  side: Side;
  /** values of the parameters in the addresses of pages */
  parameters: Readonly<Record<string, string>>;
  /** ids of states that are odd in one way each */
  states: Readonly<Record<OddState, string>>;
  /** a transaction whose commit would be refused */
  conflicting: string;
  /** address of an invitation that waits */
  invitation: string;
}

type OddState = 'locked' | 'contested' | 'empty' | 'broken' | 'legacy' | 'encrypted' | 'large';

/** @param mark stands in every name, attribute, output, key and message that a person or a client can choose */
export async function aConsoleEstate({ backend, aws }: ConsoleService, mark: string): Promise<ConsoleEstate> {
  const side = await aSide(backend, mark);
  backend.tenantId = side.tenantId;
  await must(backend, 'POST', `/tenants/${side.tenantId}/members`, { user_id: backend.userId });
  // A key remembers the tenants of its owner for a moment.
  backend.key = await backend.aKey();
  const invitation = await peopleOf(backend, mark);
  await cloudOf(backend, aws, mark);
  await must(backend, 'POST', `/tenants/${side.tenantId}/security/waivers`, {
    check_id: 'AWS-S3-001',
    reason: mark,
  });
  const { repository, run } = await repositoryOf(backend, mark);
  const states = await oddStates(backend, side, mark);
  const { planned, conflicting } = await transactionsOf(backend, side, mark);
  const submission = await backend.service.pool.query<{ id: string }>(
    `SELECT id FROM state_submissions WHERE state_id = $1 AND status = 'refused'`,
    [states.contested],
  );
  return {
    side,
    states,
    conflicting,
    invitation,
    parameters: {
      tenantId: side.tenantId,
      stateId: side.network,
      txId: planned,
      from: '1',
      to: '2',
      vcs: repository.provider,
      installationId: repository.installationId,
      workManifestId: run,
      repoId: repository.repoId,
      pullNumber: '7',
      submissionId: submission.rows[0]?.id ?? '',
    },
  };
}

async function must(backend: TestBackend, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await backend.api(method, path, body === undefined ? {} : { body });
  if (answer.status >= 300)
    throw new Error(`${method} ${path} answered ${answer.status} ${answer.bytes.toString()}`);
  return answer.bytes.length === 0 ? undefined : answer.json();
}

async function peopleOf(backend: TestBackend, mark: string): Promise<string> {
  const { tenantId } = backend;
  await must(backend, 'POST', '/user/access-tokens', { name: `key of ${mark}`.slice(0, 200) });
  await must(backend, 'POST', `/tenants/${tenantId}/caps/group-rules`, {
    condition: { group: `${mark}*` },
    grant: { commit: { tenants: [tenantId] } },
    description: mark,
  });
  const invited = await must(backend, 'POST', `/tenants/${tenantId}/invitations`, {
    email: 'grace.hopper@example.test',
  });
  return String((invited as { invite_url: string }).invite_url);
}

async function cloudOf(backend: TestBackend, aws: AwsCloud, mark: string): Promise<void> {
  const { tenantId } = backend;
  const account = '123456789012';
  const config = await must(backend, 'GET', `/tenants/${tenantId}/gaps/config?provider=aws`);
  aws.accounts.push(anAccount({ id: account, externalId: (config as { external_id: string }).external_id }));
  await must(backend, 'PUT', `/tenants/${tenantId}/gaps/config`, {
    provider: 'aws',
    role_arn: `arn:aws:iam::${account}:role/inventory`,
  });
  // Other settings make the inventory old, and no worker runs here that would read a new one.
  for (const table of ['cloud_ids', 'gap_inventory', 'gap_scans'])
    await backend.service.pool.query(`DELETE FROM ${table} WHERE tenant_id = $1`, [tenantId]);
  await inventoryOf(backend.service.pool, tenantId, mark);
}

async function repositoryOf(
  backend: TestBackend,
  mark: string,
): Promise<{ repository: TestRepository; run: string }> {
  const { pool } = backend.service;
  const repository = await aRepository(pool, backend.tenantId);
  await pool.query('UPDATE installations SET name = $2, linked_at = now() WHERE id = $1', [
    repository.installation,
    mark,
  ]);
  await pool.query('UPDATE pull_requests SET title = $2, branch = $2 WHERE repository_id = $1', [
    repository.repository,
    mark,
  ]);
  const run = await aRun(pool, repository, { username: mark, dirs: [{ dir: mark, success: true }] });
  await aStep(pool, run, 0, { dir: mark, payload: { text: mark } });
  await pool.query(
    `INSERT INTO webhook_deliveries (id, provider, source, delivery_id, installation_id, provider_installation_id, event, action, lane, state, processed_at)
     VALUES (gen_random_uuid(), 'github', 'app', 'one', $1, $2, 'pull_request', $3, 'lane', 'processed', now())`,
    [repository.installation, repository.installationId, mark],
  );
  await pool.query(
    `INSERT INTO kv_records (provider, installation_id, key, idx, data, version, committed)
     VALUES ('github', $1, $2, 0, $2, 0, true)`,
    [repository.installationId, mark],
  );
  return { repository, run };
}

async function oddStates(backend: TestBackend, side: Side, mark: string): Promise<ConsoleEstate['states']> {
  await send(`${backend.url}/api/v1/states/backend/${side.groupId}/application`, {
    method: 'LOCK',
    key: backend.key,
    body: JSON.stringify({ ID: randomUUID(), Operation: 'OperationTypeApply', Who: mark, Info: mark }),
  });
  const group = await backend.aState({ name: `${mark} contested` });
  const contested = await aWrittenState(
    backend,
    group,
    new Map([
      ['a', mark],
      ['b', mark],
    ]),
  );
  const runs = [1, 2, 3].map(() => new Run(new BackendClient(contested.address, backend.key), undefined));
  for (const run of runs) await run.read();
  // The first is stored, the second touches the same instance, the third another one.
  for (const [index, name] of ['a', 'a', 'b'].entries()) {
    const run = runs[index];
    await run?.client.post(run.next(new Map([[name, `${mark} ${index}`]])));
    run?.client.close();
  }
  const documents = {
    broken: { version: 4, serial: 1, lineage: 'x', resources: { mark } },
    legacy: {
      version: 3,
      serial: 4,
      lineage: 'x',
      modules: [{ path: ['root'], outputs: {}, resources: {} }],
    },
    encrypted: { meta: { key_provider: mark }, encrypted_data: 'AAAA', encryption_version: 'v0' },
  };
  const large = await backend.aState({ name: `${mark} large` });
  await write(backend, large.address, largeDocument(mark));
  const ids: Record<string, string> = {};
  for (const [name, document] of Object.entries(documents)) {
    const state = await backend.aState({ name: `${mark} ${name}` });
    await write(backend, state.address, JSON.stringify(document));
    ids[name] = state.id;
  }
  const { broken = '', legacy = '', encrypted = '' } = ids;
  const empty = (await backend.aState({ name: `${mark} empty` })).id;
  return {
    locked: side.application,
    contested: contested.id,
    large: large.id,
    empty,
    broken,
    legacy,
    encrypted,
  };
}

async function write(backend: TestBackend, address: string, body: string | Buffer): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await send(address, { method: 'POST', key: backend.key, body, headers });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes.toString()}`);
}

/** 400 instances; the first has 2,000 attributes, the second a value of 1 MB, the third a name nobody wants. */
function largeDocument(mark: string): Buffer {
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`attribute_${index}`, mark]));
  const names = ['many', 'huge', '漢'.repeat(255)];
  const attributes = [many, { id: 'huge', value: 'x'.repeat(1_000_000) }, { id: mark, שלום: 'مرحبا' }];
  return estateDocument(
    Array.from({ length: 400 }, (_, index) => ({
      type: 'test_thing',
      name: names[index] ?? `thing_${index}`,
      ...(index % 3 === 0 ? { module: `module.part["${index % 7}"]` } : {}),
      attributes: attributes[index] ?? { id: `thing-${index}`, mark },
      dependencies: index < 5 ? [] : ['test_thing.thing_4'],
    })),
  );
}

async function transactionsOf(
  backend: TestBackend,
  side: Side,
  mark: string,
): Promise<{ planned: string; conflicting: string }> {
  const client = new TransactionClient(backend);
  const state = await backend.aState({ name: `${mark} planned` });
  const conflicting = await client.logged(state.id, [{ address: 'test_thing.a', value: mark }]);
  const created = await must(backend, 'POST', `/tenants/${side.tenantId}/tx/create`, {
    state_schema_version: 1,
    tags: { mark },
  });
  const planned = (created as { id: string }).id;
  await client.append(planned, [setInstance(state.id, { address: 'test_thing.a', value: mark })]);
  const preview = await client.begin(planned, 'preview');
  await client.report(preview.token, {
    kind: 'preview',
    has_changes: true,
    plan: outputOf(mark),
    plan_json: {
      resource_changes: [
        change('test_thing.a', ['create']),
        change('module.m.test_thing.b', ['update']),
        change(`test_thing.c["${mark.replaceAll('"', '')}"]`, ['delete', 'create']),
        change('test_thing.d', ['delete']),
      ],
    },
  });
  const commit = await client.begin(planned, 'commit');
  await client.report(commit.token, {
    kind: 'commit',
    output: outputOf(mark),
    state: runState([{ address: 'test_thing.a', value: mark }], { out: mark }),
  });
  await impactOf(backend, side, planned);
  return { planned, conflicting };
}

/** What the scan of a plan leaves behind. */
async function impactOf(backend: TestBackend, side: Side, txId: string): Promise<void> {
  const { pool } = backend.service;
  await pool.query('DELETE FROM security_impacts WHERE tx_id = $1', [txId]);
  await pool.query(
    `INSERT INTO security_impacts (tx_id, tenant_id, status, attempt, computed_at)
     VALUES ($1, $2, 'completed', gen_random_uuid(), now())`,
    [txId, side.tenantId],
  );
}

/** What a terminal would color, link, retitle and move about in. */
function outputOf(mark: string): string {
  return [
    '\u001b[1mPlan:\u001b[0m 1 to add, \u001b[33m1 to change\u001b[0m, \u001b[31m1 to destroy\u001b[0m.',
    `\u001b]8;;https://evil.example/\u0007${mark}\u001b]8;;\u0007`,
    `\u001b]0;${mark}\u0007title \u001b[2J\u001b[Hcleared`,
    '\u001b[38;2;1;2;3mtrue color\u001b[0m \u001b[7minverse\u001b[0m',
    ...Array.from({ length: 40 }, (_, index) => `line ${index}: ${mark}`),
  ].join('\n');
}
