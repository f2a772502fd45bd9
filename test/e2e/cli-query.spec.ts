import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BackendClient, bytesOf } from '../support/backend.js';
import { CliHome } from '../support/cli.js';
import { aQueryEstate, type QueryEstate } from '../support/mql.js';

describe('infrastate', () => {
  let estate: QueryEstate;
  let home: CliHome;

  beforeAll(async () => {
    estate = await aQueryEstate();
    // Somebody with one tenant, who need not name it.
    home = new CliHome({ INFRASTATE_API_BASE: estate.backend.url, INFRASTATE_API_KEY: estate.one.key });
    const { pool } = estate.backend.service;
    await pool.query(
      `INSERT INTO states (id, tenant_id, name, group_id, workspace, lineage)
       SELECT gen_random_uuid(), $1, 'many ' || to_char(n, 'FM000'), gen_random_uuid(), 'default', 'l' FROM generate_series(1, 250) n`,
      [estate.one.tenantId],
    );
  });
  afterAll(async () => {
    home?.remove();
    await estate?.stop();
  });

  describe('query', () => {
    const many = "SELECT name FROM states WHERE name LIKE 'many %'";

    it('prints a table for people, with what it left out on stderr', async () => {
      const outcome = await home.run(['query', "SELECT address, type FROM instances WHERE type = 'aws_vpc'"]);
      expect(outcome).toMatchObject({ code: 0, stderr: '1 row\n' });
      expect(outcome.stdout).toBe('address       type\naws_vpc.main  aws_vpc\n');
      const cut = await home.run(['query', many]);
      expect(cut.stdout.trimEnd().split('\n')).toHaveLength(21);
      expect(cut.stderr).toContain('ORDER BY');
    });

    it('follows the pages of 250 states to the last one, each once', async () => {
      const ordered = `${many} ORDER BY name`;
      const rows = await home.must<{ name: string }[]>(['query', ordered, '--all']);
      expect(rows.map(({ name }) => name)).toEqual(
        Array.from({ length: 250 }, (_, n) => `many ${String(n + 1).padStart(3, '0')}`),
      );
      const csv = await home.run(['query', ordered, '--all', '--csv']);
      expect(csv.stdout.split('\n')).toEqual(['name', ...rows.map(({ name }) => name), '']);
      const first = await home.run(['query', ordered, '--json']);
      expect(first.json()).toHaveLength(20);
      expect(first.stderr).toContain('--all');
    });

    it('takes a LIMIT for what was asked for, with --all as well, and advises nothing', async () => {
      for (const more of [[], ['--all']]) {
        const two = await home.run(['query', `${many} ORDER BY name LIMIT 2`, '--json', ...more]);
        expect([two.json().length, two.stderr]).toEqual([2, '']);
      }
    });

    it('refuses to call a part of the rows all of them', async () => {
      const outcome = await home.run(['query', many, '--all', '--json']);
      expect(outcome.code).toBe(1);
      expect(outcome.json().error.id).toBe('ORDER_BY_MISSING');
    });

    it('keeps every digit, quotes in CSV and tells NULL from nothing', async () => {
      const sql = `SELECT 12345678901234567890.10 AS n, 'a,"b"' AS t, NULL AS nothing, '' AS empty`;
      expect((await home.run(['query', sql, '--json'])).stdout).toContain('12345678901234567890.10');
      expect((await home.run(['query', sql, '--csv'])).stdout).toBe(
        'n,t,nothing,empty\n12345678901234567890.10,"a,""b""",,""\n',
      );
    });

    it('reads the query from stdin, and prints valid documents for no rows', async () => {
      const piped = await home.run(['query', '-', '--json'], { input: 'SELECT 1 AS one' });
      expect(piped.json()).toEqual([{ one: 1 }]);
      const none = ['query', "SELECT name FROM states WHERE name = 'no such'"];
      expect((await home.run([...none, '--json'])).json()).toEqual([]);
      expect(await home.run([...none, '--csv'])).toMatchObject({ code: 0, stdout: '' });
    });

    it('passes on what is wrong with a query', async () => {
      const syntax = await home.run(['query', 'SELEC 1', '--json']);
      expect(syntax.code).toBe(1);
      expect(syntax.json().error).toEqual({ id: 'QUERY_ERR', data: expect.stringContaining('SELEC') });
      const table = await home.run(['query', 'SELECT * FROM pg_authid']);
      expect(table).toMatchObject({ code: 1, stdout: '' });
      expect(table.stderr).toMatch(/^infrastate: TABLE_ACCESS_ERR: .+\n$/);
      expect((await home.run(['query', 'SELECT 1', '--csv', '--json'])).json().error.id).toBe('USAGE');
    });

    it('shows control characters of a value instead of obeying them', async () => {
      const outcome = await home.run(['query', `SELECT E'\\x1b[2Jx' AS t`]);
      expect(outcome.stdout).toBe('t\n\\u001b[2Jx\n');
    });

    it('is content with a reader that has seen enough', async () => {
      const program = join(__dirname, '..', '..', 'cli', 'bin', 'infrastate.js');
      const child = spawn(
        'sh',
        [
          '-c',
          `"$0" "$1" query "$2" --all --csv | head -n 1`,
          process.execPath,
          program,
          `${many} ORDER BY name`,
        ],
        {
          env: { PATH: process.env['PATH'] ?? '', HOME: home.directory, ...home.env },
        },
      );
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (part: Buffer) => (stdout += part.toString()));
      child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
      await once(child, 'close');
      expect({ stdout, stderr }).toEqual({ stdout: 'name\n', stderr: '' });
    });
  });

  describe('states list', () => {
    it('shows all 250 and those of the estate', async () => {
      const { results } = await home.must<{ results: unknown[] }>(['states', 'list']);
      expect(results).toHaveLength(252);
    });
  });

  describe('blast-radius', () => {
    it('lists what depends on an instance across states', async () => {
      const radius = await home.must(['blast-radius', 'alpha network', 'aws_vpc.main']);
      const found = radius.results.map((entry: Record<string, unknown>) => [
        entry['address'],
        entry['direction'],
      ]);
      expect(found).toContainEqual(['aws_vpc.main', 'seed']);
      expect(found).toContainEqual(['aws_subnet.main[0]', 'blast']);
      expect(found).toContainEqual(['aws_instance.web', 'blast']);
      const people = await home.run(['blast-radius', estate.one.network, 'aws_vpc.main']);
      expect(people.stdout).toMatch(
        /^DISTANCE +ADDRESS +STATE\n0 \(seed\) +aws_vpc.main +alpha network\n1 +/,
      );
    });

    it('takes addresses with quotes and brackets as Terraform writes them', async () => {
      const address = 'module.storage["a"].aws_s3_bucket.main["logs"]';
      const radius = await home.must(['blast-radius', 'alpha network', address]);
      expect(radius.results).toEqual([expect.objectContaining({ address, direction: 'seed', distance: 0 })]);
    });

    it('says what does not exist', async () => {
      const outcome = await home.run(['blast-radius', 'alpha network', 'aws_vpc.none', '--json']);
      expect(outcome.code).toBe(66);
      expect(outcome.json().error.id).toBe('INSTANCE_NOT_FOUND');
    });

    it('tells nobody about a state of another tenant', async () => {
      const outcome = await home.run(['blast-radius', estate.other.network, 'aws_vpc.main', '--json']);
      expect(outcome.json().error.id).toBe('STATE_NOT_FOUND');
    });
  });

  describe('tx', () => {
    const create = async (tags: Record<string, unknown> = {}): Promise<string> => {
      const answer = await estate.backend.api('POST', `/tenants/${estate.one.tenantId}/tx/create`, {
        key: estate.one.key,
        body: { state_schema_version: 1, tags },
      });
      return String((answer.json() as { id: string }).id);
    };

    it('lists the newest first, as many as asked for, within a time', async () => {
      const tag = randomUUID();
      const ids: string[] = [];
      for (const n of [1, 2, 3]) ids.unshift(await create({ tag, n }));
      const two = await home.must<{ results: { id: string }[] }>(['tx', 'list', '--limit', '2']);
      expect(two.results.map(({ id }) => id)).toEqual(ids.slice(0, 2));
      const all = await home.must<{ results: { id: string; tags: { tag?: string } }[] }>([
        'tx',
        'list',
        '--all',
      ]);
      expect(all.results.filter(({ tags }) => tags.tag === tag)).toHaveLength(3);
      const past = await home.must(['tx', 'list', '--to', '2001-01-01']);
      expect(past.results).toEqual([]);
      expect((await home.run(['tx', 'list'])).stdout).toMatch(/^CREATED +STATE +PLAN +BY +STATES +ID\n/);
      const bad = await home.run(['tx', 'list', '--from', 'yesterday', '--json']);
      expect(bad).toMatchObject({ code: 1 });
      expect(bad.json().error.id).toBe('INVALID_REQUEST');
      expect((await home.run(['tx', 'list', '--limit', '0', '--json'])).json().error.id).toBe('USAGE');
    });

    it('shows a transaction with its plan', async () => {
      const { rows } = await estate.backend.service.pool.query<{ id: string }>(
        `SELECT id FROM transactions t WHERE tenant_id = $1
         AND EXISTS (SELECT FROM transaction_plan_operations o WHERE o.tx_id = t.id)`,
        [estate.one.tenantId],
      );
      const id = String(rows[0]?.id);
      const shown = await home.must(['tx', 'show', id]);
      expect(shown).toMatchObject({ tx: { id }, state_ids: [estate.one.network] });
      expect(shown.plan_operations).toEqual([{ address: 'a.alpha', operation: 'create' }]);
      const people = await home.run(['tx', 'show', id]);
      expect(people.stdout).toContain(`id         ${id}\n`);
      expect(people.stdout).toContain('  create   a.alpha\n');
    });

    it('lists more entries than a page holds, with every digit', async () => {
      const id = await create();
      const entries = Array.from({ length: 1500 }, (_, n) => ({
        action: 'state_set',
        object_type: 'output',
        state_id: estate.one.network,
        data: { name: `output ${n}`, type: 'number', value: n },
      }));
      const body = JSON.stringify(entries).replace('"value":7}', '"value":12345678901234567890}');
      const answer = await fetch(`${estate.backend.url}/api/v1/tx/${id}/logs/append`, {
        method: 'POST',
        headers: { authorization: `Bearer ${estate.one.key}`, 'content-type': 'application/json' },
        body,
      });
      expect(answer.status).toBe(200);
      const logs = await home.run(['tx', 'logs', id, '--json']);
      expect(logs.json().results.map((entry: { data: { name: string } }) => entry.data.name)).toEqual(
        entries.map(({ data }) => data.name),
      );
      expect(logs.stdout).toContain('12345678901234567890');
      const people = await home.run(['tx', 'logs', id]);
      expect(people.stdout.split('\n')[1499]).toMatch(/state_set +output +output 1499$/);
      expect(people.stderr).toBe('1500 entries\n');
      expect(await home.must(['tx', 'logs', await create()])).toEqual({ results: [] });
    });

    it('aborts a transaction, twice if need be, and not one that has written', async () => {
      const id = await create();
      expect(await home.must(['tx', 'abort', id])).toMatchObject({ id, state: 'aborted' });
      expect((await home.run(['tx', 'abort', id])).stdout).toBe(`transaction ${id} is aborted\n`);

      const state = await estate.backend.aState({ tenant_id: estate.one.tenantId, name: 'written' });
      const client = new BackendClient(state.address, estate.one.key);
      await client.post(bytesOf(new Map([['a', '1']]), 1, 'lineage'));
      client.close();
      const { results } = await home.must(['tx', 'list', '--limit', '1']);
      const outcome = await home.run(['tx', 'abort', results[0].id, '--json']);
      expect(outcome.code).toBe(75);
      expect(outcome.json().error.id).toBe('TX_NOT_ACTIVE');
    });

    it('knows no transaction of another tenant', async () => {
      const { rows } = await estate.backend.service.pool.query<{ id: string }>(
        'SELECT id FROM transactions WHERE tenant_id = $1',
        [estate.other.tenantId],
      );
      for (const command of ['show', 'abort', 'logs']) {
        const outcome = await home.run(['tx', command, String(rows[0]?.id), '--json']);
        expect([outcome.code, outcome.json().error.id]).toEqual([66, 'TX_NOT_FOUND']);
      }
    });
  });

  describe('tasks show', () => {
    it('shows a task, and says when there is none', async () => {
      const answer = await estate.backend.api('POST', '/tasks', { key: estate.one.key });
      const { id } = answer.json() as { id: string };
      expect(await home.must(['tasks', 'show', id])).toEqual({ id, state: 'pending', results: 0 });
      expect((await home.run(['tasks', 'show', id])).stdout).toBe(
        `task ${id} is pending\n0 result fragments\n`,
      );
      const unknown = await home.run(['tasks', 'show', randomUUID(), '--json']);
      expect([unknown.code, unknown.json().error.id]).toEqual([66, 'TASK_NOT_FOUND']);
    });
  });

  describe('version', () => {
    it('is that of the client, and of the service when signed in', async () => {
      expect(await home.must(['version'])).toMatchObject({
        client: '0.1.0',
        server: { version: expect.any(String), state_schema_version: expect.any(Number) },
      });
      const alone = await home.run(['version'], { env: { INFRASTATE_API_KEY: '' } });
      expect(alone).toMatchObject({ code: 0, stdout: 'infrastate 0.1.0\n' });
    });
  });

  describe('usage', () => {
    it.each([
      [[], 'a command is missing'],
      [['states'], 'a command is missing'],
      [['nonsense'], "unknown command 'nonsense'"],
      [['states', 'export'], "missing required argument 'state'"],
      [['states', 'list', 'more'], 'too many arguments'],
      [['whoami', '--nonsense'], "unknown option '--nonsense'"],
      [['states', 'list', '--tag', 'x'], 'a tag must look like key=value'],
    ])('exits 64 with one line that helps: %j', async (args, message) => {
      const outcome = await home.run(args);
      expect(outcome).toMatchObject({ code: 64, stdout: '' });
      expect(outcome.stderr).toContain(message);
      expect(outcome.stderr).toMatch(/^infrastate: USAGE: [^\n]+--help[^\n]+\n$/);
      expect((await home.run([...args, '--json'])).json().error.id).toBe('USAGE');
    });

    it('helps on stdout when it is asked', async () => {
      const outcome = await home.run(['--help']);
      expect(outcome).toMatchObject({ code: 0, stderr: '' });
      for (const command of [
        'login',
        'logout',
        'whoami',
        'states',
        'tx',
        'query',
        'blast-radius',
        'backend-config',
        'tasks',
        'version',
      ])
        expect(outcome.stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
    });

    it('is documented as it is: no command of docs/cli.md is unknown, none is missing there', async () => {
      const text = readFileSync(join(__dirname, '..', '..', 'docs', 'cli.md'), 'utf8');
      const documented = new Set([...text.matchAll(/^infrastate ([a-z-]+)/gm)].map(([, name]) => name));
      const help = (await home.run(['--help'])).stdout;
      const known = [...help.slice(help.indexOf('Commands:')).matchAll(/^ {2}([a-z-]+)/gm)].map(
        ([, name]) => name,
      );
      const inText = known.filter(
        (name) => name !== 'help' && (documented.has(name) || text.includes(`\`${name}\``)),
      );
      expect([...documented].filter((name) => !known.includes(name))).toEqual([]);
      expect(inText).toEqual(known.filter((name) => name !== 'help'));
    });

    it('needs the tenant where a credential reaches several', async () => {
      const env = { INFRASTATE_API_KEY: estate.backend.key };
      const several = await home.run(['states', 'list', '--json'], { env });
      expect(several.json().error.id).toBe('TENANT_NEEDED');
      const named = await home.run(['states', 'list', '--json', '--tenant', 'Infrastructure'], { env });
      expect(named.json().results).toEqual([]);
      const flag = await home.run(['states', 'list', '--json', '--tenant', estate.other.tenantId], {
        env: { ...env, INFRASTATE_TENANT_ID: 'Infrastructure' },
      });
      expect(flag.json().results).toHaveLength(2);
    });
  });
});
