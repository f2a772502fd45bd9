import { randomUUID } from 'node:crypto';
import {
  type Answer,
  aBackend,
  addressOf,
  BackendClient,
  TestBackend,
  TestState,
} from '../support/backend.js';

interface Instance {
  index_key?: number | string;
  attributes: Record<string, unknown>;
}

interface Resource {
  mode: 'managed' | 'data';
  type: string;
  name: string;
  provider: string;
  module?: string;
  instances: Instance[];
}

interface Check {
  object_kind: string;
  config_addr: string;
  status: string;
  objects: { object_addr: string; status: string }[];
}

interface Document {
  version: 4;
  serial: number;
  lineage: string;
  outputs: Record<string, unknown>;
  resources: Resource[];
  check_results: Check[] | null;
}

const [P1, P2] = ['provider["registry.terraform.io/acme/one"]', 'provider["registry.terraform.io/acme/two"]'];

const resource = (name: string, instances: Instance[], more: Partial<Resource> = {}): Resource => ({
  mode: 'managed',
  type: 'acme_thing',
  name,
  provider: P1,
  instances,
  ...more,
});
const one = (id: string): Instance[] => [{ attributes: { id } }];
const many = (...ids: string[]): Instance[] =>
  ids.map((id, index_key) => ({ index_key, attributes: { id } }));
const check = (statuses: Record<string, string>): Check => ({
  object_kind: 'resource',
  config_addr: 'acme_thing.x',
  status: Object.values(statuses).find((status) => status !== 'pass') ?? 'pass',
  objects: Object.entries(statuses).map(([object_addr, status]) => ({ object_addr, status })),
});

describe('The merge of two writes from one base', () => {
  let backend: TestBackend;
  let group: TestState;
  const clients: BackendClient[] = [];

  beforeAll(async () => {
    backend = await aBackend();
    group = await backend.aState();
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  afterAll(() => backend.stop());

  type Content = { resources: Resource[]; checks?: Check[] };
  type Change = (content: Content) => Content;

  const bytes = (content: Content, serial: number) =>
    `${JSON.stringify(
      {
        version: 4,
        serial,
        lineage: 'lineage',
        outputs: {},
        resources: content.resources,
        check_results: content.checks ?? null,
      },
      null,
      2,
    )}\n`;

  async function merged(base: Content, first: Change | readonly Change[], second: Change) {
    const address = addressOf(backend.url, group.groupId, randomUUID());
    const client = () => {
      const made = new BackendClient(address, backend.key);
      clients.push(made);
      return made;
    };
    expect((await client().post(bytes(base, 1))).status).toBe(200);
    const [a, b] = [client(), client()];
    await a.get();
    await b.get();
    const answers: Answer[] = [];
    let written = base;
    for (const change of [first].flat()) {
      written = change(structuredClone(written));
      answers.push(await a.post(bytes(written, answers.length + 2)));
    }
    answers.push(await b.post(bytes(second(structuredClone(base)), 2)));
    const document = (await client().get()).json() as Document;
    return { statuses: answers.map(({ status }) => status), document };
  }

  const named = (document: Document, name: string) => document.resources.find((found) => found.name === name);
  const onResource =
    (name: string, change: (found: Resource) => Resource | undefined): Change =>
    (content) => ({
      ...content,
      resources: content.resources.flatMap((found) => (found.name === name ? (change(found) ?? []) : found)),
    });

  describe('of a resource whose provider one of them replaced', () => {
    const base = { resources: [resource('x', many('0', '1'))] };
    const replaceProvider = onResource('x', (found) => ({ ...found, provider: P2 }));
    const add = onResource('x', (found) => ({ ...found, instances: many('0', '1', '2') }));

    it.each([
      ['the insertion of an instance', replaceProvider, add, P2, 2],
      ['the replacement after an insertion', add, replaceProvider, P1, 3],
    ])('refuses %s', async (_what, first, second, provider, count) => {
      const { statuses, document } = await merged(base, first, second);
      expect(statuses).toEqual([200, 409]);
      expect([named(document, 'x')?.provider, named(document, 'x')?.instances.length]).toEqual([
        provider,
        count,
      ]);
    });

    it('takes an insertion under the header that stands there', async () => {
      const other = onResource('x', (found) => ({ ...found, instances: many('0', 'changed') }));
      const { statuses, document } = await merged(base, other, add);
      expect(statuses).toEqual([200, 200]);
      expect(named(document, 'x')?.instances.map(({ attributes }) => attributes['id'])).toEqual([
        '0',
        'changed',
        '2',
      ]);
    });
  });

  describe('of an object that one of them moved', () => {
    const base = { resources: [resource('db', one('i-1')), resource('z', one('i-2'))] };
    const moveTo = (name: string, more: Partial<Resource> = {}) =>
      onResource('db', (found) => ({ ...found, name, ...more }));
    const destroy = onResource('db', () => undefined);
    const toCount: Change = onResource('db', () => resource('db', many('i-1')));

    /** In one write, as after a destruction and a move that one apply makes. */
    const replaceOther: Change = (content) =>
      onResource('z', () => resource('z', one('i-1')))(destroy(content));

    it.each([
      ['to where another object was, and the other destroyed', replaceOther, destroy],
      ['to where another object was, after the other destroyed it', destroy, replaceOther],
      ['to where another object was and to another address', replaceOther, moveTo('main')],
      ['to two addresses', moveTo('main'), moveTo('db', { module: 'module.db' })],
      ['to an address and to an instance key', moveTo('main'), toCount],
      ['and the other destroyed', moveTo('main'), destroy],
      ['after the other destroyed it', destroy, moveTo('main')],
    ])('refuses a move %s', async (_where, first, second) => {
      const { statuses, document } = await merged(base, first, second);
      expect(statuses).toEqual([200, 409]);
      const ids = document.resources.flatMap(({ instances }) =>
        instances.map(({ attributes }) => attributes['id']),
      );
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('refuses the removal of an object that was moved on in a later write', async () => {
      const moveOn = onResource('main', (found) => ({ ...found, name: 'last' }));
      const { statuses, document } = await merged(base, [moveTo('main'), moveOn], destroy);
      expect(statuses).toEqual([200, 200, 409]);
      expect(document.resources.map(({ name }) => name).toSorted()).toEqual(['last', 'z']);
    });

    it('takes two moves to the same address, and two removals', async () => {
      expect((await merged(base, moveTo('main'), moveTo('main'))).statuses).toEqual([200, 200]);
      expect((await merged(base, destroy, destroy)).statuses).toEqual([200, 200]);
    });

    it('takes the removal of one object and the creation of another', async () => {
      const recreate = (name: string) => onResource('db', () => resource(name, one(`new ${name}`)));
      expect((await merged(base, recreate('p'), recreate('q'))).statuses).toEqual([200, 200]);
    });
  });

  it('takes members in another order for no change', async () => {
    const attributes = { id: 'i', nested: { a: 1, b: [{ c: 2, d: 3 }] } };
    const base = { resources: [resource('x', [{ attributes }]), resource('y', one('1'))] };
    /** As another client writes it: every object the other way round. */
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned);
      if (typeof value !== 'object' || value === null) return value;
      const entries = Object.entries(value).toReversed();
      return Object.fromEntries(entries.map(([name, inner]) => [name, turned(inner)]));
    };
    const changeX = onResource('x', (found) => ({
      ...found,
      instances: [{ attributes: { ...attributes, id: 'changed' } }],
    }));
    const { statuses, document } = await merged(base, changeX, (content) => ({
      ...content,
      resources: [...content.resources.map((found) => turned(found) as Resource), resource('z', one('new'))],
    }));
    expect(statuses).toEqual([200, 200]);
    expect(document.resources.map(({ name, instances }) => [name, instances[0]?.attributes['id']])).toEqual([
      ['x', 'changed'],
      ['y', '1'],
      ['z', 'new'],
    ]);
  });

  it('keeps every pair of disjoint changes, whatever part of the list they touch', async () => {
    const large = (name: string) => resource(name, [{ attributes: { id: name, text: name.repeat(1250) } }]);
    for (const [count, removed] of [
      [30, 18],
      [30, 30],
      [14, 14],
      [60, 1],
      [60, 59],
    ] as const) {
      const names = Array.from({ length: count }, (_, index) => `r${String(index).padStart(2, '0')}`);
      const base = { resources: names.map(large) };
      const destroy: Change = ({ resources }) => ({ resources: resources.slice(0, count - removed) });
      for (const name of ['a', 'r055', 'z']) {
        const add: Change = ({ resources }) => ({
          resources: [...resources, large(name)].sort((x, y) => (x.name < y.name ? -1 : 1)),
        });
        for (const pair of [
          [destroy, add],
          [add, destroy],
        ] as const) {
          const { statuses, document } = await merged(base, ...pair);
          expect({ count, removed, name, statuses }).toEqual({ count, removed, name, statuses: [200, 200] });
          expect(document.resources.map((found) => found.name).sort()).toEqual(
            [...names.slice(0, count - removed), name].sort(),
          );
        }
      }
    }
  }, 120_000);

  it('keeps disjoint changes of one resource that spans chunks, to its very end', async () => {
    const spread = (count: number) => ({
      resources: [
        resource(
          'x',
          Array.from({ length: count }, (_, index_key) => ({
            index_key,
            attributes: { id: String(index_key), text: 'x'.repeat(2000) },
          })),
        ),
      ],
    });
    for (const left of [0, 1, 100, 199]) {
      const shrink: Change = () => spread(left);
      const add: Change = ({ resources }) => ({ resources: [...resources, resource('y', one('y'))] });
      const { statuses, document } = await merged(spread(200), add, shrink);
      expect({ left, statuses }).toEqual({ left, statuses: [200, 200] });
      expect([named(document, 'x')?.instances.length ?? 0, named(document, 'y')?.instances.length]).toEqual([
        left,
        1,
      ]);
    }
  });

  describe('of what describes no infrastructure', () => {
    it('takes the check results of both, by instance', async () => {
      const base = { resources: [resource('x', many('0'))], checks: [check({ 'acme_thing.x[0]': 'pass' })] };
      const grow =
        (index: number): Change =>
        () => ({
          resources: [resource('x', [...many('0'), { index_key: index, attributes: { id: String(index) } }])],
          checks: [
            check({ 'acme_thing.x[0]': 'pass', [`acme_thing.x[${index}]`]: index === 1 ? 'pass' : 'fail' }),
          ],
        });
      const { statuses, document } = await merged(base, grow(1), grow(2));
      expect(statuses).toEqual([200, 200]);
      expect(document.check_results).toEqual([
        {
          ...check({ 'acme_thing.x[0]': 'pass', 'acme_thing.x[1]': 'pass', 'acme_thing.x[2]': 'fail' }),
          status: 'fail',
        },
      ]);
    });

    it('takes the later look-up of a data source', async () => {
      const look = (id: string) => resource('ami', one(id), { mode: 'data' });
      const base = { resources: [look('ami-1'), resource('x', one('0'))] };
      const apply =
        (id: string): Change =>
        () => ({
          resources: [look(id), resource('x', one('0')), resource(`for_${id.replace('-', '_')}`, one(id))],
        });
      const { statuses, document } = await merged(base, apply('ami-2'), apply('ami-3'));
      expect(statuses).toEqual([200, 200]);
      const ids = document.resources.map(({ name, instances }) => [name, instances[0]?.attributes['id']]);
      expect(Object.fromEntries(ids)).toEqual({
        ami: 'ami-3',
        x: '0',
        for_ami_2: 'ami-2',
        for_ami_3: 'ami-3',
      });
    });
  });

  it('compares writes of more instances than the change log names', async () => {
    const wide = (count: number, value: string) => ({
      resources: [
        resource(
          'x',
          Array.from({ length: count }, (_, index_key) => ({
            index_key,
            attributes: { id: `${index_key} ${value}` },
          })),
        ),
        resource('y', one('y')),
      ],
    });
    const { statuses, document } = await merged(
      wide(10_500, '1'),
      () => wide(10_500, '2'),
      onResource('y', () => resource('y', one('changed'))),
    );
    expect(statuses).toEqual([200, 200]);
    expect(named(document, 'y')?.instances[0]?.attributes['id']).toBe('changed');
    expect(named(document, 'x')?.instances[10_499]?.attributes['id']).toBe('10499 2');
  });
});
