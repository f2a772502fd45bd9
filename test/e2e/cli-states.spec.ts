import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestBackend, aBackend, BackendClient, bytesOf } from '../support/backend.js';
import { CliHome, itOnTerminal } from '../support/cli.js';

const document = (serial: number, more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage: 'x',
    outputs: {},
    resources: [],
    ...more,
  });

describe('infrastate states', () => {
  let backend: TestBackend;
  let home: CliHome;

  beforeAll(async () => {
    backend = await aBackend({ env: { SERVICE_CLIENT_MAX_BODY_SIZE: '160m' } });
    home = new CliHome({
      INFRASTATE_API_BASE: `${backend.url}/api/v1/`,
      INFRASTATE_API_KEY: backend.key,
      INFRASTATE_TENANT_ID: 'Infrastructure',
    });
  });
  afterAll(async () => {
    home?.remove();
    await backend?.stop();
  });

  it('creates a state in a group and a workspace, and lists it for people and for programs', async () => {
    const group = randomUUID();
    const created = await home.must([
      'states',
      'create',
      'network',
      '--group',
      group,
      '--workspace',
      'staging',
    ]);
    expect(created).toMatchObject({ name: 'network', group_id: group, workspace: 'staging', serial: 0 });

    const { results } = await home.must<{ results: unknown[] }>(['states', 'list']);
    expect(results).toContainEqual(created);
    const people = await home.run(['states', 'list']);
    expect(people.code).toBe(0);
    expect(people.stderr).toBe('');
    expect(people.stdout).toMatch(/^NAME +WORKSPACE +SERIAL +UPDATED +ID\n/);
    expect(people.stdout).toMatch(new RegExp(`^network +staging +0 +\\S+ +${created.id}$`, 'm'));
  });

  it('creates a second state of one name and workspace only when told to', async () => {
    await home.must(['states', 'create', 'namesake']);
    const again = await home.run(['states', 'create', 'namesake']);
    expect([again.code, again.stderr]).toEqual([75, expect.stringContaining('--same-name')]);
    await home.must(['states', 'create', 'namesake', '--same-name']);
    await home.must(['states', 'create', 'namesake', '--workspace', 'staging']);
  });

  it('refuses what the service refuses, with its own words, and leaves stdout to programs', async () => {
    const group = randomUUID();
    await home.must(['states', 'create', 'twice', '--group', group]);
    const people = await home.run(['states', 'create', 'twice', '--group', group]);
    expect(people).toMatchObject({ code: 75, stdout: '' });
    expect(people.stderr).toMatch(/^infrastate: STATE_EXISTS: .+\n$/);
    const program = await home.run(['states', 'create', 'twice', '--group', group, '--json']);
    expect(program.code).toBe(75);
    expect(program.json()).toEqual({ error: { id: 'STATE_EXISTS', data: expect.any(String) } });

    const wrong = await home.run(['states', 'create', 'x', '--group', 'no-uuid', '--json']);
    expect(wrong.json().error).toMatchObject({
      id: 'INVALID_REQUEST',
      data: expect.stringContaining('group_id'),
    });
  });

  it('lists more states than one page of the service holds', async () => {
    const tenantId = await backend.aTenant();
    await backend.service.pool.query(
      `INSERT INTO states (id, tenant_id, name, group_id, workspace, lineage)
       SELECT gen_random_uuid(), $1, 'state ' || n, gen_random_uuid(), 'default', 'l' FROM generate_series(1, 1250) n`,
      [tenantId],
    );
    const { results } = await home.must<{ results: { name: string }[] }>([
      'states',
      'list',
      '--tenant',
      tenantId,
    ]);
    expect(new Set(results.map(({ name }) => name)).size).toBe(1250);
    const last = await home.run(['states', 'export', 'state 1250', '--tenant', tenantId]);
    expect(last.json()).toMatchObject({ version: 4, serial: 0 });
  });

  it('imports and exports byte for byte: files, pipes, odd layouts, numbers of any length', async () => {
    const odd = `{ "version":4,\r\n\t"serial": 7,"lineage":"odd", "terraform_version":"1.11.4",
      "outputs":{"n":{"value":123456789012345678901234567890.10,"type":"number"},"t":{"value":"ä\\u0000é\\/😀","type":"string"}},
      "resources":[]  }\n\n`;
    const file = home.file('odd.tfstate', odd);
    const imported = await home.must(['states', 'import', 'odd', file, '--tag', 'why=move']);
    expect(imported).toMatchObject({ name: 'odd', workspace: 'default', serial: 7 });
    expect((await home.run(['states', 'export', 'odd'])).bytes).toEqual(Buffer.from(odd));

    await home.must(['states', 'import', 'piped', '-', '--workspace', 'w'], { input: odd });
    const out = join(home.directory, 'out.tfstate');
    const exported = await home.must(['states', 'export', 'piped', out]);
    expect(exported).toMatchObject({ file: out, bytes: Buffer.byteLength(odd) });
    expect(readFileSync(out, 'utf8')).toBe(odd);
    expect(statSync(out).mode & 0o777).toBe(0o600);

    const { results } = await home.must<{
      results: { tags: unknown; states?: unknown; state_names: string[] }[];
    }>(['tx', 'list', '--all']);
    expect(results.find(({ state_names }) => state_names.includes('odd'))?.tags).toEqual({ why: 'move' });
  });

  it('moves a document of 150 MB through without holding it', async () => {
    const resource = (n: number): string =>
      JSON.stringify({
        mode: 'managed',
        type: 'test_thing',
        name: `n${n}`,
        provider: 'provider["registry.terraform.io/hashicorp/test"]',
        instances: [
          {
            schema_version: 0,
            attributes: { id: `${n}`, text: 'x'.repeat(15_000) },
            sensitive_attributes: [],
          },
        ],
      });
    const large = document(1, { resources: [] }).replace(
      '"resources":[]',
      () => `"resources":[${Array.from({ length: 10_000 }, (_, n) => resource(n)).join(',')}]`,
    );
    const file = home.file('large.tfstate', large);
    const out = join(home.directory, 'large.out');
    const idle = await peakOf(['version']);
    expect((await peakOf(['states', 'import', 'large', file])) - idle).toBeLessThan(large.length / 2);
    expect((await peakOf(['states', 'export', 'large', out])) - idle).toBeLessThan(large.length / 2);
    expect(readFileSync(out).equals(Buffer.from(large))).toBe(true);
  }, 120_000);

  /** Bytes the client had in memory at most. */
  async function peakOf(args: string[]): Promise<number> {
    const report = join(home.directory, 'peak');
    const probe = home.file(
      'probe.cjs',
      `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS)));`,
    );
    const outcome = await home.run(args, { env: { NODE_OPTIONS: `--require ${probe}` } });
    expect(outcome).toMatchObject({ code: 0 });
    return Number(readFileSync(report, 'utf8')) * 1024;
  }

  it('refuses a file that is too large, empty, missing or no state document', async () => {
    const said = async (content: string | Buffer | undefined): Promise<string> => {
      const file =
        content === undefined ? join(home.directory, 'missing') : home.file('bad.tfstate', content);
      const outcome = await home.run(['states', 'import', 'bad', file, '--json']);
      expect(outcome.code).toBe(1);
      return outcome.json().error.id;
    };
    expect(await said(undefined)).toBe('FILE_UNREADABLE');
    expect(await said('')).toBe('FILE_UNREADABLE');
    expect(await said('[1]')).toBe('INVALID_STATE');
    expect(await said('{"version":')).toBe('INVALID_REQUEST');
    const tooLarge = Buffer.alloc(161 * 2 ** 20, ' ');
    expect(await said(tooLarge)).toBe('PAYLOAD_TOO_LARGE');
    const piped = await home.run(['states', 'import', 'bad', '-', '--json'], { input: tooLarge });
    expect(piped.json().error.id).toBe('PAYLOAD_TOO_LARGE');
  });

  it('writes no file when there is nothing to export or nowhere to write', async () => {
    const out = join(home.directory, 'none.tfstate');
    const unknown = await home.run(['states', 'export', randomUUID(), out]);
    expect(unknown).toMatchObject({ code: 66, stdout: '' });
    expect(unknown.stderr).toContain('STATE_NOT_FOUND');
    expect(existsSync(out)).toBe(false);
    const { name } = await backend.aState({ name: `state ${randomUUID()}` });
    const nowhere = await home.run(['states', 'export', name, join(home.directory, 'no', 'folder')]);
    expect(nowhere.code).toBe(1);
    expect(nowhere.stderr).toContain('FILE_UNWRITABLE');
  });

  it('finds a state by name in a workspace and does not guess between two', async () => {
    const group = randomUUID();
    for (const workspace of ['default', 'staging'])
      await home.must(['states', 'create', 'both', '--group', group, '--workspace', workspace]);
    const ambiguous = await home.run(['states', 'export', 'both', '--json']);
    expect(ambiguous.json().error.id).toBe('STATE_AMBIGUOUS');
    expect((await home.run(['states', 'export', 'both', '--workspace', 'staging'])).code).toBe(0);
    // Another group has a state of this name and workspace: only the group tells them apart.
    const other = randomUUID();
    await home.must(['states', 'create', 'both', '--group', other, '--workspace', 'staging', '--same-name']);
    const same = await home.run(['states', 'export', 'both', '--workspace', 'staging']);
    expect([same.code, same.stderr]).toEqual([1, expect.stringContaining('--group <id>')]);
    const chosen = ['states', 'export', 'both', '--workspace', 'staging', '--group'];
    expect((await home.run([...chosen, other])).code).toBe(0);
    expect((await home.run(['--group', group, ...chosen.slice(0, -1)])).code).toBe(0);
    const unknown = await home.run(['states', 'export', 'neither']);
    expect(unknown.stderr).toContain('no state is named "neither"');
    expect(unknown.code).toBe(66);
  });

  it('deletes what it is told to with --yes only, when nobody can be asked', async () => {
    const state = await backend.aState({ name: `state ${randomUUID()}` });
    const unasked = await home.run(['states', 'delete', state.name], { input: `${state.name}\n` });
    expect(unasked.code).toBe(1);
    expect(unasked.stderr).toMatch(/NOT_CONFIRMED.*--yes/);
    expect((await backend.api('GET', `/states/${state.id}`)).status).toBe(200);

    expect(await home.must(['states', 'delete', state.name, '--yes'])).toEqual({
      id: state.id,
      deleted: true,
    });
    expect((await backend.api('GET', `/states/${state.id}`)).status).toBe(404);
    const again = await home.run(['states', 'delete', state.id, '--yes', '--json']);
    expect(again.code).toBe(66);
    expect(again.json().error.id).toBe('STATE_NOT_FOUND');
  });

  itOnTerminal('asks for the name before it deletes', async () => {
    const state = await backend.aState({ name: `state ${randomUUID()}` });
    const mistaken = await home.onTerminal(['states', 'delete', state.id], [['delete it: ', 'yes']]);
    expect(mistaken).toContain('NOT_CONFIRMED');
    expect((await backend.api('GET', `/states/${state.id}`)).status).toBe(200);
    const meant = await home.onTerminal(['states', 'delete', state.id], [['delete it: ', state.name]]);
    expect(meant).toContain(`deleted state "${state.name}"`);
    expect((await backend.api('GET', `/states/${state.id}`)).status).toBe(404);
  });

  it('says who may not: a member without the right to delete', async () => {
    const state = await backend.aState({ name: `state ${randomUUID()}` });
    const { key } = await backend.aUser();
    const outcome = await home.run(['states', 'delete', state.id, '--yes', '--json'], {
      env: { INFRASTATE_API_KEY: key },
    });
    expect(outcome.json().error.id).toBe('ADMIN_REQUIRED');
  });

  it('prints the backend block of a state and of a group, without a secret', async () => {
    const state = await backend.aState({ name: `state ${randomUUID()}`, workspace: 'eu west' });
    const byName = await home.run(['backend-config', state.name]);
    expect(byName.code).toBe(0);
    expect(byName.stdout).toBe(`terraform {\n  backend "http" {\n    address = "${state.address}"\n  }\n}\n`);
    expect(byName.stderr).toContain('TF_HTTP_PASSWORD');
    expect(byName.stderr).toContain('TF_HTTP_USERNAME=run-$CI_JOB_ID');
    expect(byName.stdout + byName.stderr).not.toContain(backend.key);

    const byGroup = await home.must(['backend-config', state.groupId, 'other', '--locks']);
    const environment = { TF_HTTP_USERNAME: 'run-$CI_JOB_ID' };
    expect(byGroup).toMatchObject({ group_id: state.groupId, workspace: 'other', environment });
    expect(byGroup.address).toBe(`${backend.url}/api/v1/states/backend/${state.groupId}/other`);
    expect(byGroup.block).toContain('unlock_method  = "UNLOCK"');
    expect(await home.must(['backend-config', state.id])).toMatchObject({ workspace: 'eu west' });
    const unknown = await home.run(['backend-config', randomUUID(), '--json']);
    expect(unknown).toMatchObject({ code: 66 });
    expect(unknown.json().error.id).toBe('STATE_UNKNOWN');
  });

  it('lists, shows and accepts documents that were refused', async () => {
    const state = await backend.aState({ name: 'with submissions' });
    const [one, two] = [1, 2].map(() => new BackendClient(state.address, backend.key)) as [
      BackendClient,
      BackendClient,
    ];
    const bytes = (value: string, serial: number) => bytesOf(new Map([['a', value]]), serial, 'one');
    expect((await one.post(bytes('1', 1))).status).toBe(200);
    await two.get();
    expect((await one.post(bytes('2', 2))).status).toBe(200);
    expect((await two.post(bytes('3', 2))).status).toBe(409);
    const list = ['states', 'submissions', 'list', state.id];
    const { results } = await home.must<{ results: { id: string; base_version: number }[] }>([
      ...list,
      '--status',
      'refused',
    ]);
    expect(results).toMatchObject([{ status: 'refused', serial: 2, base_version: 1 }]);
    expect((await home.run(list)).stdout).toMatch(
      /^ID +STATUS +SERIAL +BASE VERSION +CREATED +CONFLICTS WITH/,
    );
    expect((await home.run([...list, '--status', 'odd'])).code).not.toBe(0);
    const id = results[0]?.id ?? '';
    expect((await home.run(['states', 'submissions', 'show', state.id, id])).stdout).toBe(
      bytes('3', 2).toString(),
    );
    const accept = ['states', 'submissions', 'accept', state.id, id];
    expect((await home.run([...accept, '--json'])).stdout).toContain('TX_CONFLICT');
    expect(await home.must([...accept, '--base-version', '2'])).toMatchObject({
      result: 'merged',
      version: 3,
    });
    expect(await home.must(accept)).toMatchObject({ result: 'unchanged', version: 3 });
    one.close();
    two.close();
  });
});
