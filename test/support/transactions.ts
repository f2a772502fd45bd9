import { type Answer, send, type TestBackend } from './backend.js';

export interface Instance {
  address: string;
  /** attribute `value` */
  value: unknown;
  index?: string | number;
}

/** Says of transactions what clients and runners say. */
export class TransactionClient {
  constructor(
    readonly backend: TestBackend,
    readonly key = backend.key,
  ) {}

  call(method: string, path: string, body?: unknown, key = this.key): Promise<Answer> {
    return this.backend.api(method, path, { key, ...(body === undefined ? {} : { body }) });
  }

  async create(tenantId = this.backend.tenantId): Promise<string> {
    const answer = await this.call('POST', `/tenants/${tenantId}/tx/create`, { state_schema_version: 1 });
    expect(answer.status).toBe(201);
    return (answer.json() as { id: string }).id;
  }

  async append(txId: string, entries: unknown[]): Promise<void> {
    const answer = await this.call('POST', `/tx/${txId}/logs/append`, entries);
    if (answer.status !== 200) throw new Error(answer.bytes.toString());
  }

  /** A transaction that says so much of a state. */
  async logged(
    stateId: string,
    instances: readonly Instance[],
    deleted: readonly string[] = [],
  ): Promise<string> {
    const txId = await this.create();
    await this.append(txId, [
      ...instances.map((instance) => setInstance(stateId, instance)),
      ...deleted.map((address) => ({
        action: 'state_delete',
        object_type: 'instance',
        state_id: stateId,
        data: { address },
      })),
    ]);
    return txId;
  }

  async apply(txId: string, replace = ''): Promise<{ status: number; id?: string; task?: string }> {
    const answer = await this.call('POST', `/tx/${txId}/apply${replace}`);
    if (answer.status !== 200) return { status: answer.status, id: (answer.json() as { id: string }).id };
    const { task } = answer.json() as { task: { id: string } };
    return { status: 200, task: await this.ended(task.id) };
  }

  async begin(txId: string, step: 'preview' | 'commit'): Promise<{ task: string; token: string }> {
    const answer = await this.call('POST', `/tx/${txId}/${step}`);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes.toString()}`);
    const { task, token } = answer.json() as { task: { id: string; state: string }; token: string };
    expect(task.state).toBe('pending');
    return { task: task.id, token };
  }

  report(token: string, request: unknown, idx = 0): Promise<Answer> {
    return send(`${this.backend.url}/api/v1/actuator/results`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ idx, request }),
    });
  }

  /** The state a task ends in. */
  async ended(taskId: string): Promise<string> {
    for (;;) {
      const { state } = (await this.call('GET', `/tasks/${taskId}`)).json() as { state: string };
      if (state !== 'pending' && state !== 'running') return state;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async state(txId: string): Promise<string> {
    return ((await this.call('GET', `/tx/${txId}`)).json() as { tx: { state: string } }).tx.state;
  }

  /** The document of a state, as a client gets it. */
  async document(stateId: string): Promise<StateDocument> {
    return (await this.call('GET', `/states/${stateId}/export`)).json() as StateDocument;
  }

  /** Attribute `value` by instance address. */
  async values(stateId: string): Promise<Record<string, unknown>> {
    const { resources } = await this.document(stateId);
    return Object.fromEntries(
      resources.flatMap((resource) =>
        resource.instances.map((instance) => {
          const name = `${resource.module ? `${resource.module}.` : ''}${resource.type}.${resource.name}`;
          const index = instance.index_key === undefined ? '' : `[${JSON.stringify(instance.index_key)}]`;
          return [name + index, instance.attributes['value']];
        }),
      ),
    );
  }
}

export interface StateDocument {
  version: number;
  serial: number;
  lineage: string;
  terraform_version?: string;
  outputs: Record<string, { value: unknown; type: unknown; sensitive?: boolean }>;
  resources: {
    module?: string;
    mode: string;
    type: string;
    name: string;
    provider: string;
    instances: { index_key?: string | number; attributes: Record<string, unknown> }[];
  }[];
  check_results: unknown;
}

/** `test_thing.a` or `module.m.test_thing.a`. */
function partsOf(address: string): { module?: string; type: string; name: string } {
  const at = address.lastIndexOf('.', address.lastIndexOf('.') - 1);
  const [type = '', name = ''] = address.slice(at + 1).split('.');
  return { ...(at > 0 ? { module: address.slice(0, at) } : {}), type, name };
}

export function setInstance(stateId: string, { address, value, index }: Instance): Record<string, unknown> {
  const suffix = index === undefined ? '' : `[${JSON.stringify(index)}]`;
  return {
    action: 'state_set',
    object_type: 'instance',
    state_id: stateId,
    data: {
      resource_address: address,
      address: `${address}${suffix}`,
      mode: 'managed',
      ...partsOf(address),
      ...(index === undefined ? {} : { index_key: index }),
      schema_version: 0,
      attributes: { id: address, value },
    },
  };
}

/** One entry of `resource_changes`. */
export function change(address: string, actions: string[], more: Record<string, unknown> = {}): unknown {
  return { address, mode: 'managed', change: { actions, before: null, after: null, ...more } };
}

/** A document as a run leaves it. */
export function runState(instances: readonly Instance[], outputs: Record<string, string> = {}): unknown {
  return {
    version: 4,
    terraform_version: '1.11.4',
    serial: 9,
    lineage: 'of the run',
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, value]) => [name, { value, type: 'string' }]),
    ),
    resources: instances.map(({ address, value, index }) => ({
      mode: 'managed',
      ...partsOf(address),
      provider: 'provider["registry.terraform.io/hashicorp/test"]',
      instances: [
        {
          ...(index === undefined ? {} : { index_key: index }),
          schema_version: 0,
          attributes: { id: address, value },
        },
      ],
    })),
    check_results: null,
  };
}

/** An output, a check and the metadata of a state, as a transaction logs them. */
export function entriesBesideInstances(stateId: string): unknown[] {
  return [
    {
      action: 'state_set',
      object_type: 'output',
      state_id: stateId,
      data: { name: 'o', type: 'string', value: 'v', sensitive: true },
    },
    {
      action: 'state_set',
      object_type: 'check_result',
      state_id: stateId,
      data: { config_addr: 'check.c', object_kind: 'check', status: 'pass' },
    },
    {
      action: 'state_set',
      object_type: 'check_result_entry',
      state_id: stateId,
      data: { config_addr: 'check.c', object_addr: 'check.c', status: 'pass' },
    },
    {
      action: 'state_set',
      object_type: 'state_metadata',
      state_id: stateId,
      data: { version: 4, terraform_version: '1.11.4', serial: 70, lineage: 'another' },
    },
  ];
}

/** A plan of Terraform with every kind of change, and with values that nobody may see. */
export const PLAN_OF_ALL_KINDS = {
  format_version: '1.2',
  terraform_version: '1.11.4',
  resource_changes: [
    change('test_thing.new', ['create'], {
      after: { secret: 'hush', open: 'x' },
      after_sensitive: { secret: true },
    }),
    change('test_thing.up', ['update']),
    change('test_thing.swap', ['delete', 'create']),
    change('test_thing.swap2', ['create', 'delete']),
    change('test_thing.gone', ['delete']),
    change('test_thing.same', ['no-op']),
    change('test_thing.left', ['forget']),
    { ...(change('data.test_thing.d', ['read']) as object), mode: 'data' },
    { ...(change('test_thing.same', ['delete']) as object), deposed: '0a1b2c3d' },
  ],
  output_changes: {
    o: {
      actions: ['update'],
      before: 'was hush',
      after: 'is hush',
      before_sensitive: true,
      after_sensitive: true,
    },
  },
};
