import { randomUUID } from 'node:crypto';
import { type LogEntry, MOST_ENTRIES, parseLogEntries as parseText } from './log-entries.rules.js';

const state_id = randomUUID();

const parseLogEntries = (body: unknown) => parseText(JSON.stringify(body));

function one(entry: Record<string, unknown>): Omit<LogEntry, 'data'> & { data: unknown } {
  const entries = parseLogEntries([entry]);
  if (typeof entries === 'string') throw new Error(entries);
  const [first] = entries as [LogEntry];
  return { ...first, data: JSON.parse(first.data) };
}

const indexed = (index_key: number) => ({
  action: 'state_set',
  object_type: 'instance',
  state_id: randomUUID(),
  data: {
    resource_address: 't.n',
    address: `t.n[${index_key}]`,
    mode: 'managed',
    type: 't',
    name: 'n',
    index_key,
  },
});

describe('log entries', () => {
  it('derive node id, address and references of a block', () => {
    const data = { resource: { aws_vpc: { main: { cidr: '${var.cidr}' } } } };
    const entry = {
      action: 'hcl_set',
      object_type: 'hcl',
      state_id,
      data: { file: 'a.tf', module: 'module.net', data },
    };
    expect(one(entry)).toMatchObject({
      nodeId: 'module.net.aws_vpc.main',
      data: {
        node_id: 'module.net.aws_vpc.main',
        address: 'module.net.aws_vpc.main',
        references: ['var.cidr'],
      },
    });
  });

  it('tell locals of two files apart', () => {
    const entry = (file: string) => ({
      action: 'hcl_set',
      object_type: 'hcl',
      data: { file, module: '', data: { locals: { a: 1, b: 2 } } },
    });
    expect([one(entry('a.tf')).nodeId, one(entry('b.tf')).nodeId]).toEqual(['locals@a.tf', 'locals@b.tf']);
  });

  it.each(['../a.tf', '/a.tf', 'a/../../b.tf', '..\\a.tf', 'C:/a.tf'])(
    'take no block of the root from %s',
    (file) => {
      const entry = (module: string) => ({
        action: 'hcl_set',
        object_type: 'hcl',
        data: { file, module, data: { locals: { a: 1 } } },
      });
      expect(parseLogEntries([entry('')])).toMatch(/^entry 0: data: file/);
      expect(one(entry('module.shared')).nodeId).toBe('module.shared.local.a');
    },
  );

  it('keep the lines of a block, and know files by their path', () => {
    const data = { file: 'a.tf', module: '', data: { locals: { a: 1 } }, start_line: 3, end_line: 5 };
    expect(one({ action: 'hcl_set', object_type: 'hcl', data })).toMatchObject({ nodeId: 'local.a', data });
    const file = { action: 'file_delete', object_type: 'file', data: { filepath: 'a/b' } };
    expect(one(file)).toMatchObject({ nodeId: 'file:a/b', data: { filepath: 'a/b' } });
  });

  it('never keep an ephemeral value', () => {
    const data = { file: 'x.tfvars', name: 'password', data: 'swordfish' };
    const entry = one({ action: 'tfvar_ephemeral', object_type: 'tfvar', data });
    expect(JSON.stringify(entry)).not.toContain('swordfish');
    expect(entry.nodeId).toBe('x.tfvars:password');
  });

  it.each([
    [
      {
        action: 'state_set',
        object_type: 'output',
        state_id,
        data: { name: 'a', type: 'string', value: null },
      },
    ],
    [{ action: 'state_delete', object_type: 'output', state_id, data: { name: 'a' } }],
    [{ action: 'state_set', object_type: 'provider', state_id, data: { name: 'aws' } }],
    [
      {
        action: 'file_set',
        object_type: 'file',
        data: { filepath: 'a', module: '', content: 'YQ==', content_hash: 'x', mode: '0644' },
      },
    ],
    [{ action: 'refresh', object_type: 'refresh' }],
    [indexed(2 ** 53 - 1)],
  ])('are taken: %j', (entry) => {
    expect(typeof parseLogEntries([entry])).toBe('object');
  });

  it.each([
    ['no array', {}],
    ['an unknown action', [{ action: 'drop', object_type: 'hcl', data: {} }]],
    ['an action on another object', [{ action: 'hcl_set', object_type: 'output', data: {} }]],
    ['no state', [{ action: 'state_set', object_type: 'provider', data: { name: 'aws' } }]],
    ['no uuid', [{ action: 'refresh', object_type: 'refresh', state_id: 'x' }]],
    ['an index that loses digits', [indexed(2 ** 53)]],
    ['what Terraform could not read', [{ ...indexed(1), data: { ...indexed(1).data, status: 'new' } }]],
    ['an ephemeral resource', [{ ...indexed(1), data: { ...indexed(1).data, mode: 'ephemeral' } }]],
    [
      'a value of another type',
      [
        {
          action: 'state_set',
          object_type: 'output',
          state_id,
          data: { name: 'a', type: 'bool', value: 'x' },
        },
      ],
    ],
    [
      'no base64',
      [
        {
          action: 'file_set',
          object_type: 'file',
          data: { filepath: 'a', module: '', content: '%', content_hash: 'x', mode: 1 },
        },
      ],
    ],
    [
      'no block',
      [{ action: 'hcl_set', object_type: 'hcl', data: { file: 'a', module: '', data: { secret: 1 } } }],
    ],
    [
      'too many',
      Array.from({ length: MOST_ENTRIES + 1 }, () => ({ action: 'refresh', object_type: 'refresh' })),
    ],
  ])('are refused: %s', (_, body) => {
    expect(typeof parseLogEntries(body)).toBe('string');
  });

  it.each(['net', 'module.a["k"]', 'module.a.b', '.module.a', 'module.a.'.repeat(70)])(
    'are refused: a block in %s',
    (module) => {
      const data = { file: 'a', module, data: { locals: { a: 1 } } };
      expect(parseLogEntries([{ action: 'hcl_set', object_type: 'hcl', data }])).toMatch(/module/);
    },
  );

  it('are refused when a value is nested without measure', () => {
    const value = `${'['.repeat(1000)}${']'.repeat(1000)}`;
    const text = `[{"action":"tfvar_set","object_type":"tfvar","data":{"file":"a","name":"b","data":${value}}}]`;
    expect(parseText(text)).toMatch(/deep/);
  });

  it('keep every digit, and only what the kind of entry has', () => {
    const text = `[{"action":"state_set","object_type":"output","state_id":"${state_id}",
      "data":{"name":"big","type":"number","value":12345678901234567890.10,"other":1}}]`;
    const [entry] = parseText(text) as [LogEntry];
    expect(entry.data).toBe('{"name":"big","type":"number","value":12345678901234567890.10}');
  });

  it('are kept as they were understood: of members of one name the last', () => {
    const data = '{"name":"o","value":12,"type":"string","sensitive":true,"type":"number","value":1.0}';
    const entry = `{"action":"state_set","object_type":"output","state_id":"${state_id}","data":{},"data":${data}}`;
    expect(parseText(`[${entry}]`)).toMatchObject([
      { data: '{"name":"o","type":"number","value":1.0,"sensitive":true}' },
    ]);
  });

  it('are refused when they are no JSON, or nested too deeply', () => {
    expect(parseText('[{')).toMatch(/array/);
    expect(parseText(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toMatch(/array/);
  });

  it('name the entry that is wrong, and not its values', () => {
    const body = [
      { action: 'refresh', object_type: 'refresh' },
      {
        action: 'state_set',
        object_type: 'output',
        state_id,
        data: { name: 7, value: 'swordfish', type: 'string' },
      },
    ];
    expect(parseLogEntries(body)).toBe('entry 1: data: name is missing or malformed');
  });
});
