import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { aBackend, type TestBackend } from '../support/backend.js';
import { type EstateResource, EstateWriter, eventually } from '../support/estate.js';
import { type RunningService, startService } from '../support/service.js';
import { TransactionClient } from '../support/transactions.js';

const CANARY = 'canary-9f1e27c4';
const BLOCK: EstateResource = {
  type: 'aws_s3_bucket_public_access_block',
  name: 'site',
  attributes: {
    id: 'site',
    bucket: 'site',
    block_public_acls: false,
    note: CANARY,
    token: `${CANARY}-secret`,
  },
  sensitive: ['token'],
};
const NOBODY = '11111111-1111-4111-8111-111111111111';

/** By the schema of the standard. */
function sarifValidator(): ValidateFunction {
  const file = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  // The words that this draft of JSON Schema has for a schema's own address mean something else in later ones.
  const {
    id: _id,
    $schema: _draft,
    ...schema
  } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats(ajv);
  return ajv.compile(schema);
}

describe('Rights over security', () => {
  let backend: TestBackend;
  let worker: RunningService;
  let stateId: string;
  let member: { key: string };
  let stranger: { key: string };
  beforeAll(async () => {
    backend = await aBackend();
    worker = await startService({ role: 'worker', database: backend.service.database });
    const outsider = await backend.aUser();
    await backend.service.pool.query('DELETE FROM tenant_members WHERE user_id = $1', [outsider.id]);
    stranger = outsider;
    member = await backend.aUser();
    const writer = new EstateWriter(backend, await backend.aState());
    stateId = writer.state.id;
    await writer.write([BLOCK]);
    await eventually('scan', async () => ((await total('open')) > 0 ? true : undefined));
  }, 180_000);
  afterAll(async () => {
    await worker.stop();
    await backend.stop();
  });

  const status = async (
    method: string,
    path: string,
    key: string | undefined,
    body?: unknown,
  ): Promise<number> =>
    (await backend.api(method, path, { key, ...(body === undefined ? {} : { body }) })).status;

  async function total(kind: string): Promise<number> {
    const answer = await backend.api(
      'GET',
      `/states/${stateId}/security/findings?status=${kind}&check_id=CKV_AWS_53`,
    );
    return (answer.json() as { total_count: number }).total_count;
  }

  it('lets members read, administrators accept risks, and shows strangers nothing', async () => {
    const tenant = `/tenants/${backend.tenantId}/security`;
    const reads = [
      ...['findings', 'findings/summary', 'scans'].map((path) => `/states/${stateId}/security/${path}`),
      ...['findings', 'findings/summary', 'findings/history', 'waivers'].map((path) => `${tenant}/${path}`),
    ];
    for (const path of reads)
      expect([
        path,
        await status('GET', path, undefined),
        await status('GET', path, stranger.key),
        await status('GET', path, member.key),
        await status('GET', path, backend.key),
      ]).toEqual([path, 401, 404, 200, 200]);
    const waiver = { check_id: 'AWS-S3-001', reason: 'because' };
    const check = {
      title: 'a check',
      severity: 'low',
      resource_types: ['aws_x'],
      fail: { a: 'x', op: 'true' },
    };
    const writes: [string, string, unknown][] = [
      ['POST', `${tenant}/waivers`, waiver],
      ['DELETE', `${tenant}/waivers/${NOBODY}`, undefined],
      ['PUT', `${tenant}/checks/CUSTOM-A`, check],
      ['DELETE', `${tenant}/checks/CUSTOM-A`, undefined],
    ];
    for (const [method, path, body] of writes)
      expect([
        path,
        await status(method, path, undefined, body),
        await status(method, path, stranger.key, body),
        await status(method, path, member.key, body),
      ]).toEqual([path, 401, 404, 403]);
  });

  it('suppresses at once what a waiver matches, and opens it again', async () => {
    const path = `/tenants/${backend.tenantId}/security/waivers`;
    const body = { check_id: 'CKV_AWS_53', address: 'aws_s3_*', reason: 'a public site' };
    const created = await backend.api('POST', path, { body });
    expect([created.status, created.json()]).toEqual([201, expect.objectContaining({ ...body, matches: 1 })]);
    expect([await total('open'), await total('suppressed')]).toEqual([0, 1]);
    const { id } = created.json() as { id: string };
    expect(await status('DELETE', `${path}/${id}`, backend.key)).toBe(204);
    expect([await total('open'), await total('suppressed')]).toEqual([1, 0]);
    for (const wrong of [
      { ...body, check_id: 'AWS-NONE-001' },
      { check_id: '*', reason: 'all' },
      { ...body, reason: ' ' },
      { ...body, expires_at: '2001-01-01' },
      { ...body, expires_at: 'soon' },
    ])
      expect(await status('POST', path, backend.key, wrong)).toBe(400);
    expect(await status('POST', path, backend.key, { ...body, state_id: NOBODY })).toBe(404);
  });

  it('opens a finding again when its waiver ends, without a scan', async () => {
    const path = `/tenants/${backend.tenantId}/security/waivers`;
    const scansBefore = (await backend.api('GET', `/states/${stateId}/security/scans`)).json();
    const body = {
      check_id: '*',
      address: BLOCK.type + '.*',
      state_id: stateId,
      reason: 'for a moment',
      expires_at: new Date(Date.now() + 3_000).toISOString(),
    };
    expect(await status('POST', path, backend.key, body)).toBe(201);
    expect([await total('open'), await total('suppressed')]).toEqual([0, 1]);
    await eventually('end of the waiver', async () => ((await total('open')) === 1 ? true : undefined));
    expect(await total('suppressed')).toBe(0);
    expect((await backend.api('GET', `/states/${stateId}/security/scans`)).json()).toEqual(scansBefore);
  });

  it('findings of one tenant do not reach another one', async () => {
    const other = await backend.aTenant();
    const theirs = await backend.aState({ tenant_id: other });
    const path = (tenant: string): string => `/tenants/${tenant}/security`;
    const own = path(backend.tenantId);
    const waiver = { check_id: 'AWS-S3-001', reason: 'theirs' };
    const made = (await backend.api('POST', `${path(other)}/waivers`, { body: waiver })).json() as {
      id: string;
    };
    const check = {
      title: 'Theirs',
      severity: 'low',
      resource_types: [BLOCK.type],
      fail: { a: 'note', op: 'notempty' },
    };
    expect(await status('PUT', `${path(other)}/checks/CUSTOM-THEIRS`, backend.key, check)).toBe(200);
    // Neither acts on this tenant's findings, nor can it be reached by way of this tenant.
    expect(await total('suppressed')).toBe(0);
    expect(await status('DELETE', `${own}/waivers/${made.id}`, backend.key)).toBe(404);
    expect(await status('DELETE', `${own}/checks/CUSTOM-THEIRS`, backend.key)).toBe(404);
    expect(await status('POST', `${own}/waivers`, backend.key, { ...waiver, state_id: theirs.id })).toBe(404);
    expect(
      await status('POST', `${own}/waivers`, backend.key, { ...waiver, check_id: 'CUSTOM-THEIRS' }),
    ).toBe(400);
    expect(await status('GET', `/security/checks?tenant_id=${other}`, stranger.key)).toBe(404);
    const listed = async (query: string): Promise<string> =>
      (await backend.api('GET', `/security/checks${query}`)).bytes.toString();
    expect(await listed(`?tenant_id=${other}`)).toContain('CUSTOM-THEIRS');
    expect(await listed(`?tenant_id=${backend.tenantId}`)).not.toContain('CUSTOM-THEIRS');
    expect(await listed('')).not.toContain('CUSTOM-THEIRS');
    const foreign = await backend.api('GET', `${own}/findings?state_id=${theirs.id}`);
    expect((foreign.json() as { total_count: number }).total_count).toBe(0);
  });

  it('pages in one order, and refuses odd queries', async () => {
    const list = `/states/${stateId}/security/findings`;
    interface Listed {
      findings: { fingerprint: string }[];
      total_count: number;
      limit: number;
      next_page?: string;
    }
    const read = async (query: string) => {
      const answer = await backend.api('GET', `${list}${query}`);
      return { body: answer.json() as Listed, link: answer.headers['link'] };
    };
    const { body: whole } = await read('?limit=5000&status=all');
    expect(whole.limit).toBe(1_000);
    const seen: string[] = [];
    let page: string | undefined;
    do {
      const { body, link } = await read(
        `?limit=1&status=all${page === undefined ? '' : `&page=${encodeURIComponent(page)}`}`,
      );
      seen.push(...body.findings.map(({ fingerprint }) => fingerprint));
      page = body.next_page;
      expect(link === undefined).toBe(page === undefined);
    } while (page !== undefined);
    expect(seen).toEqual(whole.findings.map(({ fingerprint }) => fingerprint));
    expect(seen.length).toBeGreaterThan(1);
    const odd = [
      'severity=terrible',
      'severity=',
      'reachable=maybe',
      'status=gone',
      'limit=0',
      'limit=1.5',
      'limit=x',
    ];
    for (const query of [...odd, 'page=x', 'page=W10', 'format=xml', 'severity=high&severity=worst'])
      expect([query, await status('GET', `${list}?${query}`, backend.key)]).toEqual([query, 400]);
    expect(await status('GET', `/states/${stateId}/security/scans?kind=odd`, backend.key)).toBe(400);
    expect(await status('GET', `${list}?severity=high,low&severity=info`, backend.key)).toBe(200);
    expect(await status('GET', '/states/x/security/findings', backend.key)).toBe(404);
  });

  it('finds by a custom check until it is deleted', async () => {
    const path = `/tenants/${backend.tenantId}/security/checks/CUSTOM-NOTE`;
    const body = {
      title: 'Notes are forbidden',
      severity: 'medium',
      resource_types: [BLOCK.type],
      fail: { a: 'note', op: 'notempty' },
    };
    const count = async (): Promise<number> => {
      const answer = await backend.api('GET', `/states/${stateId}/security/findings?check_id=CUSTOM-NOTE`);
      return (answer.json() as { total_count: number }).total_count;
    };
    expect(await status('PUT', path, backend.key, body)).toBe(200);
    await eventually('custom finding', async () => ((await count()) === 1 ? true : undefined));
    expect(await status('DELETE', path, backend.key)).toBe(204);
    await eventually('custom finding resolved', async () => ((await count()) === 0 ? true : undefined));
    expect(await status('DELETE', path, backend.key)).toBe(404);
  }, 180_000);

  it('shows no attribute value anywhere', async () => {
    // A custom check that searches the values, a waiver and a plan that carries them: all of it is written and audited.
    const security = `/tenants/${backend.tenantId}/security`;
    const check = {
      title: 'Searches values',
      severity: 'low',
      resource_types: [BLOCK.type],
      fail: { any: ['note', 'token'].map((a) => ({ a, op: 'regex', v: '^canary-' })) },
    };
    expect(await status('PUT', `${security}/checks/CUSTOM-SEARCH`, backend.key, check)).toBe(200);
    const searched = await eventually('custom finding', async () => {
      const answer = await backend.api('GET', `/states/${stateId}/security/findings?check_id=CUSTOM-SEARCH`);
      return (answer.json() as { total_count: number }).total_count === 1 ? answer : undefined;
    });
    const client = new TransactionClient(backend);
    const txId = await client.create();
    await client.append(txId, [
      {
        action: 'hcl_set',
        object_type: 'hcl',
        state_id: stateId,
        data: { module: '', file: 'main.tf', data: { resource: { [BLOCK.type]: { [BLOCK.name]: [{}] } } } },
      },
    ]);
    const { task, token } = await client.begin(txId, 'preview');
    const planned = {
      ...{ address: `${BLOCK.type}.planned`, mode: 'managed', type: BLOCK.type, name: 'planned' },
      change: {
        actions: ['create'],
        before: null,
        after: { ...BLOCK.attributes, bucket: `${CANARY}-bucket` },
        after_unknown: {},
        after_sensitive: { token: true },
      },
    };
    const plan = {
      kind: 'preview',
      has_changes: true,
      plan: 'a plan',
      plan_json: { format_version: '1.2', resource_changes: [planned] },
    };
    expect((await client.report(token, plan)).status).toBe(200);
    expect(await client.ended(task)).toBe('completed');
    const impact = await eventually('impact', async () => {
      const answer = await backend.api('GET', `/tx/${txId}/security/impact`);
      return answer.status === 200 ? answer : undefined;
    });
    const impactText = impact.bytes.toString();
    expect(impactText).toContain('CUSTOM-SEARCH');
    const scan = (await backend.api('POST', `/states/${stateId}/security/scan`)).json() as { id: string };
    expect(await client.ended(scan.id)).toBe('completed');

    const texts: Record<string, string> = {
      'log of the worker': worker.output(),
      'log of the API': backend.service.output(),
      findings: searched.bytes.toString(),
      impact: impactText,
    };
    const list = `/states/${stateId}/security`;
    for (const path of [
      ...[
        `${list}/findings?status=all`,
        `${list}/findings?format=sarif&status=all`,
        `${list}/findings/summary`,
      ],
      ...[`${list}/scans`, `${security}/findings?status=all`, `${security}/findings/summary`],
      ...[
        `${security}/findings/history`,
        `${security}/waivers`,
        `/tx/${txId}/security/impact/summary`,
        `/tasks/${scan.id}`,
      ],
      `/mql?${new URLSearchParams({ q: 'SELECT * FROM security_scan_findings' }).toString()}`,
      `/mql?${new URLSearchParams({ q: 'SELECT * FROM security_scans' }).toString()}`,
    ]) {
      const answer = await backend.api('GET', path);
      expect([path, answer.status]).toEqual([path, 200]);
      texts[path] = answer.bytes.toString();
    }
    for (const { internalUrl } of [worker, backend.service])
      texts[`metrics of ${internalUrl}`] = await (await fetch(`${internalUrl}/metrics`)).text();
    expect(texts[`metrics of ${worker.internalUrl}`]).toContain('security_scan_duration_seconds');
    const tables = await backend.service.pool.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'
         AND (tablename LIKE 'security\\_%' AND tablename <> 'security_custom_checks' OR tablename IN ('audit_entries', 'tasks'))`,
    );
    expect(tables.rows.length).toBeGreaterThanOrEqual(12);
    for (const { name } of tables.rows)
      texts[name] = JSON.stringify((await backend.service.pool.query(`SELECT * FROM ${name}`)).rows);
    expect(texts['audit_entries']).toContain('CUSTOM-SEARCH');
    expect(texts['security_planned_findings']).toContain('planned');
    expect(Object.keys(texts).filter((name) => texts[name]?.includes(CANARY))).toEqual([]);
    expect(await status('DELETE', `${security}/checks/CUSTOM-SEARCH`, backend.key)).toBe(204);
    expect((await backend.api('POST', `/tx/${txId}/abort`)).status).toBe(200);
  }, 180_000);

  it('keeps a tenant to 200 custom checks, which may still be changed', async () => {
    const tenantId = await backend.aTenant();
    const body = {
      title: 'One of many',
      severity: 'low',
      resource_types: ['aws_x'],
      fail: { a: 'x', op: 'true' },
    };
    const save = (id: string, more: object = {}) =>
      backend.api('PUT', `/tenants/${tenantId}/security/checks/${id}`, { body: { ...body, ...more } });
    await backend.service.pool.query(
      `INSERT INTO security_custom_checks (tenant_id, check_id, title, severity, category, resource_types, fail, updated_at)
       SELECT $1, 'CUSTOM-' || n, 'one', 'low', 'hygiene', '{aws_x}', '{"a": "x", "op": "true"}', now() FROM generate_series(1, 198) n`,
      [tenantId],
    );
    // The last place, taken by one of two requests that come together.
    expect((await save('CUSTOM-LAST-BUT-ONE')).status).toBe(200);
    const answers = await Promise.all([save('CUSTOM-A'), save('CUSTOM-B')]);
    expect(answers.map(({ status: code }) => code).sort()).toEqual([200, 400]);
    const refused = await save('CUSTOM-ONE-MORE');
    expect([refused.status, refused.json()]).toEqual([
      400,
      { id: 'INVALID_REQUEST', data: 'a tenant has at most 200 custom checks' },
    ]);
    expect((await save('CUSTOM-7', { title: 'Changed' })).status).toBe(200);
    const path = `/tenants/${tenantId}/security/checks/CUSTOM-8`;
    expect((await backend.api('DELETE', path)).status).toBe(204);
    expect((await save('CUSTOM-ONE-MORE')).status).toBe(200);
  });

  it('answers SARIF with rules, levels and fingerprints', async () => {
    const answer = await backend.api(
      'GET',
      `/states/${stateId}/security/findings?format=sarif&check_id=AWS-S3-001`,
    );
    expect(answer.headers['content-type']).toContain('application/sarif+json');
    const { version, runs } = answer.json() as {
      version: string;
      runs: { results: unknown[]; tool: unknown }[];
    };
    expect(version).toBe('2.1.0');
    const isSarif = sarifValidator();
    // Waived findings, findings of states without a configuration, and no findings at all are logs as well.
    for (const query of ['?format=sarif', '?format=sarif&status=all', '?format=sarif&check_id=AWS-DAX-001']) {
      const log = await backend.api('GET', `/tenants/${backend.tenantId}/security/findings${query}`);
      isSarif(log.json());
      expect([query, isSarif.errors]).toEqual([query, null]);
    }
    expect(isSarif({ version: '2.1.0', runs: [{ results: [{ ruleId: 1 }] }] })).toBe(false);
    expect(runs[0]?.results).toHaveLength(1);
    expect(runs[0]?.results[0]).toMatchObject({
      ruleId: 'AWS-S3-001',
      level: 'error',
      partialFingerprints: { 'resourceAddress/v1': expect.stringMatching(/^[0-9a-f]{40}$/) as string },
      locations: [
        { logicalLocations: [{ fullyQualifiedName: `${BLOCK.type}.${BLOCK.name}`, kind: 'resource' }] },
      ],
    });
    expect(runs[0]?.results[0]).not.toHaveProperty('suppressions');
  });

  it('answers a waived finding as a suppressed result of SARIF', async () => {
    const waivers = `/tenants/${backend.tenantId}/security/waivers`;
    const body = { check_id: 'AWS-S3-001', state_id: stateId, reason: 'a public site' };
    const { id } = (await backend.api('POST', waivers, { body })).json() as { id: string };
    const query = '?format=sarif&status=suppressed&check_id=AWS-S3-001';
    const answer = await backend.api('GET', `/states/${stateId}/security/findings${query}`);
    expect(answer.json()).toMatchObject({
      runs: [
        {
          results: [
            {
              ruleId: 'AWS-S3-001',
              suppressions: [{ kind: 'external', status: 'accepted', justification: body.reason }],
            },
          ],
        },
      ],
    });
    expect(await status('DELETE', `${waivers}/${id}`, backend.key)).toBe(204);
  });

  it('keeps one point for every day, and refuses odd dates', async () => {
    const path = `/tenants/${backend.tenantId}/security/findings/history`;
    const { points } = (await backend.api('GET', path)).json() as {
      points: { findings_total_count: number }[];
    };
    expect(points).toHaveLength(30);
    expect(points.at(-2)?.findings_total_count).toBe(0);
    expect(points.at(-1)?.findings_total_count).toBeGreaterThan(0);
    for (const query of [
      'from=',
      'from=2026-02-30',
      'to=now',
      'from=2026-02-02&to=2026-02-01',
      'from=2001-01-01',
    ])
      expect([query, (await backend.api('GET', `${path}?${query}`)).status]).toEqual([query, 400]);
  });

  it('records who made and deleted waivers and custom checks', async () => {
    const { rows } = await backend.service.pool.query<{ action: string; object_id: string }>(
      `SELECT action, object_id FROM audit_entries
       WHERE object_type IN ('security-waiver', 'security-check') AND tenant_id = $1 AND actor_id = $2 ORDER BY id`,
      [backend.tenantId, backend.userId],
    );
    const checks = rows.filter(({ action }) => action.startsWith('security-check.'));
    expect(checks.map(({ action, object_id: id }) => [action, id])).toEqual([
      ['security-check.save', 'CUSTOM-NOTE'],
      ['security-check.delete', 'CUSTOM-NOTE'],
      ['security-check.save', 'CUSTOM-SEARCH'],
      ['security-check.delete', 'CUSTOM-SEARCH'],
    ]);
    const waivers = (kind: string): string[] =>
      rows.filter(({ action }) => action === `security-waiver.${kind}`).map(({ object_id: id }) => id);
    const made = waivers('create');
    expect(made.length).toBeGreaterThanOrEqual(3);
    expect(new Set(made).size).toBe(made.length);
    const deleted = waivers('delete');
    expect(deleted).toHaveLength(2);
    expect(made).toEqual(expect.arrayContaining(deleted));
  });

  it('is switched off as a whole', async () => {
    const off = await startService({ database: backend.service.database, env: { SERVICE_SECURITY: 'Off' } });
    try {
      const paths = [
        `/states/${NOBODY}/security/findings?limit=x`,
        `/tenants/x/security/waivers`,
        '/security/checks',
      ];
      for (const path of paths) {
        const url = `${off.url}/api/v1${path}`;
        expect((await fetch(url)).status).toBe(401);
        const answer = await fetch(url, { headers: { authorization: `Bearer ${backend.key}` } });
        expect([path, answer.status, ((await answer.json()) as { id: string }).id]).toEqual([
          path,
          503,
          'SECURITY_DISABLED',
        ]);
      }
      const enabled = async (url: string): Promise<unknown> => {
        const answer = await fetch(`${url}/api/v1/capabilities`, {
          headers: { authorization: `Bearer ${backend.key}` },
        });
        return ((await answer.json()) as { security: unknown }).security;
      };
      expect([await enabled(off.url), await enabled(backend.url)]).toEqual([
        { enabled: false },
        { enabled: true },
      ]);
    } finally {
      await off.stop();
    }
  }, 180_000);
});
