import { readContent } from '../../documents/index.js';
import { EVERYTHING, outputKey } from '../../states/index.js';
import { reportedEdit } from './reported-edit.rules.js';
import { type GivenNode, outputHash } from '../conflicts/transaction-nodes.store.js';

const OWNER = {
  stateId: '00000000-0000-0000-0000-000000000001',
  tenantId: '00000000-0000-0000-0000-000000000002',
};

function content(values: Record<string, number>, outputs: Record<string, unknown> = {}, mode = 'managed') {
  const document = {
    version: 4,
    outputs,
    resources: Object.entries(values).map(([name, value]) => ({
      mode,
      type: 't',
      name,
      provider: 'provider["registry.terraform.io/hashicorp/t"]',
      instances: [{ schema_version: 0, attributes: { value } }],
    })),
    check_results: [
      { object_kind: 'check', config_addr: 'check.known', status: 'pass', objects: null },
      { object_kind: 'check', config_addr: 'check.other', status: 'unknown', objects: null },
    ],
  };
  return readContent(Buffer.from(JSON.stringify(document)), OWNER);
}

function givenBy(
  from: ReturnType<typeof content>,
  access: (address: string) => GivenNode['access'] = () => 'w',
): Map<string, GivenNode> {
  const instances = [...from.instances.values()].map(({ node }): [string, GivenNode] => [
    node.key,
    { key: node.key, address: node.address, access: access(node.address), givenHash: node.hash },
  ]);
  const outputs = [...from.outputs].map(([name, text]): [string, GivenNode] => {
    const [key, address] = [outputKey(name), `output.${name}`];
    return [key, { key, address, access: access(address), givenHash: outputHash(text) }];
  });
  return new Map([...instances, ...outputs]);
}

const output = (value: string) => ({ o: { value, type: 'string' } });

function edited(...args: Parameters<typeof reportedEdit>) {
  const edit = reportedEdit(...args);
  if ('conflictsWith' in edit) throw new Error('conflict');
  return {
    set: edit.instances
      .filter(({ text }) => text !== undefined)
      .map(({ resourceAddress }) => resourceAddress),
    removed: edit.instances
      .filter(({ text }) => text === undefined)
      .map(({ resourceAddress }) => resourceAddress),
    outputs: Object.fromEntries(edit.outputs),
    checks: [...edit.checks.keys()],
  };
}

describe('What a runner left', () => {
  it('is an edit of what differs from what it was given, and of nothing else', () => {
    const before = content({ same: 1, up: 1, gone: 1 }, output('x'));
    const after = content({ same: 1, up: 2, made: 1 }, output('y'));
    expect(edited(after, givenBy(before), new Map())).toEqual({
      set: ['t.up', 't.made'],
      removed: ['t.gone'],
      outputs: { o: '{"value":"y","type":"string"}' },
      checks: ['check.known'],
    });
    expect(edited(content({ same: 1, up: 1, gone: 1 }), givenBy(before), new Map()).outputs).toEqual({
      o: undefined,
    });
  });

  it.each([[{ up: 2 }], [{}]])('conflicts when others changed what it was to write (%j)', (left) => {
    const before = content({ up: 1 });
    const [key = ''] = before.instances.keys();
    for (const others of [new Map([[key, 'other']]), new Map([[EVERYTHING, 'other']])])
      expect(reportedEdit(content(left), givenBy(before), others)).toEqual({ conflictsWith: ['other'] });
  });

  it('conflicts over an instance that both made', () => {
    const after = content({ made: 1 });
    const [key = ''] = after.instances.keys();
    expect(reportedEdit(after, new Map(), new Map([[key, 'other']]))).toEqual({ conflictsWith: ['other'] });
  });

  it.each(['r', 'd'] as const)('leaves to others what it only looked at (%s)', (access) => {
    const before = content({ seen: 1, up: 1 });
    const after = content({ seen: 2, up: 2 });
    const given = givenBy(before, (address) => (address === 't.seen' ? access : 'w'));
    const key = [...after.instances.values()].find(({ node }) => node.address === 't.seen')?.node.key ?? '';
    expect(edited(after, given, new Map([[key, 'other']])).set).toEqual(['t.up']);
    expect(edited(after, given, new Map()).set).toEqual(['t.seen', 't.up']);
  });

  it('leaves a data source to whoever looked it up first, and a resource of the same kind to nobody else', () => {
    const key = (mode: string) => [...content({ x: 1 }, {}, mode).instances.keys()][0] ?? '';
    expect(edited(content({ x: 1 }, {}, 'data'), new Map(), new Map([[key('data'), 'other']]))).toMatchObject(
      {
        set: [],
        removed: [],
      },
    );
    expect(reportedEdit(content({ x: 1 }), new Map(), new Map([[key('managed'), 'other']]))).toEqual({
      conflictsWith: ['other'],
    });
  });
});
