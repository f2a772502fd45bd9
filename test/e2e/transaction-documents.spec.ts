import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import {
  isArray,
  isObject,
  member,
  minifiedJson,
  parseRaw,
  printRaw,
  type RawJson,
} from '../../src/modules/documents/index.js';
import { aBackend, BackendClient, type TestBackend, type TestState } from '../support/backend.js';
import {
  aLargeDocument,
  documents,
  type GeneratedDocument,
  type Layout,
  LAYOUTS,
  printDocument,
} from '../support/document-generator.js';
import { describeWith, TerraformWorkspace } from '../support/terraform.js';
import { TransactionClient } from '../support/transactions.js';

let backend: TestBackend;
let client: TransactionClient;
beforeAll(async () => {
  backend = await aBackend();
  client = new TransactionClient(backend);
});
afterAll(() => backend.stop());

interface Place {
  module?: string;
  mode: string;
  type: string;
  name: string;
  index?: string | number;
  deposed?: string;
}

/** What a document holds: the text of each instance by where it stands. */
type Content = Map<string, string>;

const text = (raw: RawJson | undefined) =>
  typeof raw === 'string' && raw.startsWith('"') ? (JSON.parse(raw) as string) : undefined;

function contentOf(bytes: Buffer): { content: Content; places: Map<string, Place>; tree: RawJson } {
  const tree = parseRaw(minifiedJson(bytes.toString()));
  const content: Content = new Map();
  const places = new Map<string, Place>();
  const list = member(tree, 'resources');
  for (const resource of isArray(list) ? list.items : []) {
    const [module, mode = '', type = '', name = ''] = ['module', 'mode', 'type', 'name'].map((part) =>
      text(member(resource, part)),
    );
    const instances = member(resource, 'instances');
    for (const instance of isArray(instances) ? instances.items : []) {
      const index = member(instance, 'index_key');
      const deposed = text(member(instance, 'deposed'));
      const place: Place = {
        ...(module === undefined ? {} : { module }),
        mode,
        type,
        name,
        ...(typeof index === 'string' ? { index: JSON.parse(index) as string | number } : {}),
        ...(deposed === undefined ? {} : { deposed }),
      };
      const key = JSON.stringify(place);
      expect(content.has(key)).toBe(false);
      content.set(key, printRaw(instance));
      places.set(key, place);
    }
  }
  return { content, places, tree };
}

const resourceOf = ({ module, mode, type, name }: Place) =>
  [...(module ? [module] : []), ...(mode === 'data' ? ['data'] : []), type, name].join('.');

/** One edit: of something that is there (by rank), or of something new. */
type Edit =
  | { kind: 'change' | 'remove' | 'remove resource'; rank: number }
  | { kind: 'add'; name: string; index: number };

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('change' as const, 'remove' as const, 'remove resource' as const),
    rank: fc.nat(),
  }),
  fc.record({ kind: fc.constant('add' as const), name: fc.constantFrom('new', 'a', 'zz'), index: fc.nat(4) }),
);

function setEntry(stateId: string, place: Place, value: string): unknown {
  return {
    action: 'state_set',
    object_type: 'instance',
    state_id: stateId,
    data: {
      resource_address: resourceOf(place),
      address: resourceOf(place),
      ...(place.module === undefined ? {} : { module: place.module }),
      mode: place.mode,
      type: place.type,
      name: place.name,
      ...(place.index === undefined ? {} : { index_key: place.index }),
      ...(place.deposed === undefined ? {} : { deposed: place.deposed }),
      schema_version: 0,
      attributes: { value },
    },
  };
}

/** What the instance reads as afterwards. */
function written({ index, deposed }: Place, value: string): string {
  return JSON.stringify({
    ...(index === undefined ? {} : { index_key: index }),
    ...(deposed === undefined ? {} : { deposed }),
    schema_version: 0,
    attributes: { value },
  });
}

/** Applies edits to the state, and to the model; the document must say just that. */
async function round(state: TestState, before: Buffer, edits: readonly Edit[]): Promise<Buffer> {
  const { content, places, tree } = contentOf(before);
  const keys = [...content.keys()];
  const entries: unknown[] = [];
  const value = randomUUID();
  const remove = (key: string) => {
    content.delete(key);
  };
  for (const one of edits) {
    const place: Place | undefined =
      one.kind === 'add'
        ? { mode: 'managed', type: 'test_thing', name: `${one.name}_added`, index: one.index }
        : places.get(keys[one.rank % Math.max(1, keys.length)] ?? '');
    if (!place) continue;
    const key = JSON.stringify(place);
    if (one.kind === 'add' || one.kind === 'change') {
      entries.push(setEntry(state.id, place, value));
      content.set(key, written(place, value));
    } else if (one.kind === 'remove resource') {
      const address = resourceOf(place);
      entries.push({
        action: 'state_delete',
        object_type: 'resource',
        state_id: state.id,
        data: { address },
      });
      for (const other of [...content.keys()])
        if (resourceOf(JSON.parse(other) as Place) === address) remove(other);
    } else if (place.deposed === undefined) {
      // Addresses are what the service lists them as.
      const listed = await addressOf(state.id, place);
      if (listed === undefined) continue;
      entries.push({
        action: 'state_delete',
        object_type: 'instance',
        state_id: state.id,
        data: { address: listed },
      });
      remove(key);
    }
  }
  const txId = await client.create();
  await client.append(txId, entries);
  expect(await client.apply(txId)).toEqual({ status: 200, task: 'completed' });
  const after = (await client.call('GET', `/states/${state.id}/export`)).bytes;
  const found = contentOf(after);
  expect(new Map([...found.content].sort())).toEqual(new Map([...content].sort()));
  for (const name of ['version', 'lineage', 'outputs', 'terraform_version'])
    expect([name, printed(member(found.tree, name))]).toEqual([name, printed(member(tree, name))]);
  const summary = (await backend.api('GET', `/states/${state.id}/summary`)).json();
  expect(summary).toMatchObject({ instances: content.size });
  return after;
}

/** Names in order: an edited document lists its outputs sorted, as the client does. */
const printed = (raw: RawJson | undefined) =>
  isObject(raw)
    ? printRaw({ entries: raw.entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) })
    : raw && printRaw(raw);

async function addressOf(stateId: string, place: Place): Promise<string | undefined> {
  const { rows } = await backend.service.pool.query<{ address: string }>(
    `SELECT address FROM instances WHERE state_id = $1 AND resource_address = $2
       AND index_key IS NOT DISTINCT FROM $3::jsonb AND deposed IS NULL`,
    [stateId, resourceOf(place), place.index === undefined ? null : keptKey(place.index)],
  );
  return rows[0]?.address;
}

/** PostgreSQL keeps no NUL. */
const keptKey = (index: string | number) =>
  JSON.stringify(typeof index === 'string' ? index.replaceAll('\0', '\ufffd') : index);

async function stored(
  document: GeneratedDocument,
  layout: Layout,
): Promise<{ state: TestState; bytes: Buffer } | undefined> {
  const state = await backend.aState();
  const connection = new BackendClient(state.address, backend.key);
  const bytes = printDocument(document, layout);
  try {
    expect((await connection.post(bytes)).status).toBe(200);
  } finally {
    connection.close();
  }
  const { rows } = await backend.service.pool.query<{ graph_error: string | null }>(
    'SELECT graph_error FROM states WHERE id = $1',
    [state.id],
  );
  // What has no graph cannot be edited by instance; other tests are about that.
  return rows[0]?.graph_error === null ? { state, bytes } : undefined;
}

describe('A document that transactions edit', () => {
  it('says what they said, and the rest as before, whatever it looks like', async () => {
    let edited = 0;
    await fc.assert(
      fc.asyncProperty(
        documents(randomUUID()),
        fc.constantFrom(...LAYOUTS),
        fc.array(fc.array(edit, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
        async (document, layout, rounds) => {
          const found = await stored(document, layout);
          if (!found) return;
          let { bytes } = found;
          for (const edits of rounds) bytes = await round(found.state, bytes, edits);
          edited++;
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
    expect(edited).toBeGreaterThan(10);
  }, 180_000);

  it.each([
    ['many resources', { resources: 1200 }],
    ['resources that are divided over chunks', { resources: 3, instancesEach: 900 }],
    ['one large resource', { resources: 1, instancesEach: 1500 }],
  ])(
    'of %s keeps its parts together, down to its end',
    async (_, size) => {
      const found = await stored(aLargeDocument({ ...size, lineage: randomUUID() }), 'client');
      if (!found) throw new Error('the document has a graph');
      let { bytes } = found;
      for (const edits of fc.sample(fc.array(edit, { minLength: 1, maxLength: 30 }), {
        numRuns: 8,
        seed: 11,
      }))
        bytes = await round(
          found.state,
          bytes,
          edits.filter(({ kind }) => kind !== 'remove resource'),
        );
      // From the end, then from the front, until nothing is left.
      for (const part of [0.5, 0.5, 1]) {
        const count = contentOf(bytes).content.size;
        const ranks = Array.from({ length: Math.min(900, Math.ceil(count * part)) }, (__, n) =>
          part === 1 ? n : count - 1 - n,
        );
        bytes = await round(
          found.state,
          bytes,
          ranks.map((rank) => ({ kind: 'remove' as const, rank })),
        );
      }
      bytes = await round(found.state, bytes, [{ kind: 'add', name: 'new', index: 0 }]);
      bytes = await round(found.state, bytes, [{ kind: 'remove', rank: contentOf(bytes).content.size - 1 }]);
      expect(bytes.length).toBeGreaterThan(0);
    },
    180_000,
  );
});

describe('Two writers of documents', () => {
  it.each(LAYOUTS)(
    'documents in layout %s are merged by instance, and neither change is lost',
    async (layout) => {
      const state = await backend.aState();
      const base = aLargeDocument({ resources: 40, lineage: randomUUID() });
      const changed = (name: string, serial: number): Buffer =>
        printDocument(
          {
            ...base,
            serial,
            resources: base.resources.map((resource) =>
              resource.name === name
                ? {
                    ...resource,
                    instances: resource.instances.map((instance) => ({
                      ...instance,
                      attributes: { members: [['"changed"', { token: `"by ${name}"` }]] },
                    })),
                  }
                : resource,
            ),
          },
          layout,
        );
      const [one = '', , , , , other = ''] = base.resources.map(({ name }) => name);
      const clients = [1, 2].map(() => new BackendClient(state.address, backend.key));
      try {
        expect((await clients[0]?.post(printDocument(base, layout)))?.status).toBe(200);
        for (const client of clients) await client.get();
        expect((await clients[0]?.post(changed(one, 2)))?.status).toBe(200);
        expect((await clients[1]?.post(changed(other, 2)))?.status).toBe(200);
      } finally {
        for (const client of clients) client.close();
      }
      const { content } = contentOf((await client.call('GET', `/states/${state.id}/export`)).bytes);
      const values = [...content.values()].filter((instance) => instance.includes('"changed"'));
      expect(values.map((instance) => /by [^"]+/.exec(instance)?.[0]).sort()).toEqual(
        [`by ${one}`, `by ${other}`].sort(),
      );
    },
  );
});

describeWith('terraform', 'The real client', () => {
  it('takes what transactions wrote', async () => {
    const state = await backend.aState();
    const workspace = new TerraformWorkspace({}, {});
    const data = (name: string, index?: number) => ({
      action: 'state_set',
      object_type: 'instance',
      state_id: state.id,
      data: {
        resource_address: `terraform_data.${name}`,
        address: `terraform_data.${name}`,
        mode: 'managed',
        type: 'terraform_data',
        name,
        provider: 'terraform',
        ...(index === undefined ? {} : { index_key: index }),
        schema_version: 0,
        attributes: { id: `${name}${index ?? ''}`, input: null, output: null, triggers_replace: null },
        sensitive_attributes: [],
      },
    });
    const txId = await client.create();
    await client.append(txId, [data('one'), data('many', 0), data('many', 1)]);
    expect(await client.apply(txId)).toEqual({ status: 200, task: 'completed' });
    workspace.write({
      'main.tf': `
        terraform {
          backend "http" {
            address = "${state.address}"
            username = "session"
          }
        }
        resource "terraform_data" "one" {}
        resource "terraform_data" "many" { count = 2 }`,
    });
    const env = { TF_HTTP_PASSWORD: backend.key };
    try {
      await workspace.run(['init'], { env });
      expect(JSON.parse(await workspace.run(['state', 'pull'], { env }))).toMatchObject({ serial: 1 });
      expect((await workspace.try(['plan', '-detailed-exitcode'], { env })).code).toBe(0);
    } finally {
      workspace.remove();
    }
  });
});
