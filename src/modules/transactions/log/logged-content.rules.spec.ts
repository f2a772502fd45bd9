import { checkText, loggedContent, type StateEntry } from './logged-content.rules.js';

const OWNER = {
  stateId: '00000000-0000-0000-0000-000000000001',
  tenantId: '00000000-0000-0000-0000-000000000002',
};

const entry = (action: string, objectType: string, data: unknown): StateEntry => ({
  action,
  objectType,
  data: typeof data === 'string' ? data : JSON.stringify(data),
});

const instance = (data: Record<string, unknown>) =>
  entry('state_set', 'instance', {
    resource_address: 'aws_x.a',
    address: 'aws_x.a',
    mode: 'managed',
    type: 'aws_x',
    name: 'a',
    attributes: {},
    ...data,
  });

const read = (...entries: StateEntry[]) => loggedContent(entries, OWNER);

describe('What a log says of a state', () => {
  it('is what it said last of each instance', () => {
    const { instances } = read(
      instance({ attributes: { v: 1 } }),
      instance({ attributes: { v: 2 } }),
      instance({ address: 'aws_x.b', name: 'b' }),
      entry('state_delete', 'instance', { address: 'aws_x.b' }),
      entry('state_delete', 'instance', { address: 'aws_x.c' }),
      instance({ address: 'aws_x.c', name: 'c' }),
    );
    expect(instances.map(({ address, text }) => [address, text !== undefined])).toEqual([
      ['aws_x.a', true],
      ['aws_x.c', true],
      ['aws_x.b', false],
    ]);
    expect(instances[0]?.text).toContain('"v": 2');
  });

  it.each([
    [{ index_key: 3 }, 'aws_x.a[3]'],
    [{ index_key: 'k"y' }, 'aws_x.a["k\\"y"]'],
    [{ address: 'aws_x.a[4]' }, 'aws_x.a[4]'],
    [{ address: 'aws_x.a["\\u00e9\\"$${x}"]' }, 'aws_x.a["é\\"$${x}"]'],
    [{ module: 'module.m["a"]' }, 'module.m["a"].aws_x.a'],
    [{ mode: 'data' }, 'data.aws_x.a'],
  ])('names an instance %j as %s', (data, address) => {
    expect(read(instance(data)).instances.map((one) => one.address)).toEqual([address]);
  });

  it.each([
    ['aws', 'provider["registry.terraform.io/hashicorp/aws"]'],
    ['hashicorp/aws', 'provider["registry.terraform.io/hashicorp/aws"]'],
    ['example.com/own/aws', 'provider["example.com/own/aws"]'],
    ['terraform', 'provider["terraform.io/builtin/terraform"]'],
    ['provider["example.com/own/aws"].west', 'provider["example.com/own/aws"].west'],
  ])('knows provider %s', (provider, text) => {
    const resource = { address: 'aws_x.a', mode: 'managed', type: 'aws_x', name: 'a', provider };
    const [one] = read(entry('state_set', 'resource', resource), instance({})).instances;
    expect(one?.resource?.head).toContain(`"provider": ${JSON.stringify(text)}`);
    expect([one?.headerIsGuess, one?.hash]).toEqual([false, expect.any(String)]);
    expect(read(instance({})).instances[0]).toMatchObject({ headerIsGuess: true });
  });

  it('keeps every digit, and the order in which a document lists members', () => {
    const text = `{"resource_address":"aws_x.a","address":"aws_x.a","mode":"managed","type":"aws_x","name":"a",
      "private":"p","attributes":{"n":10000000000000000000000.50},"schema_version":1}`;
    const [one] = read(entry('state_set', 'instance', text)).instances;
    expect(one?.text?.replace(/\s+/g, '')).toBe(
      '{"schema_version":1,"attributes":{"n":10000000000000000000000.50},"private":"p"}',
    );
  });

  it('depends on resources, whatever instances the client names', () => {
    const dependencies = ['module.m["a"].aws_x.b[0]', 'aws_x.c["k"]', 'aws_x.c'];
    const [one] = read(instance({ dependencies })).instances;
    expect(JSON.parse(one?.text ?? '')).toMatchObject({ dependencies: ['module.m["a"].aws_x.b', 'aws_x.c'] });
  });

  it('lets a deleted resource take its instances along, but for those that come after', () => {
    const { instances, removedResources } = read(
      instance({ index_key: 0 }),
      entry('state_delete', 'resource', { address: 'aws_x.a' }),
      instance({ index_key: 1 }),
    );
    expect(instances.map(({ address }) => address)).toEqual(['aws_x.a[1]']);
    expect([...removedResources]).toEqual(['aws_x.a']);
  });

  it('changes single objects of a check result, or all of it', () => {
    const { checks } = read(
      entry('state_set', 'check_result_entry', {
        config_addr: 'check.c',
        object_addr: 'check.c[1]',
        status: 'fail',
        failure_messages: ['no'],
      }),
      entry('state_delete', 'check_result', { address: 'check.gone' }),
    );
    expect(checks.get('check.gone')).toBeUndefined();
    const change = checks.get('check.c');
    if (!change) throw new Error('a change was expected');
    expect(checkText(undefined, 'check.c', change)).toBeUndefined();
    const current = JSON.stringify({
      object_kind: 'check',
      config_addr: 'check.c',
      status: 'pass',
      objects: [
        { object_addr: 'check.c[0]', status: 'pass' },
        { object_addr: 'check.c[1]', status: 'pass' },
      ],
    });
    expect(JSON.parse(checkText(current, 'check.c', change) ?? '')).toEqual({
      object_kind: 'check',
      config_addr: 'check.c',
      status: 'pass',
      objects: [
        { object_addr: 'check.c[0]', status: 'pass' },
        { object_addr: 'check.c[1]', status: 'fail', failure_messages: ['no'] },
      ],
    });
  });
});
