import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createClient, createConfig, records, updateRecord } from '@infrastate/sdk';
import { CliHome } from '../support/cli.js';
import { type Admin, aKey, anAdmin, startGenerous } from '../support/identity.js';
import { anInstallation, kvOf } from '../support/kv.js';
import type { RunningService } from '../support/service.js';

const DOCUMENT = readFileSync(join(__dirname, '../../docs/kv.md'), 'utf8');
const PROGRAM = join(__dirname, '../../cli/bin/infrastate.js');
const EXAMPLES = [...DOCUMENT.matchAll(/example:begin -->\n```sh\n([\s\S]*?)```/g)].map(
  ([, script = '']) => script,
);

describe('The key-value store as docs/kv.md shows it', () => {
  let service: RunningService;
  let admin: Admin;
  let key: string;
  let installation: string;
  let home: CliHome;

  beforeAll(async () => {
    service = await startGenerous();
    admin = await anAdmin(service);
    key = await aKey(service, admin);
    installation = await anInstallation(service, { tenantId: admin.tenantId });
    home = new CliHome({
      INFRASTATE_API_BASE: service.url,
      INFRASTATE_API_KEY: key,
      INFRASTATE_INSTALLATION: installation,
    });
    chmodSync(home.file('infrastate', `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`), 0o755);
  });
  afterAll(async () => {
    home.remove();
    await service.stop();
  });

  async function shell(script: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const child = spawn('bash', ['-euc', script], {
      cwd: home.directory,
      // With a socket there, bash reads its start-up files.
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...home.env,
        HOME: home.directory,
        PATH: [home.directory, process.env['PATH']].join(delimiter),
      },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout, stderr };
  }

  it('has three examples', () => {
    expect(EXAMPLES).toHaveLength(3);
  });

  it('the documented lock is held by one caller', async () => {
    const outcome = await shell(EXAMPLES[0] ?? '');
    expect(outcome).toMatchObject({
      code: 0,
      stdout: 'locks/deploy has version 0\njob-17\nsomebody else holds it\ndeleted\n',
    });
    expect(outcome.stderr).toContain('VERSION_MISMATCH');
  });

  it('counts with the documented loop', async () => {
    const outcome = await shell(EXAMPLES[1] ?? '');
    expect(outcome.stderr).toBe('');
    expect(outcome.stdout.trim().split('\n').at(-1)).toBe('3');
  });

  it('publishes several records together', async () => {
    const outcome = await shell(EXAMPLES[2] ?? '');
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toContain('2 records committed\n');
    expect(outcome.stdout).toMatch(/\{"number":1\}$/);
  });

  it('counts with the loop of the SDK beside others, and reads every record', async () => {
    const client = createClient(createConfig({ baseUrl: service.url, auth: key }));
    const namespace = { client, vcs: 'github' as const, installationId: installation };
    await Promise.all(
      Array.from({ length: 10 }, () =>
        updateRecord(namespace, 'sdk/counter', (data) => String(Number(data ?? 0) + 1)),
      ),
    );
    const found = [];
    for await (const record of records(namespace, 'sdk/', { prefix: true, pageSize: 1 })) found.push(record);
    expect(found).toMatchObject([{ key: 'sdk/counter', data: '10', version: 9 }]);
    for (let idx = 0; idx < 5; idx++) await updateRecord(namespace, `sdk/many`, () => String(idx), { idx });
    const places = [];
    for await (const { key: name, idx } of records(namespace, 'sdk/', { prefix: true, pageSize: 2 }))
      places.push(`${name}:${idx}`);
    expect(places).toEqual(['sdk/counter:0', ...[0, 1, 2, 3, 4].map((idx) => `sdk/many:${idx}`)]);
  });

  it('changes nothing but data and version with the loop of the SDK', async () => {
    const client = createClient(createConfig({ baseUrl: service.url, auth: key }));
    const calls = kvOf(service, key, installation);
    const lists = { read_caps: ['kv_store_read'], write_caps: ['kv_store_write'] };
    await calls.put('sdk/kept', { data: '1', committed: false, ...lists });
    await updateRecord(
      { client, vcs: 'github', installationId: installation },
      'sdk/kept',
      (data) => `${data}1`,
    );
    expect((await calls.get('sdk/kept', '?committed=false')).body).toMatchObject({
      data: '11',
      version: 1,
      committed: false,
      ...lists,
    });
  });

  it('keeps every byte of a file, and refuses one that is no text', async () => {
    writeFileSync(home.file('data', ''), '\ufeffé');
    for (const command of ['kv put bytes data', 'kv put bytes - < data']) {
      const { code } = await shell(`infrastate ${command}`);
      expect(code).toBe(0);
      expect((await kvOf(service, key, installation).get('bytes')).body.data).toBe('\ufeffé');
    }
    writeFileSync(home.file('latin', ''), Buffer.from([0xe9]));
    for (const command of ['kv put latin latin', 'kv put latin - < latin']) {
      const { code, stderr } = await shell(`infrastate ${command}`);
      expect(code).toBe(64);
      expect(stderr).toContain('UTF-8');
    }
    expect((await kvOf(service, key, installation).get('latin')).status).toBe(404);
  });
});
