import { randomUUID } from 'node:crypto';
import { aBackend, addressOf, Answer, md5, send, TestBackend, TestState } from '../support/backend.js';
import { aLargeDocument, printDocument } from '../support/document-generator.js';

const LIMIT = 300_000;

/** Refused input leaves a clear `{id, data}` and everything as it was. */
describe('Bad input', () => {
  let backend: TestBackend;

  beforeAll(async () => {
    backend = await aBackend({ env: { SERVICE_CLIENT_MAX_BODY_SIZE: String(LIMIT) } });
  });
  afterAll(() => backend.stop());

  const document = (serial = 1, lineage = 'one', resources = 2): Buffer =>
    printDocument(aLargeDocument({ resources, serial, lineage }));

  async function rows(): Promise<unknown> {
    const tables = [
      'states',
      'state_versions',
      'state_chunks',
      'state_submissions',
      'state_changes',
      'instances',
      'resources',
      'outputs',
    ];
    const counts = await Promise.all(
      tables.map((table) => backend.service.pool.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`)),
    );
    return Object.fromEntries(tables.map((table, index) => [table, counts[index]?.rows[0]?.n]));
  }

  function refusal(answer: Answer): [number, unknown] {
    return [answer.status, answer.json()];
  }

  const error = (id: string) => ({ id, data: expect.any(String) as string });

  async function aWrittenState(): Promise<TestState & { bytes: Buffer }> {
    const state = await backend.aState();
    const bytes = document();
    expect((await send(state.address, { method: 'POST', key: backend.key, body: bytes })).status).toBe(200);
    return { ...state, bytes };
  }

  async function nothingChangedBy(
    state: TestState & { bytes: Buffer },
    act: () => Promise<void>,
  ): Promise<void> {
    const before = await rows();
    await act();
    expect(await rows()).toEqual(before);
    const answer = await send(state.address, { key: backend.key });
    expect([answer.status, answer.bytes.equals(state.bytes)]).toEqual([200, true]);
  }

  const whole = document(2).toString();
  const deep = `${'['.repeat(700)}1${']'.repeat(700)}`;
  const notStates: [string, string | Buffer][] = [
    ['nothing at all', ''],
    ['white space', ' \n '],
    ['words', 'apply complete'],
    ['a truncated document', whole.slice(0, -3)],
    ['a document cut within a resource', whole.slice(0, Math.floor(whole.length / 2))],
    ['a document followed by another', whole + whole],
    ['a document followed by a bracket', `${whole}}`],
    ['a missing comma between resources', whole.replace('\n    },\n    {', '\n    }\n    {')],
    ['a comma too many after the last resource', whole.replace('\n    }\n  ]', '\n    },\n  ]')],
    [
      'a comma too many after the last member',
      whole.replace('"check_results": null', '"check_results": null,'),
    ],
    ['a resource that is no object', whole.replace('"resources": [', '"resources": [ 1,')],
    ['single quotes', `{'version':4}`],
    ['NaN as serial', '{"version":4,"serial":NaN,"lineage":"one"}'],
    ['a raw line break in a string', '{"version":4,"serial":2,"lineage":"o\nne","resources":[]}'],
    ['a bad escape in an attribute', whole.replace('"Name": "', '"Name": "\\x')],
    ['a list', '[]'],
    ['null', 'null'],
    ['a string', '"state"'],
    ['an empty object', '{}'],
    ['no version', '{"serial":2,"lineage":"one","resources":[]}'],
    ['version 4.5', '{"version":4.5,"serial":2,"lineage":"one","resources":[]}'],
    ['version 0', '{"version":0,"serial":2,"lineage":"one"}'],
    ['a version in words', '{"version":"4","serial":2,"lineage":"one","resources":[]}'],
    ['a negative serial', '{"version":4,"serial":-1,"lineage":"one","resources":[]}'],
    ['a broken serial', '{"version":4,"serial":1.5,"lineage":"one","resources":[]}'],
    ['a serial in words', '{"version":4,"serial":"2","lineage":"one","resources":[]}'],
    ['a lineage that is no text', '{"version":4,"serial":2,"lineage":1,"resources":[]}'],
    ['a serial beyond 2^53', '{"version":4,"serial":9007199254740993,"lineage":"one","resources":[]}'],
    [
      'instances that are no list',
      '{"version":4,"serial":2,"lineage":"one","resources":[{"mode":"managed","type":"t","name":"n","provider":"p","instances":{}}]}',
    ],
    [
      'garbage behind something very deep',
      `{"version":4,"serial":2,"lineage":"one","outputs":{},"resources":[{"mode":"managed","type":"t","name":"n","provider":"p","instances":[{"attributes":{"deep":${deep}}}, garbage ]}]}`,
    ],
    [
      'an unclosed string behind something very deep',
      `{"version":4,"serial":2,"lineage":"one","outputs":{"o":{"value":${deep},"type":"x}},"resources":[]}`,
    ],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x7b, 0x00])],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])],
  ];

  it.each(notStates)('refuses %s with 400 and stores nothing of it', async (_name, body) => {
    const state = await aWrittenState();
    await nothingChangedBy(state, async () => {
      expect(refusal(await send(state.address, { method: 'POST', key: backend.key, body }))).toEqual([
        400,
        error('INVALID_STATE'),
      ]);
      const unwritten = addressOf(backend.url, state.groupId, 'never');
      expect(refusal(await send(unwritten, { method: 'POST', key: backend.key, body }))).toEqual([
        400,
        error('INVALID_STATE'),
      ]);
      expect((await send(unwritten, { key: backend.key })).status).toBe(404);
    });
  });

  it('refuses a body that lost bytes with 503 and Retry-After, so that the client sends it again', async () => {
    const state = await aWrittenState();
    const next = document(2);
    await nothingChangedBy(state, async () => {
      for (const checksum of [
        md5('something else'),
        'not base64!',
        Buffer.from('short').toString('base64'),
      ]) {
        const answer = await send(state.address, {
          method: 'POST',
          key: backend.key,
          body: next,
          headers: { 'content-md5': checksum },
        });
        expect([checksum, ...refusal(answer), Number(answer.headers['retry-after']) > 0]).toEqual([
          checksum,
          503,
          error('CHECKSUM_MISMATCH'),
          true,
        ]);
      }
    });
    const again = await send(state.address, {
      method: 'POST',
      key: backend.key,
      body: next,
      headers: { 'content-md5': md5(next) },
    });
    expect(again.status).toBe(200);
  });

  it.each([
    ['cut off', whole.slice(0, -40)],
    ['damaged at its first byte', whole.replace('{', 'z')],
    ['damaged where it says its version', whole.replace('"version"', '"versiom"')],
    ['lost as a whole', ''],
  ])(
    'answers 503 to a document that was %s on its way, although it is none any more',
    async (_name, body) => {
      const state = await aWrittenState();
      await nothingChangedBy(state, async () => {
        const headers = { 'content-md5': md5(whole) };
        const answer = await send(state.address, { method: 'POST', key: backend.key, body, headers });
        expect(refusal(answer)).toEqual([503, error('CHECKSUM_MISMATCH')]);
      });
    },
  );

  it.each(['LOCK', 'UNLOCK'])('refuses a %s that was damaged on its way with 503', async (method) => {
    const state = await aWrittenState();
    const lock = JSON.stringify({ ID: 'mine' });
    const sendLock = (body: string) =>
      send(state.address, {
        method,
        key: backend.key,
        body,
        headers: { 'content-md5': md5(lock) },
      });
    const damaged = await sendLock(lock.replace('mine', 'mime'));
    expect([...refusal(damaged), damaged.headers['retry-after']]).toEqual([
      503,
      error('CHECKSUM_MISMATCH'),
      '1',
    ]);
    expect((await sendLock(lock)).status).toBe(200);
  });

  it('reads and writes whatever stands in the address to tell runs apart', async () => {
    const state = await aWrittenState();
    for (const [index, query] of ['?ID=%F0%9F%98%80', `?tx=${'x'.repeat(500)}`].entries()) {
      const address = state.address + query;
      expect([query, (await send(address, { key: backend.key })).status]).toEqual([query, 200]);
      const next = { method: 'POST', key: backend.key, body: document(index + 2) };
      expect([query, (await send(address, next)).status]).toEqual([query, 200]);
    }
  });

  it('refuses a view that there is not, instead of showing everything', async () => {
    const state = await aWrittenState();
    for (const query of ['?view=output', '?view=Outputs', '?view=outputs&view=outputs'])
      expect([query, ...refusal(await send(state.address + query, { key: backend.key }))]).toEqual([
        query,
        400,
        error('INVALID_REQUEST'),
      ]);
  });

  it('refuses a body beyond the limit with 413 before and while it is read, and takes one of exactly the limit', async () => {
    const state = await aWrittenState();
    const padded = (size: number): Buffer => {
      const text = document(2).toString();
      return Buffer.from(text.trimEnd() + ' '.repeat(size - text.trimEnd().length));
    };
    await nothingChangedBy(state, async () => {
      expect(
        refusal(await send(state.address, { method: 'POST', key: backend.key, body: padded(LIMIT + 1) })),
      ).toEqual([413, error('PAYLOAD_TOO_LARGE')]);
      const chunked = {
        method: 'POST',
        key: backend.key,
        body: padded(LIMIT + 1),
        headers: { 'transfer-encoding': 'chunked', 'content-length': '' },
      };
      expect([413, 400]).toContain(
        (await send(state.address, chunked).catch(() => ({ status: 413 }))).status,
      );
      const imported = Buffer.from(`{"name":"x","state":${padded(LIMIT).toString()}}`);
      const answer = await send(`${backend.url}/api/v1/tenants/${backend.tenantId}/states/import`, {
        method: 'POST',
        key: backend.key,
        body: imported,
        headers: { 'content-type': 'application/json' },
      });
      expect(refusal(answer)).toEqual([413, error('PAYLOAD_TOO_LARGE')]);
    });
    expect(
      (await send(state.address, { method: 'POST', key: backend.key, body: padded(LIMIT) })).status,
    ).toBe(200);
  });

  it.each([
    'x',
    '00000000-0000-0000-0000-00000000000',
    '../../etc/passwd',
    "' OR 1=1 --",
    '%00',
    'a'.repeat(5000),
  ])('takes %.30j for no group id', async (id) => {
    for (const method of ['GET', 'POST', 'LOCK', 'UNLOCK']) {
      const answer = await send(addressOf(backend.url, encodeURIComponent(id)), {
        method,
        key: backend.key,
        ...(method === 'GET' ? {} : { body: '{"ID":"x"}' }),
      });
      expect([method, ...refusal(answer)]).toEqual([method, 400, error('INVALID_REQUEST')]);
    }
  });

  it.each(['?ID=%00', '?tx=a%00', '?ID=lock&tx=%00'])('takes %s for no name of a run', async (query) => {
    const state = await aWrittenState();
    await nothingChangedBy(state, async () => {
      for (const method of ['GET', 'POST', 'LOCK']) {
        const body = { GET: undefined, POST: document(2), LOCK: '{"ID":"x"}' }[method];
        const answer = await send(`${state.address}${query}`, {
          method,
          key: backend.key,
          ...(body === undefined ? {} : { body }),
        });
        expect([method, ...refusal(answer)]).toEqual([method, 400, error('INVALID_REQUEST')]);
      }
    });
  });

  it('tells writers apart whatever length of address a proxy forwards', async () => {
    const state = await backend.aState();
    const address = Array.from({ length: 150 }, () => randomUUID()).join('');
    const headers = { 'x-forwarded-for': address };
    expect((await send(state.address, { key: backend.key, headers })).status).toBe(200);
    const written = { method: 'POST', key: backend.key, headers, body: document() };
    expect((await send(state.address, written)).status).toBe(200);
  });

  it('takes any workspace name a client may have, and none beyond 255 characters', async () => {
    const { groupId } = await backend.aState();
    for (const workspace of ['a b', 'ключ', 'a/b', '%', "o'x", 'a"b', '..x', 'x'.repeat(255)]) {
      const address = addressOf(backend.url, groupId, workspace);
      expect([
        workspace,
        (await send(address, { method: 'POST', key: backend.key, body: document() })).status,
      ]).toEqual([workspace, 200]);
      expect((await send(address, { key: backend.key })).bytes.equals(document())).toBe(true);
    }
    for (const method of ['GET', 'POST']) {
      const answer = await send(addressOf(backend.url, groupId, 'x'.repeat(256)), {
        method,
        key: backend.key,
        ...(method === 'POST' ? { body: document() } : {}),
      });
      expect([method, ...refusal(answer)]).toEqual([method, 400, error('INVALID_REQUEST')]);
    }
  });

  const stateRoutes: [method: string, path: (id: string) => string, found: number][] = [
    ['GET', (id) => `/states/${id}`, 200],
    ['GET', (id) => `/states/${id}/export`, 200],
    ['GET', (id) => `/states/${id}/versions`, 200],
    ['GET', (id) => `/states/${id}/versions/1`, 200],
    ['GET', (id) => `/states/${id}/versions/1/diff/1`, 200],
    ['POST', (id) => `/states/${id}/versions/1/restore`, 200],
    ['GET', (id) => `/states/${id}/submissions`, 200],
    ['GET', (id) => `/states/${id}/submissions/${randomUUID()}`, 404],
    ['DELETE', (id) => `/states/${id}`, 200],
  ];

  it.each(stateRoutes)(
    'answers 404 to a stranger, as for a state that does not exist: %s %s',
    async (method, path) => {
      const outsider = await backend.aUser();
      const tenant = await backend.aTenant();
      const foreign = await backend.aState({ tenant_id: tenant });
      const body = document();
      await send(foreign.address, { method: 'POST', key: backend.key, body });
      await nothingChangedBy({ ...foreign, bytes: body }, async () => {
        for (const id of [foreign.id, randomUUID(), 'no-id', '0', foreign.id.slice(1)]) {
          expect([id, ...refusal(await backend.api(method, path(id), { key: outsider.key }))]).toEqual([
            id,
            404,
            error('STATE_NOT_FOUND'),
          ]);
          expect((await backend.api(method, path(id), { key: undefined })).status).toBe(401);
        }
      });
    },
  );

  it('refuses what a member without the grant may not do: 403 with the interface’s id', async () => {
    const state = await aWrittenState();
    const member = await backend.aUser();
    await nothingChangedBy(state, async () => {
      expect(refusal(await backend.api('DELETE', `/states/${state.id}`, { key: member.key }))).toEqual([
        403,
        error('ADMIN_REQUIRED'),
      ]);
      expect(
        (await backend.api('POST', `/states/${state.id}/versions/1/restore`, { key: member.key })).status,
      ).toBe(403);
      const reader = await backend.aKey({ preview: {} }, member.session);
      expect((await send(state.address, { key: reader })).bytes.equals(state.bytes)).toBe(true);
      for (const method of ['POST', 'LOCK', 'UNLOCK']) {
        expect([
          method,
          ...refusal(
            await send(state.address, {
              method,
              key: reader,
              body: method === 'POST' ? document(2) : '{"ID":"x"}',
            }),
          ),
        ]).toEqual([method, 403, error('FORBIDDEN')]);
      }
    });
  });

  it('answers an unknown pair 404 exactly where a write would create the state, and 403 where it would not', async () => {
    const member = await backend.aUser();
    const foreignTenant = await backend.aTenant();
    const foreign = await backend.aState({ tenant_id: foreignTenant });
    const own = await backend.aState();
    const reader = await backend.aKey({ preview: {} }, member.session);
    const scoped = await backend.aKey({ commit: { tenants: [backend.tenantId] } }, member.session);
    const cases: [string, string, string, number][] = [
      ['a new workspace of an own group', member.key, addressOf(backend.url, own.groupId, randomUUID()), 404],
      [
        'a new workspace of an own group without commit',
        reader,
        addressOf(backend.url, own.groupId, randomUUID()),
        403,
      ],
      [
        'a new workspace of a foreign group',
        member.key,
        addressOf(backend.url, foreign.groupId, randomUUID()),
        403,
      ],
      ['a state of another tenant', member.key, foreign.address, 403],
      ['an unknown group, several tenants in reach', member.key, addressOf(backend.url, randomUUID()), 403],
      ['an unknown group, one tenant in reach', scoped, addressOf(backend.url, randomUUID()), 404],
      ['an unknown group without commit', reader, addressOf(backend.url, randomUUID()), 403],
    ];
    for (const [name, key, address, expected] of cases) {
      const got = await send(address, { key });
      expect([name, ...refusal(got)]).toEqual([
        name,
        expected,
        error(expected === 404 ? 'STATE_NOT_FOUND' : 'FORBIDDEN'),
      ]);
      const posted = await send(address, { method: 'POST', key, body: document() });
      expect([name, posted.status]).toEqual([name, expected === 404 ? 200 : 403]);
    }
  });

  it.each([
    ['no body', undefined],
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name in numbers', { name: 5 }],
    ['a name beyond 255 characters', { name: 'x'.repeat(256) }],
    ['a bad group', { name: 'a', group_id: 'x' }],
    ['an empty workspace', { name: 'a', workspace: '' }],
    ['a name with NUL', { name: 'a\0' }],
    ['half a surrogate pair in its workspace', { name: 'a', workspace: '\ud800' }],
  ])('refuses to create or import a state with %s', async (_name, body) => {
    const before = await rows();
    expect(refusal(await backend.api('POST', `/tenants/${backend.tenantId}/states`, { body }))).toEqual([
      400,
      error('INVALID_REQUEST'),
    ]);
    const withState = body && { ...body, state: { version: 4, serial: 1, lineage: 'one', resources: [] } };
    expect(
      refusal(await backend.api('POST', `/tenants/${backend.tenantId}/states/import`, { body: withState })),
    ).toEqual([400, error('INVALID_REQUEST')]);
    expect(await rows()).toEqual(before);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
    ['a string', '{}'],
    ['no document', {}],
    ['no version there is', { version: 0 }],
  ])('refuses to import %s', async (_name, state) => {
    const before = await rows();
    const answer = await backend.api('POST', `/tenants/${backend.tenantId}/states/import`, {
      body: { name: 'a', state },
    });
    expect([
      answer.status,
      ['INVALID_STATE', 'INVALID_REQUEST'].includes((answer.json() as { id: string }).id),
    ]).toEqual([400, true]);
    expect(await rows()).toEqual(before);
  });

  it.each([
    'versions?limit=0',
    'versions?limit=x',
    'versions?page=%00',
    'versions?page=not-a-token',
    'submissions?status=lost',
    'submissions?page=!',
  ])('refuses the query %s', async (query) => {
    const state = await aWrittenState();
    expect(refusal(await backend.api('GET', `/states/${state.id}/${query}`))).toEqual([
      400,
      error('INVALID_REQUEST'),
    ]);
  });

  it.each([
    ['2', 404, 'VERSION_NOT_FOUND'],
    ['0', 404, 'VERSION_NOT_FOUND'],
    ['-1', 404, 'VERSION_NOT_FOUND'],
    ['x', 404, 'VERSION_NOT_FOUND'],
    ['1e0', 404, 'VERSION_NOT_FOUND'],
    ['99999999999999999999', 404, 'VERSION_NOT_FOUND'],
    ['%00', 400, 'INVALID_REQUEST'],
  ])('has no version %s', async (serial, status, id) => {
    const state = await aWrittenState();
    for (const [method, path] of [
      ['GET', `versions/${serial}`],
      ['GET', `versions/1/diff/${serial}`],
      ['POST', `versions/${serial}/restore`],
    ] as const) {
      expect([path, ...refusal(await backend.api(method, `/states/${state.id}/${path}`))]).toEqual([
        path,
        status,
        error(id),
      ]);
    }
  });

  it.each(['', '  ', '\t'])('is no name of a state: %j', async (name) => {
    const made = await backend.api('POST', `/tenants/${backend.tenantId}/states`, { body: { name } });
    expect(refusal(made)).toEqual([400, { id: 'INVALID_REQUEST', data: 'name must not be blank' }]);
  });

  it.each([
    ['/tenants', 'name'],
    ['/tenants/:tenant/states', 'name'],
    ['/tenants/:tenant/invitations', 'email'],
    ['/user/access-tokens', 'name'],
    ['/setup/admin', 'email'],
  ])('lacks a member that %s needs, and hears which', async (path, name) => {
    const answer = await backend.api('POST', path.replace(':tenant', backend.tenantId), { body: {} });
    expect(refusal(answer)).toEqual([400, { id: 'INVALID_REQUEST', data: `${name} is required` }]);
  });

  it('has no page of modules that is not a text', async () => {
    const state = await aWrittenState();
    for (const keys of [[1], [null], ['\0'], ['a', 'b'], ['\ud800']]) {
      const token = Buffer.from(JSON.stringify(keys)).toString('base64url');
      const answer = await backend.api('GET', `/states/${state.id}/modules?page=${token}`);
      expect([keys, ...refusal(answer)]).toEqual([keys, 400, error('INVALID_REQUEST')]);
    }
  });

  it('has no page of another list', async () => {
    const state = await aWrittenState();
    const tokens = [['a', 'b'], ['2026-02-30 00:00:00+00', randomUUID()], [2 ** 31], [1.5], ['1'], [null]];
    for (const list of [
      `/tenants/${backend.tenantId}/states?page=`,
      `/states/${state.id}/versions?page=`,
      `/states/${state.id}/submissions?page=`,
      `/tenants/${backend.tenantId}/tx?page=`,
      `/audit?cursor=`,
    ])
      for (const keys of tokens) {
        const token = Buffer.from(JSON.stringify(keys)).toString('base64url');
        const answer = await backend.api('GET', list + token);
        const isPosition = list === '/audit?cursor=' && keys[0] === 2 ** 31;
        expect([list, keys, answer.status]).toEqual([list, keys, isPosition ? 200 : 400]);
      }
  });
});
