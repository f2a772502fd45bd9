import { createHash, randomUUID } from 'node:crypto';
import { Agent, IncomingHttpHeaders, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expectDescribed } from './description-check.js';
import { printDocument, PROVIDER, treeOf } from './document-generator.js';
import { RunningService, ServiceOptions, startService } from './service.js';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** as they came, still compressed when they were */
  bytes: Buffer;
  json(): unknown;
}

export interface Call {
  method?: string;
  /** API key or session token, sent as the client does: Basic, any user name */
  key?: string;
  user?: string | undefined;
  body?: Buffer | string;
  headers?: Record<string, string>;
  agent?: Agent;
}

/** One request, with nothing added, followed or decoded. */
export function send(url: string, call: Call = {}): Promise<Answer> {
  const body = call.body === undefined ? undefined : Buffer.from(call.body as string);
  const headers: Record<string, string> = {
    ...(call.key === undefined
      ? {}
      : {
          authorization: `Basic ${Buffer.from(`${call.user ?? 'session'}:${call.key}`).toString('base64')}`,
        }),
    ...(body === undefined ? {} : { 'content-length': String(body.length) }),
    ...call.headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: call.method ?? 'GET', headers, agent: call.agent ?? false },
      (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.once('error', reject);
        incoming.once('end', () => {
          const bytes = Buffer.concat(parts);
          const answer: Answer = {
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            bytes,
            json: () => JSON.parse(bytes.toString()) as unknown,
          };
          try {
            compareWithDescription(url, call.method ?? 'GET', answer);
            resolve(answer);
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** Large bodies are documents, whose shape is their writer's. */
const LARGEST_COMPARED = 1024 * 1024;

function compareWithDescription(url: string, method: string, answer: Answer): void {
  if (answer.bytes.length > LARGEST_COMPARED) return;
  const contentType = answer.headers['content-type'] ?? null;
  const text = unzipped(answer).toString();
  expectDescribed({ method, url, status: answer.status, contentType, text });
}

export function md5(bytes: Buffer | string): string {
  return createHash('md5').update(bytes).digest('base64');
}

export function unzipped(answer: Answer): Buffer {
  return answer.headers['content-encoding'] === 'gzip' ? gunzipSync(answer.bytes) : answer.bytes;
}

/** A service after its first setup, with an administrator and their key. */
export interface TestBackend {
  service: RunningService;
  url: string;
  /** API key of the installation's administrator */
  key: string;
  session: string;
  userId: string;
  tenantId: string;
  /** the answer of an API route (path from /api/v1 on) with a JSON body */
  api(method: string, path: string, options?: { key?: string | undefined; body?: unknown }): Promise<Answer>;
  aKey(capabilities?: Record<string, unknown>, by?: string): Promise<string>;
  aState(values?: {
    name?: string;
    group_id?: string;
    workspace?: string;
    tenant_id?: string;
  }): Promise<TestState>;
  aTenant(): Promise<string>;
  /** somebody who is a member of every tenant of the administrator at this moment, with a session and a key */
  aUser(): Promise<{ id: string; session: string; key: string }>;
  stop(): Promise<void>;
}

export interface TestState {
  id: string;
  name: string;
  groupId: string;
  workspace: string;
  /** whole address of the backend */
  address: string;
}

export async function aBackend(options: ServiceOptions = {}): Promise<TestBackend> {
  const service = await startService(options);
  const api = (
    method: string,
    path: string,
    how: { key?: string | undefined; body?: unknown } = {},
  ): Promise<Answer> =>
    send(`${service.url}/api/v1${path}`, {
      method,
      ...('key' in how ? (how.key === undefined ? {} : { key: how.key }) : { key: backend.key }),
      ...(how.body === undefined
        ? {}
        : { body: JSON.stringify(how.body), headers: { 'content-type': 'application/json' } }),
    });
  const must = async (status: number, answer: Promise<Answer>): Promise<Record<string, string>> => {
    const got = await answer;
    if (got.status !== status)
      throw new Error(`expected ${status}, got ${got.status} ${got.bytes.toString()}`);
    return got.json() as Record<string, string>;
  };
  const aKey = async (capabilities?: Record<string, unknown>, by = backend.session): Promise<string> => {
    const body = { name: `key ${randomUUID()}`, ...(capabilities ? { capabilities } : {}) };
    return String((await must(201, api('POST', '/user/access-tokens', { key: by, body })))['token']);
  };
  const backend: TestBackend = {
    service,
    url: service.url,
    key: '',
    session: '',
    userId: '',
    tenantId: '',
    api,
    aKey,
    aState: async ({ tenant_id = backend.tenantId, ...values } = {}) => {
      const state = await must(
        201,
        api('POST', `/tenants/${tenant_id}/states`, { body: { name: 'a state', ...values } }),
      );
      return stateOf(service.url, state);
    },
    aTenant: async () =>
      String((await must(201, api('POST', '/tenants', { body: { name: `tenant ${randomUUID()}` } })))['id']),
    aUser: async () => {
      const email = `user-${randomUUID()}@example.test`;
      const password = 'correct horse battery';
      const user = await must(
        201,
        api('POST', '/users', { key: backend.session, body: { name: 'a user', email, password } }),
      );
      const login = await must(
        200,
        api('POST', '/login/password', { key: undefined, body: { email, password } }),
      );
      const session = String(login['session_token']);
      return { id: String(user['id']), session, key: await aKey(undefined, session) };
    },
    stop: async () => {
      await service.stop();
    },
  };
  try {
    const person = {
      email: 'admin@example.test',
      password: 'correct horse battery',
      name: 'Admin',
      organization: 'Infrastructure',
    };
    const setup = await must(201, api('POST', '/setup/admin', { key: undefined, body: person }));
    backend.session = String(setup['session_token']);
    backend.userId = String(setup['user_id']);
    const tenants = await send(`${service.url}/api/v1/user/tenants`, { key: backend.session });
    const own = (tenants.json() as { results: { id: string; name: string }[] }).results.find(
      (tenant) => tenant.name === 'Infrastructure',
    );
    backend.tenantId = own?.id ?? '';
    backend.key = await aKey();
    return backend;
  } catch (error) {
    await service.stop();
    throw error;
  }
}

export function stateOf(url: string, view: Record<string, string>): TestState {
  const [groupId, workspace] = [String(view['group_id']), String(view['workspace'])];
  return {
    id: String(view['id']),
    name: String(view['name']),
    groupId,
    workspace,
    address: addressOf(url, groupId, workspace),
  };
}

export function addressOf(url: string, groupId: string, workspace = 'default'): string {
  return `${url}/api/v1/states/backend/${groupId}${workspace === 'default' ? '' : `/${encodeURIComponent(workspace)}`}`;
}

/** Behaves like one command of the real client: one connection, Basic, Content-MD5 and Content-Length with each body. */
export class BackendClient {
  private readonly agent: Agent;

  constructor(
    readonly address: string,
    private readonly key: string,
    private readonly options: {
      agent?: Agent;
      headers?: Record<string, string>;
      query?: string;
      user?: string;
    } = {},
  ) {
    this.agent = options.agent ?? new Agent({ keepAlive: true, maxSockets: 1 });
  }

  get(query = ''): Promise<Answer> {
    return send(this.address + query, {
      key: this.key,
      user: this.options.user,
      agent: this.agent,
      headers: { ...this.options.headers },
    });
  }

  post(document: Buffer | string, query = this.options.query ?? ''): Promise<Answer> {
    return this.body('POST', document, query);
  }

  lock(info: unknown): Promise<Answer> {
    return this.body('LOCK', JSON.stringify(info), '');
  }

  unlock(info: unknown): Promise<Answer> {
    return this.body('UNLOCK', info === undefined ? '' : JSON.stringify(info), '');
  }

  close(): void {
    if (!this.options.agent) this.agent.destroy();
  }

  private body(method: string, document: Buffer | string, query: string): Promise<Answer> {
    const headers = {
      'content-type': 'application/json',
      'content-md5': md5(document),
      ...this.options.headers,
    };
    const { key, agent } = this;
    const { user } = this.options;
    return send(this.address + query, { method, key, user, agent, body: document, headers });
  }
}

/** The http backend's configuration block for the real client. */
export function backendBlock(address: string, key: string, lines: string[] = []): string {
  const settings = [`address  = "${address}"`, 'username = "session"', `password = "${key}"`, ...lines];
  return `terraform {\n  backend "http" {\n${settings.map((line) => `    ${line}`).join('\n')}\n  }\n}\n`;
}

/** What a state holds: `name` or `name[index]` of an instance, `output.name` of an output, each with one value. */
export type Content = Map<string, string>;

export function bytesOf(content: Content, serial: number, lineage: string): Buffer {
  const resources = new Map<string, { indexKey?: string; value: string }[]>();
  const outputs: Record<string, unknown> = {};
  for (const [key, value] of [...content].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [name = '', index] = key.split(/[[\]]/);
    if (key.startsWith('output.')) outputs[key.slice(7)] = { value, type: 'string' };
    else
      resources.set(name, [
        ...(resources.get(name) ?? []),
        { value, ...(index === undefined ? {} : { indexKey: index }) },
      ]);
  }
  return printDocument({
    serial,
    lineage,
    outputs: treeOf(outputs),
    resources: [...resources].map(([name, instances]) => ({
      mode: 'managed',
      type: 'test_thing',
      name,
      provider: PROVIDER,
      instances: instances.map(({ value, ...rest }) => ({
        ...rest,
        attributes: treeOf({ value }),
        dependencies: [],
      })),
    })),
  });
}

export interface StoredDocument {
  serial: number;
  lineage: string;
  outputs: Record<string, { value: string }>;
  resources: { name: string; instances: { index_key?: number; attributes: { value: string } }[] }[];
}

export function contentOf(document: StoredDocument): Content {
  return new Map([
    ...document.resources.flatMap(({ name, instances }) =>
      instances.map((instance): [string, string] => [
        instance.index_key === undefined ? name : `${name}[${instance.index_key}]`,
        instance.attributes.value,
      ]),
    ),
    ...Object.entries(document.outputs).map(([name, output]): [string, string] => [
      `output.${name}`,
      output.value,
    ]),
  ]);
}

export function patched(content: Content, changes: ReadonlyMap<string, string | undefined>): Content {
  const result = new Map(content);
  for (const [key, value] of changes) {
    if (value === undefined) result.delete(key);
    else result.set(key, value);
  }
  return result;
}

export function changesBetween(before: Content, after: Content): Map<string, string | undefined> {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return new Map(
    keys.filter((key) => before.get(key) !== after.get(key)).map((key) => [key, after.get(key)]),
  );
}

export function shown(content: Content): [string, string][] {
  return [...content].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** One command of a client that keeps its document in memory and raises the serial with each write, refused or not. */
export class Run {
  document: Content = new Map();
  /** what its next write is compared with: what it read, or sent and got accepted */
  base: Content = new Map();
  /** keys that others have changed since it read */
  foreign = new Set<string>();
  serial = 0;
  lineage = '';
  lastSent: Buffer | undefined;

  constructor(
    readonly client: BackendClient,
    readonly lockId: string | undefined,
  ) {}

  async read(query = ''): Promise<void> {
    const document = (await this.client.get(query)).json() as StoredDocument;
    this.document = contentOf(document);
    this.base = this.document;
    this.foreign = new Set();
    this.serial = document.serial;
    this.lineage = document.lineage;
    this.lastSent = undefined;
  }

  next(changes: ReadonlyMap<string, string | undefined>): Buffer {
    this.document = patched(this.document, changes);
    this.serial++;
    this.lastSent = bytesOf(this.document, this.serial, this.lineage);
    return this.lastSent;
  }
}

/** A new workspace of the group that holds `content` at serial 1, written by somebody else. */
export async function aWrittenState(
  backend: TestBackend,
  group: TestState,
  content: Content,
): Promise<TestState> {
  const workspace = randomUUID();
  const address = addressOf(backend.url, group.groupId, workspace);
  const headers = { 'x-forwarded-for': '10.9.9.9' };
  const first = new BackendClient(address, backend.key, { headers });
  const answer = await first.post(bytesOf(content, 1, `lineage-${workspace}`));
  first.close();
  return { ...group, workspace, address, id: (answer.json() as { state_id: string }).state_id };
}
