import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aBackend, BackendClient, md5, send, TestBackend, unzipped } from '../support/backend.js';
import { aLargeDocument, type Layout, printDocument } from '../support/document-generator.js';

/** A folder of state documents from the wild with a MANIFEST.tsv, see docs; without it only the cases written here run. */
const FIXTURES = process.env['STATE_FIXTURES'] ?? join(__dirname, '..', '..', '..', 'shared', 'fixtures');
const MANIFEST = join(FIXTURES, 'MANIFEST.tsv');

interface Fixture {
  file: string;
  resources: string;
  instances: string;
  features: string;
}

function fixtures(): Fixture[] {
  if (!existsSync(MANIFEST)) return [];
  const [head = '', ...lines] = readFileSync(MANIFEST, 'utf8').trim().split('\n');
  const columns = head.split('\t');
  const rows = lines.map((line) =>
    Object.fromEntries(line.split('\t').map((cell, index) => [columns[index] ?? '', cell])),
  );
  return rows
    .map((row) => ({
      file: row['file'] ?? '',
      resources: row['resources'] ?? '',
      instances: row['instances'] ?? '',
      features: row['features'] ?? '',
    }))
    .filter(({ file }) => file.startsWith('states/') && existsSync(join(FIXTURES, file)));
}

describe('Odd documents', () => {
  let backend: TestBackend;
  const temporary = mkdtempSync(join(tmpdir(), 'odd-documents-'));

  beforeAll(async () => {
    backend = await aBackend({ env: { TMPDIR: temporary } });
  });
  afterAll(async () => {
    await backend.stop();
    rmSync(temporary, { recursive: true });
  });

  async function stored(
    bytes: Buffer,
  ): Promise<{ id: string; status: number; view: Record<string, unknown> }> {
    const state = await backend.aState();
    const answer = await send(state.address, {
      method: 'POST',
      key: backend.key,
      body: bytes,
      headers: { 'content-md5': md5(bytes) },
    });
    if (answer.status === 200) {
      const plain = await send(state.address, { key: backend.key });
      expect([plain.status, plain.bytes.equals(bytes), plain.headers['content-md5']]).toEqual([
        200,
        true,
        md5(bytes),
      ]);
      const zipped = await send(state.address, { key: backend.key, headers: { 'accept-encoding': 'gzip' } });
      expect(unzipped(zipped).equals(bytes)).toBe(true);
      expect((await backend.api('GET', `/states/${state.id}/versions`)).json()).toMatchObject({
        results: [{ version: 1, size: bytes.length }],
      });
    } else {
      const left = await backend.service.pool.query('SELECT 1 FROM state_versions WHERE state_id = $1', [
        state.id,
      ]);
      expect(left.rowCount).toBe(0);
    }
    return {
      id: state.id,
      status: answer.status,
      view: (await backend.api('GET', `/states/${state.id}`)).json() as Record<string, unknown>,
    };
  }

  const found = fixtures();
  const isJson = ({ file }: Fixture): boolean => {
    try {
      JSON.parse(readFileSync(join(FIXTURES, file), 'utf8'));
      return true;
    } catch {
      return false;
    }
  };

  it('are there to be tested, or the run says that they are not', () => {
    if (found.length === 0)
      process.stdout.write(`SKIPPED: no state documents in STATE_FIXTURES or ../shared/fixtures\n`);
    expect(found.map((fixture) => fixture.file)).toEqual([...new Set(found.map((fixture) => fixture.file))]);
    expect(found.filter((fixture) => !isJson(fixture)).map((fixture) => fixture.features)).toEqual(
      found.filter(({ features }) => features.includes('INVALID-JSON')).map(({ features }) => features),
    );
  });

  describe('from the wild', () => {
    const stores = new Map<string, Awaited<ReturnType<typeof stored>>>();
    const present = found.length === 0 ? it.skip : it;

    present(
      'are stored and served byte for byte, every one, and the state says what has no graph',
      async () => {
        const expected: unknown[] = [];
        for (const fixture of found) {
          stores.set(fixture.file, await stored(readFileSync(join(FIXTURES, fixture.file))));
          const hasNoGraph =
            /legacy-v3|legacy-v1|legacy-v2|encrypted/.test(fixture.features) ||
            fixture.file.includes('dup-resource');
          expected.push([fixture.file, isJson(fixture) ? 200 : 400, isJson(fixture) && hasNoGraph]);
        }
        expect(
          [...stores].map(([file, { status, view }]) => [
            file,
            status,
            status === 200 && view['graph_error'] !== undefined,
          ]),
        ).toEqual(expected);
      },
    );

    present('have as many instances and resources in the graph as the manifest counts', async () => {
      const outcomes: unknown[] = [];
      const expected: unknown[] = [];
      for (const fixture of found.filter((one) => isJson(one) && one.instances !== '')) {
        const state = stores.get(fixture.file);
        if (state?.view['graph_error'] !== undefined) continue;
        const summary = (await backend.api('GET', `/states/${String(state?.id)}/summary`)).json() as {
          instances: number;
          resources: number;
        };
        outcomes.push([fixture.file, summary.instances, summary.resources]);
        expected.push([fixture.file, Number(fixture.instances), Number(fixture.resources)]);
      }
      expect(outcomes).toEqual(expected);
    });
  });

  const head = '"version":4,"serial":1,"lineage":"l"';
  const resource = (over: string) => `{${head},"resources":[${over}]}`;
  const thing = '"mode":"managed","type":"t","name":"n","provider":"provider[\\"x/y/z\\"]"';

  it.each([
    ['an instance twice', resource(`{${thing},"instances":[{"attributes":{}},{"attributes":{}}]}`)],
    [
      'one index key twice',
      resource(
        `{${thing},"instances":[{"index_key":1,"attributes":{}},{"index_key":1,"attributes":{"a":1}}]}`,
      ),
    ],
    [
      'a resource twice',
      resource(`{${thing},"instances":[{"attributes":{}}]},{${thing},"instances":[{"attributes":{}}]}`),
    ],
    ['a resource without a type', resource('{"mode":"managed","name":"n","instances":[{"attributes":{}}]}')],
    [
      'a value nested 600 deep',
      resource(`{${thing},"instances":[{"attributes":{"deep":${'['.repeat(600)}${']'.repeat(600)}}}]}`),
    ],
    [
      'an output nested 600 deep',
      `{${head},"outputs":{"o":{"value":${'['.repeat(600)}${']'.repeat(600)},"type":"dynamic"}},"resources":[]}`,
    ],
    ['an instance that is null', resource(`{${thing},"instances":[null]}`)],
    ['resources that are an object', `{${head},"resources":{"a":1}}`],
    [
      'an encrypted document',
      '{"serial":1,"lineage":"l","meta":{"key_provider.pbkdf2.k":"eyJz"},"encrypted_data":"3q2+7w==","encryption_version":"v0"}',
    ],
    ['a format of the future', `{"version":5,"serial":1,"lineage":"l","things":[{"attributes":{}}]}`],
    [
      'a format of the future that looks like this one',
      resource(`{${thing},"instances":[{"attributes":{}}]}`).replace('"version":4', '"version":5'),
    ],
    [
      'version 3',
      '{"version":3,"serial":1,"lineage":"l","modules":[{"path":["root"],"outputs":{},"resources":{}}]}',
    ],
  ])('stores %s and says why it has no graph', async (_name, text) => {
    const { status, view } = await stored(Buffer.from(text));
    expect([status, view['graph_error']]).toEqual([200, expect.any(String) as string]);
  });

  it.each([
    ['only a version', '{"version":4}'],
    ['no resources', `{${head}}`],
    ['resources null', `{${head},"resources":null}`],
    ['outputs null', `{${head},"outputs":null,"resources":[]}`],
    ['a byte order of its own', `\n\t {"resources":[],"lineage":"l","serial":1,"version":4}\n\n`],
    ['a resource without instances', resource(`{${thing},"instances":[]}`)],
    ['a resource whose instances are null', resource(`{${thing},"instances":null}`)],
    ['a resource without an instances member', resource(`{${thing}}`)],
    ['attributes null', resource(`{${thing},"instances":[{"attributes":null}]}`)],
    ['flat attributes', resource(`{${thing},"instances":[{"attributes_flat":{"a.%":"1"}}]}`)],
    ['instances before the name', resource(`{"instances":[{"attributes":{"a":1}}],${thing}}`)],
    ['a duplicate attribute', resource(`{${thing},"instances":[{"attributes":{"a":1,"a":2}}]}`)],
    [
      'odd numbers',
      resource(
        `{${thing},"instances":[{"attributes":{"a":[1e400,-0,1e-400,12345678901234567890123,0.10]}}]}`,
      ),
    ],
    ['a huge exponent', resource(`{${thing},"instances":[{"attributes":{"a":1e999999999}}]}`)],
    [
      'lone surrogates and NUL',
      resource(
        `{${thing},"instances":[{"index_key":"\\u0000\\ud800","attributes":{"\\udc00\\u0000":"\\u0000"},"private":"\\u0000"}]}`,
      ),
    ],
    [
      'names with NUL',
      `{${head},"terraform_version":"1\\u0000","outputs":{"\\u0000o":{"value":"\\u0000","type":"string"}},"resources":[{"module":"module.\\u0000","mode":"managed","type":"t\\u0000","name":"n\\u0000","provider":"p\\u0000","instances":[{"deposed":"\\u0000","status":"\\u0000","attributes":{},"dependencies":["\\u0000"]}]}]}`,
    ],
    [
      'keys of Object.prototype',
      `{${head},"outputs":{"__proto__":{"value":1,"type":"number"},"constructor":{"value":1,"type":"number"}},"resources":[{${thing},"instances":[{"index_key":"__proto__","attributes":{"__proto__":{"constructor":1}}}]}]}`,
    ],
    ['an escaped member name', `{${head},"\\u0072esources":[{${thing},"instances":[{"attributes":{}}]}]}`],
    [
      'an index key that is neither text nor number',
      resource(
        `{${thing},"instances":[{"index_key":{"a":1},"attributes":{}},{"index_key":true,"attributes":{}},{"index_key":null,"attributes":{}}]}`,
      ),
    ],
    [
      'dependencies of every kind',
      resource(
        `{${thing},"instances":[{"attributes":{},"dependencies":["t.n","t.gone","",1,null,"module.a[0].t.x"]}]}`,
      ),
    ],
    [
      'check results of every kind',
      `{${head},"resources":[],"check_results":[{"object_kind":"check","config_addr":"check.a","status":"fail","objects":[{"object_addr":"check.a","status":"fail","failure_messages":["\\u0000",1]}]},{"config_addr":"check.a"},1,{}]}`,
    ],
  ])('stores %s with its graph', async (_name, text) => {
    const { status, view } = await stored(Buffer.from(text));
    expect([status, view['graph_error']]).toEqual([200, undefined]);
  });

  it('stores bytes that are no UTF-8 as they came', async () => {
    const [before = '', after = ''] = resource(`{${thing},"instances":[{"attributes":{"a":"@"}}]}`).split(
      '@',
    );
    const bytes = Buffer.concat([
      Buffer.from(before),
      Buffer.from([0xc3, 0x28, 0xff, 0xed, 0xa0, 0x80]),
      Buffer.from(after),
    ]);
    expect((await stored(bytes)).status).toBe(200);
  });

  it('logs one change for a first document with more outputs than the change log takes', async () => {
    const output = { value: 'x', type: 'string' };
    const outputs = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`o${n}`, output]));
    const text = JSON.stringify({ version: 4, serial: 1, lineage: 'l', outputs, resources: [] });
    const { id, status, view } = await stored(Buffer.from(text));
    expect([status, view['graph_error']]).toEqual([200, undefined]);
    const { rows } = await backend.service.pool.query(
      `SELECT (SELECT count(*)::int FROM state_changes WHERE state_id = $1) AS changes,
        (SELECT count(*)::int FROM outputs WHERE state_id = $1) AS outputs`,
      [id],
    );
    expect(rows).toEqual([{ changes: 1, outputs: 10_001 }]);
  });

  it('stores a key of 100 kB and finds the instance by it', async () => {
    const key = 'k'.repeat(100_000);
    const { id, status, view } = await stored(
      Buffer.from(resource(`{${thing},"instances":[{"index_key":"${key}","attributes":{"${key}":1}}]}`)),
    );
    expect([status, view['graph_error']]).toEqual([200, undefined]);
    expect((await backend.api('GET', `/states/${id}/summary`)).json()).toMatchObject({
      instances: 1,
      resources: 1,
    });
    const list = (await backend.api('GET', `/states/${id}/instances`)).json() as {
      results: { address: string }[];
    };
    expect(list.results.map((row) => row.address)).toEqual([`t.n["${key}"]`]);
  });

  describe('which leave the layout of the client midway', () => {
    const HALF = { resources: 3000, instancesEach: 2, padding: 2800 };

    /** Some 40 MiB of which more than 32 MiB are as the client writes them; `broken` loses a brace near the end. */
    function mixed(layout: Layout, broken = false): Buffer {
      const usual = printDocument(aLargeDocument({ ...HALF, resources: 5800 })).toString();
      const other = printDocument(aLargeDocument({ ...HALF, resources: 1200, seed: 7 }), layout).toString();
      const list = other.slice(other.indexOf('[', other.indexOf('"resources"')) + 1, other.lastIndexOf(']'));
      const renamed = list.replaceAll('name_', 'other_');
      const second = broken ? renamed.slice(0, renamed.lastIndexOf('}')) : renamed;
      const end = usual.lastIndexOf('\n  ]');
      return Buffer.from(`${usual.slice(0, end)},${second}${usual.slice(end)}`);
    }

    it.each(['compact', 'sorted'] as const)(
      'are stored byte for byte with their graph, beyond what is kept in memory: %s',
      async (layout) => {
        const bytes = mixed(layout);
        expect(bytes.length).toBeGreaterThan(38 * 1024 * 1024);
        const { id, status, view } = await stored(bytes);
        expect([status, view['graph_error']]).toEqual([200, undefined]);
        expect((await backend.api('GET', `/states/${id}/summary`)).json()).toMatchObject({
          instances: 14_000,
          resources: 7_000,
        });
        expect(readdirSync(temporary)).toEqual([]);
      },
      180_000,
    );

    it('are asked for once more where documents of the state were regular before', async () => {
      const state = await backend.aState();
      const client = new BackendClient(state.address, backend.key);
      const lineage = 'lineage-of-irregular';
      const first = Buffer.from(
        JSON.stringify({ version: 4, serial: 1, lineage, resources: [], outputs: {} }),
      );
      const bytes = Buffer.from(
        mixed('compact')
          .toString()
          .replace(/"serial": \d+/, '"serial": 2')
          .replace(/"lineage": "[^"]*"/, `"lineage": "${lineage}"`),
      );
      expect((await client.post(first)).status).toBe(200);
      const asked = await client.post(bytes);
      expect([asked.status, asked.headers['retry-after'], readdirSync(temporary)]).toEqual([503, '1', []]);
      expect((await client.post(bytes)).status).toBe(200);
      expect((await client.get()).bytes.equals(bytes)).toBe(true);
      client.close();
    }, 180_000);

    it('are refused when they are not JSON, and leave nothing behind', async () => {
      const { status } = await stored(mixed('compact', true));
      expect([status, readdirSync(temporary)]).toEqual([400, []]);
    }, 180_000);
  });
});
