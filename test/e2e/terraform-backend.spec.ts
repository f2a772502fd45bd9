import { randomUUID } from 'node:crypto';
import { aBackend, addressOf, backendBlock, send, TestBackend, TestState } from '../support/backend.js';
import { describeWith, TerraformWorkspace } from '../support/terraform.js';

interface Document {
  serial: number;
  lineage: string;
  resources: { name: string; module?: string }[];
  outputs: Record<string, { value: unknown }>;
}

describeWith('terraform', 'The real terraform client', () => {
  let backend: TestBackend;
  const workspaces: TerraformWorkspace[] = [];

  beforeAll(async () => {
    backend = await aBackend();
  });
  afterEach(() => {
    for (const workspace of workspaces.splice(0)) workspace.remove();
  });
  afterAll(() => backend.stop());

  function things(...names: string[]): string {
    return names.map((name) => `resource "terraform_data" "${name}" {\n  input = "${name}"\n}\n`).join('');
  }

  function aWorkspace(files: Record<string, string>): TerraformWorkspace {
    const workspace = new TerraformWorkspace(files);
    workspaces.push(workspace);
    return workspace;
  }

  async function anInitialised(
    state: TestState,
    main: string,
    lines: string[] = [],
  ): Promise<TerraformWorkspace> {
    const workspace = aWorkspace({
      'backend.tf': backendBlock(state.address, backend.key, lines),
      'main.tf': main,
    });
    await workspace.run(['init']);
    return workspace;
  }

  async function stored(address: string): Promise<Document> {
    return (await send(address, { key: backend.key })).json() as Document;
  }

  function namesOf(document: Document): string[] {
    return document.resources.map((resource) => resource.name).sort();
  }

  it('goes from init over plan, apply and no changes to destroy', async () => {
    const state = await backend.aState();
    const { lineage } = await stored(state.address);
    const workspace = await anInitialised(
      state,
      `${things('a', 'b')}output "name" {\n  value = terraform_data.a.output\n}\n`,
    );
    expect(await workspace.run(['plan', '-no-color'])).toContain(
      'Plan: 2 to add, 0 to change, 0 to destroy.',
    );
    expect(await workspace.run(['apply', '-auto-approve', '-no-color'])).toContain(
      'Apply complete! Resources: 2 added',
    );
    const applied = await stored(state.address);
    expect([applied.lineage, namesOf(applied), applied.outputs['name']?.value]).toEqual([
      lineage,
      ['a', 'b'],
      'a',
    ]);
    expect(await workspace.run(['plan', '-no-color', '-detailed-exitcode'])).toContain('No changes.');
    expect(await workspace.run(['apply', '-auto-approve', '-no-color'])).toContain('No changes.');
    expect(await stored(state.address)).toEqual(applied);
    await workspace.run(['destroy', '-auto-approve']);
    const destroyed = await stored(state.address);
    expect([destroyed.lineage, destroyed.resources, destroyed.serial > applied.serial]).toEqual([
      lineage,
      [],
      true,
    ]);
    expect((await backend.api('GET', `/states/${state.id}`)).json()).toMatchObject({
      serial: destroyed.serial,
      format: 'terraform',
      terraform_version: expect.stringMatching(/^1\./) as string,
    });
  });

  it('keeps workspaces apart as paths of one group, which its first apply creates', async () => {
    const state = await backend.aState({ name: 'network' });
    for (const name of ['staging', 'production']) {
      const target = { ...state, address: addressOf(backend.url, state.groupId, name) };
      await (await anInitialised(target, things(name))).run(['apply', '-auto-approve']);
    }
    expect(namesOf(await stored(addressOf(backend.url, state.groupId, 'staging')))).toEqual(['staging']);
    expect(namesOf(await stored(addressOf(backend.url, state.groupId, 'production')))).toEqual([
      'production',
    ]);
    expect(namesOf(await stored(state.address))).toEqual([]);
    const { results } = (
      await backend.api('GET', `/tenants/${backend.tenantId}/states?limit=1000`)
    ).json() as { results: { group_id: string; workspace: string; name: string }[] };
    expect(
      results
        .filter((row) => row.group_id === state.groupId)
        .map(({ name, workspace }) => [name, workspace])
        .sort(),
    ).toEqual([
      ['network', 'default'],
      ['network', 'production'],
      ['network', 'staging'],
    ]);
  });

  it('is told before it changes anything when it may not write', async () => {
    const workspace = aWorkspace({
      'backend.tf': backendBlock(addressOf(backend.url, randomUUID()), backend.key),
      'main.tf': things('a'),
    });
    const outcome = await workspace.try(['init', '-no-color']);
    expect([outcome.code, outcome.stderr]).toEqual([1, expect.stringMatching(/403|invalid auth/i) as string]);
  });

  it('pulls, moves, removes and pushes', async () => {
    const state = await backend.aState();
    const workspace = await anInitialised(state, things('a', 'b'));
    await workspace.run(['apply', '-auto-approve']);
    const pulled = JSON.parse(await workspace.run(['state', 'pull'])) as Document;
    expect(pulled).toEqual(await stored(state.address));
    await workspace.run(['state', 'mv', 'terraform_data.a', 'terraform_data.moved']);
    expect(namesOf(await stored(state.address))).toEqual(['b', 'moved']);
    await workspace.run(['state', 'rm', 'terraform_data.b']);
    expect((await workspace.run(['state', 'list'])).trim()).toBe('terraform_data.moved');
    const current = await stored(state.address);
    workspace.write({ 'pushed.tfstate': JSON.stringify({ ...pulled, serial: current.serial + 1 }) });
    await workspace.run(['state', 'push', 'pushed.tfstate']);
    expect(namesOf(await stored(state.address))).toEqual(['a', 'b']);
    expect((await workspace.run(['plan', '-no-color'])).includes('No changes.')).toBe(true);
  });

  it('may not push an older state, and with -force only to an address that says so', async () => {
    const state = await backend.aState();
    const workspace = await anInitialised(state, things('a'));
    await workspace.run(['apply', '-auto-approve']);
    workspace.write({ 'old.tfstate': await workspace.run(['state', 'pull']) });
    workspace.write({ 'main.tf': things('b') });
    await workspace.run(['apply', '-auto-approve']);
    const current = await stored(state.address);
    const refused = await workspace.try(['state', 'push', 'old.tfstate']);
    expect([refused.code, await stored(state.address)]).toEqual([1, current]);
    workspace.write({
      'other.tfstate': JSON.stringify({
        version: 4,
        terraform_version: '1.11.4',
        serial: 1,
        lineage: 'another',
        outputs: {},
        resources: [],
      }),
    });
    for (const file of ['old.tfstate', 'other.tfstate']) {
      const forced = await workspace.try(['state', 'push', '-force', file]);
      expect([file, forced.code, await stored(state.address)]).toEqual([file, 1, current]);
    }
    const overriding = await anInitialised({ ...state, address: `${state.address}?force=true` }, things('a'));
    overriding.write({
      'other.tfstate': JSON.stringify({
        version: 4,
        terraform_version: '1.11.4',
        serial: 1,
        lineage: 'another',
        outputs: {},
        resources: [],
      }),
    });
    await overriding.run(['state', 'push', '-force', 'other.tfstate']);
    expect((await stored(state.address)).lineage).toBe('another');
    const { results } = (await backend.api('GET', `/states/${state.id}/versions`)).json() as {
      results: { version: number; lineage: string; origin: string }[];
    };
    expect(results.map(({ version, lineage, origin }) => [version, lineage, origin])).toEqual([
      [3, 'another', 'force'],
      [2, current.lineage, 'backend'],
      [1, current.lineage, 'backend'],
    ]);
  });

  it('reads outputs of another state with a key that may read nothing else of it', async () => {
    const producer = await backend.aState();
    await (
      await anInitialised(producer, `${things('secret')}output "subnet" {\n  value = "10.0.0.0/24"\n}\n`)
    ).run(['apply', '-auto-approve']);
    const key = await backend.aKey({ commit: { states: { [producer.id]: ['outputs'] } } });
    const consumer = await backend.aState();
    const remote = (address: string) =>
      `data "terraform_remote_state" "net" {\n  backend = "http"\n  config = {\n    address  = "${address}"\n    username = "session"\n    password = "${key}"\n  }\n}\nresource "terraform_data" "user" {\n  input = data.terraform_remote_state.net.outputs.subnet\n}\n`;
    const workspace = await anInitialised(consumer, remote(`${producer.address}?view=outputs`));
    await workspace.run(['apply', '-auto-approve']);
    expect(await workspace.run(['state', 'show', '-no-color', 'terraform_data.user'])).toContain(
      '10.0.0.0/24',
    );
    expect(await workspace.run(['plan', '-no-color'])).toContain('No changes.');
    workspace.write({ 'main.tf': remote(producer.address) });
    const denied = await workspace.try(['plan', '-no-color']);
    expect([denied.code, denied.stderr]).toEqual([1, expect.stringMatching(/403|invalid auth/i) as string]);
    // The key stands in the consumer's document; it never reaches what can be queried.
    const { rows } = await backend.service.pool.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT FROM instances i WHERE i::text LIKE '%' || $1 || '%') AS found`,
      [key],
    );
    expect(rows).toEqual([{ found: false }]);
  });

  it('migrates a local state into a workspace that its first write creates', async () => {
    const workspace = aWorkspace({ 'main.tf': things('a', 'b') });
    await workspace.run(['init']);
    await workspace.run(['apply', '-auto-approve']);
    const local = JSON.parse(await workspace.run(['state', 'pull'])) as Document;
    const group = await backend.aState();
    const address = addressOf(backend.url, group.groupId, 'migrated');
    workspace.write({ 'backend.tf': backendBlock(address, backend.key) });
    await workspace.run(['init', '-migrate-state', '-force-copy']);
    // Where nothing answers yet the client makes up a new lineage, see the protocol.
    expect((await stored(address)).resources).toEqual(local.resources);
    expect(await workspace.run(['plan', '-no-color'])).toContain('No changes.');
  });

  it('migrates into a state that exists and was never written, and keeps the lineage', async () => {
    const workspace = aWorkspace({ 'main.tf': things('a') });
    await workspace.run(['init']);
    await workspace.run(['apply', '-auto-approve']);
    const local = JSON.parse(await workspace.run(['state', 'pull'])) as Document;
    const state = await backend.aState();
    workspace.write({ 'backend.tf': backendBlock(state.address, backend.key) });
    await workspace.run(['init', '-migrate-state', '-force-copy']);
    const migrated = await stored(state.address);
    expect([migrated.lineage, migrated.resources]).toEqual([local.lineage, local.resources]);
    expect(await workspace.run(['plan', '-no-color'])).toContain('No changes.');
    workspace.write({ 'main.tf': things('a', 'b') });
    await workspace.run(['apply', '-auto-approve']);
    expect(namesOf(await stored(state.address))).toEqual(['a', 'b']);
  });

  it('locks, is told who holds a lock, and breaks it', async () => {
    const state = await backend.aState();
    const lock = [
      `lock_address = "${state.address}"`,
      `unlock_address = "${state.address}"`,
      'lock_method = "LOCK"',
      'unlock_method = "UNLOCK"',
    ];
    const workspace = await anInitialised(state, things('a'), lock);
    await workspace.run(['apply', '-auto-approve']);
    const free = await backend.service.pool.query('SELECT 1 FROM state_locks');
    expect(free.rowCount).toBe(0);
    const info = {
      ID: randomUUID(),
      Operation: 'OperationTypeApply',
      Info: '',
      Who: 'colleague@elsewhere',
      Version: '1.11.4',
      Created: '2026-01-02T03:04:05Z',
      Path: '',
    };
    expect(
      (await send(state.address, { method: 'LOCK', key: backend.key, body: JSON.stringify(info) })).status,
    ).toBe(200);
    const held = await workspace.try(['plan', '-no-color', '-lock-timeout=0s']);
    expect([held.code, held.stderr.includes(info.ID)]).toEqual([1, true]);
    await workspace.run(['force-unlock', '-force', info.ID]);
    workspace.write({ 'main.tf': things('a', 'b') });
    await workspace.run(['apply', '-auto-approve']);
    expect(namesOf(await stored(state.address))).toEqual(['a', 'b']);
  });

  it('quotes addresses as the graph lists them', async () => {
    const state = await backend.aState();
    const keys = [
      'plain',
      'with \\"quotes\\"',
      '$${x}',
      'no\\u00a0break',
      'ключ 😀',
      'back\\\\slash',
      'soft\\u00adhyphen',
      '',
    ];
    const main = `resource "terraform_data" "each" {\n  for_each = toset([${keys.map((key) => `"${key}"`).join(', ')}])\n}\nresource "terraform_data" "count" {\n  count = 2\n}\n`;
    const workspace = await anInitialised(state, main);
    await workspace.run(['apply', '-auto-approve']);
    const listed = (await workspace.run(['state', 'list'])).trim().split('\n');
    const { results } = (await backend.api('GET', `/states/${state.id}/instances?limit=1000`)).json() as {
      results: { address: string }[];
    };
    expect(results.map((row) => row.address).sort()).toEqual(listed.sort());
  });

  it('keeps numbers, control characters and secrets through a cycle of apply and plan', async () => {
    const state = await backend.aState();
    const main =
      'resource "terraform_data" "odd" {\n  input = {\n    big   = 123456789012345678901234567890\n    small = 1e-30\n    html  = "<a href=\\"x\\">&</a>"\n    mixed = ["1", true, null]\n  }\n}\noutput "hidden" {\n  value     = "s3cr3t-value"\n  sensitive = true\n}\n';
    const workspace = await anInitialised(state, main);
    await workspace.run(['apply', '-auto-approve']);
    expect(await workspace.run(['plan', '-no-color'])).toContain('No changes.');
    expect((await send(state.address, { key: backend.key })).bytes.toString()).toContain(
      '123456789012345678901234567890',
    );
    for (const path of ['instances', 'summary'])
      expect((await backend.api('GET', `/states/${state.id}/${path}`)).bytes.toString()).not.toContain(
        's3cr3t-value',
      );
    for (const table of ['instances', 'outputs']) {
      const leaks = await backend.service.pool.query(
        `SELECT 1 FROM ${table} t WHERE t::text LIKE '%s3cr3t-value%'`,
      );
      expect([table, leaks.rowCount]).toEqual([table, 0]);
    }
  });
});
