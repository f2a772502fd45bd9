import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

interface Operation {
  operationId?: string;
  summary?: string;
  parameters?: { in: string; name: string; description?: string; schema: { type?: string } }[];
  responses: Record<string, unknown>;
  tags?: string[];
  security?: unknown[];
  'x-public'?: boolean;
}

const document = JSON.parse(readFileSync(join(ROOT, 'docs', 'openapi.json'), 'utf8')) as {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    operation,
  })),
);

function withoutSummary(all: typeof operations): string[] {
  return all.filter(({ operation }) => !operation.summary).map(({ name }) => name);
}

describe('The committed description of the API', () => {
  it('is OpenAPI 3.1 and describes the routes', () => {
    expect(document.openapi.startsWith('3.1')).toBe(true);
    expect(operations.length).toBeGreaterThan(40);
  });

  it('names each operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id, index) => id === undefined || ids.indexOf(id) !== index)).toEqual([]);
  });

  it('stands route by route in the map of modules, but for the probes in front of them', () => {
    const map = readFileSync(join(ROOT, 'docs', 'module-map.md'), 'utf8');
    const listed = [...map.matchAll(/^- `(\S+ \S+)`/gm)].map(([, route]) => route);
    const served = operations
      .filter(({ operation }) => !operation.operationId?.startsWith('health'))
      .map(({ name }) => name.replace('X-', ''));
    expect(listed.sort()).toEqual(served.sort());
  });

  it('declares who may use each route: a route that forgot is closed, and named here', () => {
    const undeclared = operations.filter(
      ({ operation }) => operation['x-public'] !== true && !operation.security?.length,
    );
    expect(undeclared.map(({ name }) => name)).toEqual([]);
  });

  it('opens without a credential only what the interface says', () => {
    const open = operations.filter(({ operation }) => operation['x-public'] === true).map(({ name }) => name);
    expect(open.sort()).toEqual(
      [
        'GET /api/v1/config-schema',
        'GET /api/v1/github/client_id',
        'GET /api/v1/health',
        'GET /api/v1/invitations/preview',
        'GET /api/v1/login/options',
        'GET /api/v1/login/{provider}',
        'GET /api/v1/logout',
        'GET /api/v1/oauth2/{provider}/complete',
        'GET /api/v1/server/config',
        'GET /api/v1/setup/status',
        'GET /health/live',
        'GET /health/ready',
        'GET /oauth2/{provider}/callback',
        // Webhooks are verified by their signature; these two routes of runners check a work or pool token themselves.
        'POST /api/v1/github/events',
        'POST /api/v1/gitlab/events',
        'POST /api/v1/login/password',
        'POST /api/v1/runner/claim',
        'POST /api/v1/runner/initiate',
        'POST /api/v1/setup/admin',
        'POST /api/v1/setup/complete',
      ].filter((name) => open.includes(name)),
    );
    expect(open).toEqual(expect.arrayContaining(['POST /api/v1/login/password', 'GET /api/v1/setup/status']));
  });

  it('gives every part of a path in braces a parameter', () => {
    const missing = operations.flatMap(({ name, path, operation }) =>
      [...path.matchAll(/{(\w+)}/g)]
        .map(([, parameter]) => parameter)
        .filter(
          (parameter) => !operation.parameters?.some((one) => one.in === 'path' && one.name === parameter),
        )
        .map((parameter) => `${name}: ${parameter}`),
    );
    expect(missing).toEqual([]);
  });

  it('says what every answer is: none is there that only the compiler assumed', () => {
    const assumed = operations.flatMap(({ name, operation }) =>
      Object.entries(operation.responses)
        .filter(([, answer]) => (answer as { description: string }).description === '')
        .map(([status]) => `${name}: ${status}`),
    );
    expect(assumed.filter((line) => !line.startsWith('X-'))).toEqual([]);
  });

  it('documents the refusals of every route that needs a credential', () => {
    const silent = operations.filter(
      ({ operation }) => operation['x-public'] !== true && operation.responses['401'] === undefined,
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('gives every operation a summary', () => {
    expect(withoutSummary(operations)).toEqual([]);
    const planted = { name: 'GET /planted', path: '/planted', operation: { responses: {} } };
    expect(withoutSummary([...operations, planted])).toEqual(['GET /planted']);
  });

  it('describes every parameter and every answer', () => {
    const parameters = operations.flatMap(({ name, operation }) =>
      (operation.parameters ?? []).filter((one) => !one.description).map((one) => `${name}: ${one.name}`),
    );
    const generic = new Set(['', 'success', 'refused']);
    const answers = operations.flatMap(({ name, operation }) =>
      Object.entries(operation.responses)
        .filter(([, answer]) => generic.has((answer as { description: string }).description))
        .map(([status]) => `${name}: ${status}`),
    );
    expect({ parameters, answers }).toEqual({ parameters: [], answers: [] });
  });

  it('takes `limit` as an integer in every list', () => {
    const limits = operations.flatMap(({ name, operation }) =>
      (operation.parameters ?? [])
        .filter((one) => one.name === 'limit')
        .map((one) => ({ name, type: one.schema.type })),
    );
    expect(limits.length).toBeGreaterThan(10);
    expect(limits.filter(({ type }) => type !== 'integer')).toEqual([]);
  });

  it('says of every public operation that it needs no credential', () => {
    const silent = operations.filter(
      ({ operation }) => operation['x-public'] === true && operation.security?.length !== 0,
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});

interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  description?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
}

const { components, tags, info, servers } = document as unknown as {
  components: { schemas: Record<string, Schema> };
  tags: { name: string; description: string }[];
  info: { version: string };
  servers: { url: string }[];
};
const properties = Object.entries(components.schemas).flatMap(([name, schema]) =>
  Object.entries(schema.properties ?? {}).map(([property, value]) => ({
    place: `${name}.${property}`,
    property,
    value,
  })),
);
const places = (found: typeof properties): string[] => found.map(({ place }) => place);

describe('The schemas of the description', () => {
  it('describe every property: write a comment into the DTO', () => {
    const silent = properties.filter(({ value }) => !value.description);
    expect(places(silent)).toEqual([]);
  });

  it('have integers, but for what is measured or paid', () => {
    const decimals = properties.filter(({ value }) => [value.type].flat().includes('number'));
    const allowed = /(cost|price|amount|rate|ratio|share|percent|score|seconds)$/;
    const wrong = decimals.filter(
      ({ property, value }) => value.format === undefined && !allowed.test(property),
    );
    expect(places(wrong)).toEqual([]);
    expect(properties.filter(({ value }) => value.type === 'integer').length).toBeGreaterThan(50);
  });

  it('have times as date-time, and ids as uuid where they are', () => {
    const times = properties.filter(
      ({ property, value }) => property.endsWith('_at') && value.type === 'string',
    );
    expect(places(times.filter(({ value }) => value.format !== 'date-time'))).toEqual([]);
    expect(times.length).toBeGreaterThan(15);
    expect(properties.filter(({ value }) => value.format === 'uuid').length).toBeGreaterThan(40);
  });

  it('name their enums', () => {
    const unnamed = properties.filter(
      ({ value }) => (value.enum?.length ?? 0) > 1 && value.type === 'string',
    );
    expect(places(unnamed)).toEqual([]);
    expect(components.schemas['TransactionState']?.enum).toContain('failed-committed');
  });

  it('leave room for every value where any may stand', () => {
    const index = components.schemas['InstanceView']?.properties?.['index_key'];
    expect(index).toMatchObject({ oneOf: [{ type: 'string' }, { type: 'integer' }] });
    expect(components.schemas['ChangedAttributeView']?.properties?.['before']?.type).toBeUndefined();
  });
});

describe('The rest of the description', () => {
  it('describes every tag, in lower case, and names the server and the version', () => {
    const used = new Set(operations.flatMap(({ operation }) => operation.tags ?? []));
    expect(tags.map(({ name }) => name).sort()).toEqual([...used].sort());
    expect(tags.filter(({ name, description }) => name !== name.toLowerCase() || !description)).toEqual([]);
    expect(servers).toHaveLength(1);
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(info.version).toBe(version);
  });

  it('describes the headers that lists, documents, queries and refusals carry', () => {
    const headersOf = (id: string, status: string): string[] => {
      const found = operations.find(({ operation }) => operation.operationId === id)?.operation;
      const answer = found?.responses[status] as { headers?: object } | undefined;
      return Object.keys(answer?.headers ?? {});
    };
    expect(headersOf('tenantStatesList', '200')).toContain('Link');
    expect(headersOf('statesExport', '200')).toEqual(expect.arrayContaining(['ETag', 'Content-MD5']));
    expect(headersOf('mqlQuery', '200')).toEqual(
      expect.arrayContaining(['Link', 'mql-default-limit-applied', 'mql-pagination-error']),
    );
    expect(headersOf('authLogin', '429')).toContain('Retry-After');
    expect(headersOf('statesGet', '404')).toContain('X-Request-Id');
  });
});

describe('The generator of the description', () => {
  it('names two classes that share one name, and accepts a class that is exported twice', () => {
    const folder = mkdtempSync(join(tmpdir(), 'schemas-'));
    try {
      writeFileSync(join(folder, 'one.dto.js'), 'exports.View = class View {}; exports.Own = class Own {};');
      writeFileSync(join(folder, 'two.dto.js'), 'exports.View = class View {};');
      writeFileSync(join(folder, 'three.dto.js'), "exports.Again = require('./one.dto.js').Own;");
      const script = `import('${join(ROOT, 'tools', 'schema-names.mjs')}').then((tool) => console.log(JSON.stringify(tool.repeatedSchemaNames('${folder}'))))`;
      const lines = JSON.parse(
        execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }),
      ) as string[];
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain('View');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
