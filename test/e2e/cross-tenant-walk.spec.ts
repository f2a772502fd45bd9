import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { send } from '../support/backend.js';
import {
  type Admin,
  aKey,
  aManager,
  aMember,
  anAdmin,
  aTenant,
  call,
  must,
  startGenerous,
} from '../support/identity.js';
import type { RunningService } from '../support/service.js';

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
}
interface Operation {
  parameters?: { in: string; name: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
}
interface Route {
  method: string;
  path: string;
  operation: Operation;
}

const document = JSON.parse(readFileSync(join(__dirname, '..', '..', 'docs', 'openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};
const routes: Route[] = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({ method: method.replace('x-', '').toUpperCase(), path, operation })),
);

/** Stands in every name and value of the other tenant. */
const MARKER = 'qzmarker';

/** The walk is made from the description: a route that is added is walked with every id of the other tenant. */
describe('A walk over every route with the ids of another tenant', () => {
  let service: RunningService;
  let root: Admin;
  /** ids of the other tenant by what the description calls them */
  const ids: Record<string, string> = {};
  let others: string[];
  const credentials: Record<string, string> = {};
  let own: string;

  beforeAll(async () => {
    service = await startGenerous({ env: { SERVICE_EDITION: 'enterprise' } });
    root = await anAdmin(service);
    await arrangeOtherTenant();
    await arrangeCredentials();
  });
  afterAll(() => service.stop());

  async function arrangeOtherTenant(): Promise<void> {
    const as = root.token;
    const { id: tenantId = '' } = await must(service, 'POST', '/tenants', { as, body: { name: MARKER } });
    const tenant = `/tenants/${tenantId}`;
    const state = await must(service, 'POST', `${tenant}/states`, { as, body: { name: MARKER } });
    await must(service, 'POST', `/states/backend/${state['group_id']}`, {
      as,
      body: {
        version: 4,
        serial: 1,
        lineage: MARKER,
        terraform_version: '1.11.0',
        outputs: { [MARKER]: { value: MARKER, type: 'string' } },
        resources: [
          {
            mode: 'managed',
            type: 'terraform_data',
            name: MARKER,
            provider: 'provider["terraform.io/builtin/terraform"]',
            instances: [{ schema_version: 0, attributes: { id: MARKER, input: MARKER } }],
          },
        ],
      },
    });
    const tx = await must(service, 'POST', `${tenant}/tx/create`, {
      as,
      body: { state_schema_version: 1, tags: { [MARKER]: MARKER } },
    });
    await must(service, 'POST', `/tx/${tx['id']}/logs/append`, {
      as,
      body: [
        {
          action: 'state_set',
          object_type: 'output',
          state_id: state['id'],
          data: { name: MARKER, type: 'string', value: MARKER },
        },
      ],
    });
    const task = await must(service, 'POST', '/tasks', { as });
    const rule = await must(service, 'POST', `${tenant}/caps/group-rules`, {
      as,
      body: {
        condition: { group: MARKER },
        grant: { commit: { tenants: [tenantId] } },
        description: MARKER,
      },
    });
    const { invitation } = await must<{ invitation: { id: string } }>(
      service,
      'POST',
      `${tenant}/invitations`,
      { as, body: { email: `${MARKER}@example.com` } },
    );
    const robot = await must(service, 'POST', '/api-users', {
      as,
      body: { name: MARKER, tenant_id: tenantId },
    });
    const { rows } = await service.pool.query<{ id: string }>('SELECT id FROM api_keys WHERE owner_id = $1', [
      robot['user_id'],
    ]);
    Object.assign(ids, {
      tenantId,
      stateId: state['id'],
      groupId: state['group_id'],
      txId: tx['id'],
      taskId: task['id'],
      ruleId: rule['id'],
      invitationId: invitation.id,
      userId: robot['user_id'],
      tokenId: rows[0]?.id,
      workspace: 'default',
      version: '1',
      from: '1',
      to: '1',
      name: MARKER,
      address: `terraform_data.${MARKER}`,
    });
    others = [tenantId, ids['stateId'], ids['groupId'], ids['txId'], ids['taskId'], ids['userId']].flatMap(
      (id) => id ?? [],
    );
  }

  async function arrangeCredentials(): Promise<void> {
    own = await aTenant(service, root);
    const chief = await aManager(service, root, { tenant_admin: true, can_manage_users: true }, [own]);
    const member = await aMember(service, root, [own]);
    const { token: robot = '' } = await must(service, 'POST', '/api-users', {
      as: chief.token,
      body: { name: 'robot', tenant_id: own },
    });
    const state = await must(service, 'POST', `/tenants/${own}/states`, {
      as: chief.token,
      body: { name: 'own' },
    });
    const { token: session = '' } = await must(service, 'POST', '/tx/session/create', {
      as: chief.token,
      body: { tenant_id: own },
    });
    const tx = await must(service, 'POST', `/tenants/${own}/tx/create`, {
      as: chief.token,
      body: { state_schema_version: 1 },
    });
    const { token: bundle } = await must<{ token: string }>(service, 'POST', `/tx/${tx['id']}/preview`, {
      as: chief.token,
    });
    const { refresh_token: refresh = '' } = await must(service, 'POST', '/github/access-token', {
      as: chief.token,
      body: { name: 'x', capabilities: ['access_token_create', 'kv_store_read', 'kv_store_write'] },
    });
    Object.assign(credentials, {
      anonymous: '',
      'session of an administrator': chief.token,
      'key of an administrator': await aKey(service, chief),
      'session of a member': member.token,
      'key for the outputs of a state': await aKey(service, chief, {
        preview: { states: { [state['id'] ?? '']: ['outputs'] } },
      }),
      'key that was asked for the other tenant': await aKey(service, chief, {
        admin: { tenants: [ids['tenantId']] },
        commit: { states: { [ids['stateId'] ?? '']: ['*'] } },
      }),
      'service account': robot,
      'session of a transaction': session,
      'runner of a transaction': bundle,
      'refresh token': refresh,
    });
  }

  /** An id of the other tenant for a name of the description; several where the name says nothing. */
  function idsFor(name: string): string[] {
    const plain = name.replace(/_/g, '').toLowerCase();
    const known = Object.entries(ids).find(([key]) => key.toLowerCase() === plain)?.[1];
    if (known !== undefined) return [known];
    if (plain === 'id') return [ids['invitationId'] ?? '', ids['tokenId'] ?? ''];
    return others;
  }

  function sampleOf(schema: Schema | undefined, name: string, depth = 0): unknown {
    if (!schema || depth > 6) return {};
    if (schema.$ref !== undefined)
      return sampleOf(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''], name, depth + 1);
    const [variant] = schema.oneOf ?? schema.anyOf ?? schema.allOf ?? [];
    if (variant) return sampleOf(variant, name, depth + 1);
    if (schema.enum) return schema.enum[0];
    if (/(^|_)id$/i.test(name) || schema.format === 'uuid') return idsFor(name)[0];
    if (schema.properties)
      return Object.fromEntries(
        Object.entries(schema.properties).map(([key, inner]) => [key, sampleOf(inner, key, depth + 1)]),
      );
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    if (type === 'array') return [sampleOf(schema.items, name.replace(/s$/, ''), depth + 1)];
    if (type === 'boolean') return true;
    if (type === 'integer' || type === 'number') return 1;
    if (type === 'string') return /mail/.test(name) ? 'walk@example.com' : 'a long walk';
    return {};
  }

  /** Every address of a route, with every combination of one id for each name in turn. */
  function addressesOf({ path, operation }: Route): { address: string; names: boolean }[] {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const queries = (operation.parameters ?? []).filter(
      (parameter) => parameter.in === 'query' && (parameter.required || /id$/i.test(parameter.name)),
    );
    const named = [...inPath, ...queries.map(({ name }) => name)];
    const rounds = Math.max(1, ...named.map((name) => idsFor(name).length));
    return Array.from({ length: rounds }, (_, round) => {
      const pick = (name: string) => {
        const choice = idsFor(name);
        return encodeURIComponent(choice[round % choice.length] ?? '');
      };
      const query = queries.map(({ name }) => `${name}=${name === 'q' ? 'SELECT+1' : pick(name)}`).join('&');
      const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => pick(name));
      return { address: query === '' ? filled : `${filled}?${query}`, names: named.length > 0 };
    });
  }

  async function request(route: Route, address: string, token: string) {
    const body = route.operation.requestBody?.content?.['application/json']?.schema;
    return send(service.url + address, {
      method: route.method,
      headers: {
        ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
        ...(body ? { 'Content-Type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(sampleOf(body, '')) } : {}),
    });
  }

  /** Everything that is stored of the other tenant, in whichever table. */
  async function stored(): Promise<Record<string, string>> {
    const { rows: columns } = await service.pool.query<{ table_name: string; column_name: string }>(
      `SELECT c.table_name, c.column_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
        WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.data_type = 'uuid'
          AND c.column_name IN ('id', 'tenant_id', 'state_id', 'tx_id', 'user_id', 'owner_id', 'group_id')`,
    );
    const contents: Record<string, string> = {};
    for (const { table_name: table, column_name: column } of columns) {
      const { rows } = await service.pool.query<{ digest: string | null }>(
        `SELECT md5(string_agg(r::text, ',' ORDER BY r::text)) AS digest FROM ${table} r WHERE ${column} = ANY ($1::uuid[])`,
        [[...others, ids['ruleId'], ids['invitationId'], ids['tokenId']]],
      );
      const digest = rows[0]?.digest;
      if (digest !== null && digest !== undefined) contents[`${table}.${column}`] = digest;
    }
    return contents;
  }

  it('shows its own people what is theirs: the ids are right', async () => {
    let shown = 0;
    for (const route of routes.filter(({ method, path }) => method === 'GET' && !/logout|login/.test(path)))
      for (const { address, names } of addressesOf(route)) {
        const answer = names ? await request(route, address, root.token) : undefined;
        if (answer?.status === 200 && answer.bytes.includes(MARKER)) shown += 1;
      }
    expect(shown).toBeGreaterThan(15);
  });

  it('shows nothing of it to anybody else, and changes nothing', async () => {
    const before = await stored();
    expect(Object.keys(before).length).toBeGreaterThan(15);
    const wrong: string[] = [];
    let sent = 0;
    for (const [credential, token] of Object.entries(credentials))
      for (const route of routes.filter(({ path }) => !/logout/.test(path)))
        for (const { address, names } of addressesOf(route)) {
          const answer = await request(route, address, token);
          sent += 1;
          const says = (problem: string) =>
            wrong.push(`${credential}: ${route.method} ${address} ${problem} ${answer.status}`);
          const text = answer.bytes.toString();
          // Addresses are repeated in the answer to an unknown route.
          if (text.replaceAll(address, '').includes(MARKER) && !address.includes(MARKER)) says('shows');
          if (answer.status >= 500 && ![501, 502, 503].includes(answer.status)) says('fails');
          if (answer.status < 300 && names && address.includes(ids['tenantId'] ?? '-')) says('accepts');
          if (answer.status < 300 && names && others.some((id) => address.includes(id))) says('accepts');
        }
    expect(sent).toBeGreaterThan(1000);
    expect(wrong).toEqual([]);
    expect(await stored()).toEqual(before);
  });

  it('shows nothing of it in any table of SQL', async () => {
    const { tables } = await must<{ tables: Record<string, unknown> }>(service, 'GET', '/mql/schema', {
      as: root.token,
    });
    expect(Object.keys(tables).length).toBeGreaterThan(10);
    const leaks: string[] = [];
    let seen = 0;
    for (const name of Object.keys(tables)) {
      const query = `/mql?q=${encodeURIComponent(`SELECT * FROM ${name} LIMIT 1000`)}`;
      const rowsFor = async (token: string) => {
        const answer = await send(`${service.url}/api/v1${query}`, {
          headers: { Authorization: `Bearer ${token}` },
        });
        return answer.bytes.toString();
      };
      if ((await rowsFor(root.token)).includes(MARKER)) seen += 1;
      for (const [credential, token] of Object.entries(credentials)) {
        const text = await rowsFor(token);
        if (text.includes(MARKER) || others.some((id) => text.includes(id)))
          leaks.push(`${credential}: ${name}`);
      }
    }
    expect(seen).toBeGreaterThan(3);
    expect(leaks).toEqual([]);
  });

  it('is not entered by naming it in a body', async () => {
    const as = credentials['session of an administrator'] ?? '';
    const refused = [
      await call(service, 'POST', '/api-users', { as, body: { name: 'x', tenant_id: ids['tenantId'] } }),
      await call(service, 'POST', '/tx/session/create', { as, body: { tenant_id: ids['tenantId'] } }),
      await call(service, 'POST', `/tenants/${own}/states`, {
        as,
        body: { name: 'x', group_id: ids['groupId'] },
      }),
      await call(service, 'POST', `/tenants/${own}/members`, { as, body: { user_id: ids['userId'] } }),
      await call(service, 'POST', `/tenants/${own}/caps/group-rules`, {
        as,
        body: { condition: { group: 'g' }, grant: { commit: { tenants: [ids['tenantId']] } } },
      }),
      await call(service, 'POST', `/states/backend/${ids['groupId']}/${randomUUID()}`, { as, body: {} }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 404, 409, 404, 422, 403]);
  });
});
