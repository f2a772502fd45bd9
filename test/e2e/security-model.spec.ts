import { rounds } from '../support/endurance.js';
import * as fc from 'fast-check';
import { aBackend, type TestBackend } from '../support/backend.js';
import { type EstateResource, EstateWriter, eventually, remoteState } from '../support/estate.js';
import { type RunningService, startService } from '../support/service.js';

const BUCKETS = ['a', 'b', 'c'] as const;

/** Long enough to be told apart from other values, so that a link starts at the bucket. */
const idOf = (bucket: string): string => `${bucket}-0123456789`;

/** Pieces of an estate that change each other's findings, within a state and across states. */
const pieces: Record<string, EstateResource> = {
  ...Object.fromEntries(
    BUCKETS.flatMap((id) => [
      [`bucket ${id}`, { type: 'aws_s3_bucket', name: id, attributes: { id: idOf(id), bucket: idOf(id) } }],
      [
        `public ${id}`,
        { type: 'aws_s3_bucket_acl', name: id, attributes: { bucket: idOf(id), acl: 'public-read' } },
      ],
      [
        `versions ${id}`,
        {
          type: 'aws_s3_bucket_versioning',
          name: id,
          attributes: { bucket: idOf(id), versioning_configuration: [{ status: 'Enabled' }] },
        },
      ],
      [
        `block ${id}`,
        {
          type: 'aws_s3_bucket_public_access_block',
          name: id,
          attributes: { bucket: idOf(id), ignore_public_acls: true, block_public_acls: true },
          dependencies: [`aws_s3_bucket.${id}`],
        },
      ],
    ]),
  ),
  'group open': {
    type: 'aws_security_group',
    name: 'web',
    attributes: {
      id: 'sg-1',
      ingress: [{ protocol: 'tcp', from_port: 22, to_port: 22, cidr_blocks: ['0.0.0.0/0'] }],
    },
  },
  host: {
    type: 'aws_instance',
    name: 'web',
    attributes: { id: 'i-1', public_ip: '203.0.113.7', vpc_security_group_ids: ['sg-1'] },
    dependencies: ['aws_security_group.web'],
  },
  // Depends on what the state reads of the other one, where it does.
  'reading host': {
    type: 'aws_instance',
    name: 'reading',
    attributes: { id: 'i-3' },
    dependencies: ['data.terraform_remote_state.a', 'data.terraform_remote_state.whole'],
  },
  'host hidden': {
    type: 'aws_instance',
    name: 'hidden',
    attributes: { id: 'i-2', public_ip: '', vpc_security_group_ids: ['sg-1'] },
  },
};
/** Reads the other state: an output with the id of a bucket, and one whose value says nothing. */
const LINKS: Record<string, (address: string) => EstateResource> = {
  'link to bucket a': (address) => remoteState('a', address, { a: idOf('a') }),
  'link to the whole': (address) => remoteState('whole', address, { note: 'x' }),
};
const OUTPUTS = { a: idOf('a'), note: 'x' };
const names = [...Object.keys(pieces), ...Object.keys(LINKS)];

function estateOf(chosen: readonly string[], other: string): EstateResource[] {
  return chosen.flatMap((name) => pieces[name] ?? LINKS[name]?.(other) ?? []);
}

describe('Incremental scans', () => {
  let backend: TestBackend;
  let worker: RunningService;
  beforeAll(async () => {
    backend = await aBackend();
    worker = await startService({ role: 'worker', database: backend.service.database });
  }, 180_000);
  afterAll(async () => {
    await worker.stop();
    await backend.stop();
  });

  interface Row {
    line: string;
    scan_id: string;
  }

  async function findings(tenantId: string): Promise<Row[]> {
    const { rows } = await backend.service.pool.query<Row>(
      `SELECT state_id || ' ' || check_id || ' ' || address || ' ' || severity || ' ' || coalesce(severity_reason, '') || ' ' ||
         coalesce(reachable::text, '?') || ' ' || coalesce(evidence, '') || ' ' || blast_resources || ' ' || blast_modules || ' ' || waived_until AS line, scan_id
       FROM security_findings WHERE tenant_id = $1 AND resolved_at IS NULL ORDER BY 1`,
      [tenantId],
    );
    return rows;
  }

  async function reach(tenantId: string): Promise<unknown[]> {
    const { rows } = await backend.service.pool.query<{ row: string }>(
      'SELECT r::text AS row FROM security_reach r WHERE tenant_id = $1 ORDER BY 1',
      [tenantId],
    );
    return rows;
  }

  /** No state is due. One that holds nothing never is, whatever it was marked with. */
  async function isCurrent(tenantId: string): Promise<boolean> {
    const { rows } = await backend.service.pool.query(
      `SELECT 1 FROM states s LEFT JOIN security_states p ON p.state_id = s.id
       WHERE s.tenant_id = $1 AND s.version > 0
         AND (s.version > coalesce(p.scanned_version, 0) OR p.scanner_version = '')
       UNION ALL SELECT 1 FROM security_losses WHERE tenant_id = $1
       UNION ALL SELECT 1 FROM tasks t WHERE t.tenant_id = $1 AND t.state IN ('pending', 'running')`,
      [tenantId],
    );
    return rows.length === 0;
  }

  async function rescan(stateIds: readonly string[]): Promise<void> {
    for (const id of stateIds) {
      const { id: task } = (await backend.api('POST', `/states/${id}/security/scan`)).json() as {
        id: string;
      };
      await eventually('whole scan', async () => {
        const { state } = (await backend.api('GET', `/tasks/${task}`)).json() as { state: string };
        return state === 'completed' ? true : undefined;
      });
    }
  }

  type Step =
    | { kind: 'write'; at: number; chosen: readonly string[] }
    | { kind: 'restore' | 'delete'; at: number }
    | { kind: 'waive'; check: string; address: string }
    | { kind: 'unwaive' | 'custom' | 'uncustom' };
  interface Estate {
    tenantId: string;
    writers: EstateWriter[];
    waivers: string[];
  }

  const ok = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const answer = await backend.api(method, path, body === undefined ? {} : { body });
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.bytes.toString()}`);
    return answer.bytes.length === 0 ? {} : (answer.json() as Record<string, unknown>);
  };

  async function take(step: Step, estate: Estate): Promise<void> {
    const { tenantId, writers, waivers } = estate;
    const security = `/tenants/${tenantId}/security`;
    switch (step.kind) {
      case 'write':
        return writers[step.at]?.write(
          estateOf(step.chosen, writers[1 - step.at]?.state.address ?? ''),
          OUTPUTS,
        );
      case 'restore': {
        const writer = writers[step.at];
        if (writer && writer.newest > 1) await writer.restore(1);
        return;
      }
      case 'delete': {
        const old = writers[step.at];
        if (old) await ok('DELETE', `/states/${old.state.id}`);
        writers[step.at] = new EstateWriter(backend, await backend.aState({ tenant_id: tenantId }));
        return;
      }
      case 'waive': {
        const body = { check_id: step.check, address: step.address, reason: 'accepted' };
        waivers.push(String((await ok('POST', `${security}/waivers`, body))['id']));
        return;
      }
      case 'unwaive': {
        const id = waivers.pop();
        if (id !== undefined) await ok('DELETE', `${security}/waivers/${id}`);
        return;
      }
      case 'custom':
        await ok('PUT', `${security}/checks/CUSTOM-PUBLIC`, {
          title: 'Lists must be private',
          severity: 'low',
          resource_types: ['aws_s3_bucket_acl'],
          fail: { a: 'acl', op: 'ne', v: 'private' },
        });
        return;
      case 'uncustom':
        await backend.api('DELETE', `${security}/checks/CUSTOM-PUBLIC`);
    }
  }

  /** Nothing differs, and no row was written. Counters agree with the rows that they count. */
  async function expectWholeScanToAgree({ tenantId, writers }: Estate): Promise<void> {
    const incremental = [await findings(tenantId), await reach(tenantId)];
    await rescan(writers.map(({ state }) => state.id));
    expect([await findings(tenantId), await reach(tenantId)]).toEqual(incremental);
    const { rows } = await backend.service.pool.query(
      `WITH open AS (SELECT check_id, severity, coalesce(reachable, false) AS reachable, waived_until, count(*)::int AS count
           FROM security_findings WHERE tenant_id = $1 AND resolved_at IS NULL GROUP BY 1, 2, 3, 4),
         counted AS (SELECT check_id, severity, reachable, waived_until, sum(count)::int AS count
           FROM security_counts WHERE tenant_id = $1 GROUP BY 1, 2, 3, 4),
         days AS (SELECT severity, blast, waived_until, sum(delta)::int AS count FROM security_days WHERE tenant_id = $1
           GROUP BY 1, 2, 3 HAVING sum(delta) <> 0),
         now AS (SELECT severity, blast_resources, waived_until, count(*)::int AS count FROM security_findings
           WHERE tenant_id = $1 AND resolved_at IS NULL GROUP BY 1, 2, 3)
       SELECT to_jsonb(d)::text AS differs FROM ((TABLE open EXCEPT TABLE counted) UNION ALL (TABLE counted EXCEPT TABLE open)) d
       UNION ALL SELECT to_jsonb(d)::text FROM ((TABLE days EXCEPT TABLE now) UNION ALL (TABLE now EXCEPT TABLE days)) d`,
      [tenantId],
    );
    expect(rows).toEqual([]);
  }

  it('leave what a whole scan would find, and write only what differs', async () => {
    const at = fc.nat(1);
    const write = fc.record({
      kind: fc.constant('write' as const),
      at,
      chosen: fc.subarray(names, { maxLength: 7 }),
    });
    const step: fc.Arbitrary<Step> = fc.oneof(
      { weight: 6, arbitrary: write },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constantFrom('restore' as const, 'delete' as const), at }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('waive' as const),
          check: fc.constantFrom('*', 'AWS-S3-007', 'CUSTOM-PUBLIC'),
          address: fc.constantFrom('aws_s3_bucket.*', '*', 'aws_instance.web'),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom('unwaive' as const, 'custom' as const, 'uncustom' as const),
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 7 }), async (steps) => {
        const tenantId = await backend.aTenant();
        const writers = [
          new EstateWriter(backend, await backend.aState({ tenant_id: tenantId })),
          new EstateWriter(backend, await backend.aState({ tenant_id: tenantId })),
        ];
        // A custom check must exist before it can be waived.
        const estate: Estate = { tenantId, writers, waivers: [] };
        await take({ kind: 'custom' }, estate);
        for (const each of steps) {
          await take(each, estate).catch((error: unknown) => {
            // A waiver of a check that was deleted before.
            if (each.kind !== 'waive' || !String(error).includes('400')) throw error;
          });
          await eventually('scan', async () => ((await isCurrent(tenantId)) ? true : undefined));
          await expectWholeScanToAgree(estate);
        }
        // What a process remembers of the estate is gone with it.
        await worker.kill9();
        await worker.restart();
        await expectWholeScanToAgree(estate);
      }),
      { numRuns: rounds(1, 12), endOnFailure: true },
    );
  }, 480_000);

  it('agree when two workers scan, one is killed and writes overtake scans', async () => {
    const tenantId = await backend.aTenant();
    const other = await startService({ role: 'worker', database: backend.service.database });
    try {
      const writers = await Promise.all(
        [0, 1, 2].map(async () => new EstateWriter(backend, await backend.aState({ tenant_id: tenantId }))),
      );
      const writing = Promise.all(
        writers.map(async (writer, at) => {
          for (let round = 0; round < 8; round++)
            await writer.write(
              estateOf(
                names.filter((_, n) => (n + round + at) % 3 !== 0),
                writers[(at + 1) % writers.length]?.state.address ?? '',
              ),
              OUTPUTS,
            );
        }),
      );
      await eventually('a scan while writes go on', async () =>
        (await findings(tenantId)).length > 0 ? true : undefined,
      );
      await other.kill9();
      await writing;
      await eventually('scan', async () => ((await isCurrent(tenantId)) ? true : undefined));
      const incremental = await findings(tenantId);
      expect(new Set(incremental.map(({ line }) => line)).size).toBe(incremental.length);
      const { rows } = await backend.service.pool.query<{ stale: number; unfinished: number }>(
        `SELECT (SELECT count(*)::int FROM (SELECT version < lag(version) OVER (PARTITION BY state_id ORDER BY scanned_at)
                   AS is_older FROM security_scans WHERE tenant_id = $1 AND kind = 'current') s WHERE is_older) AS stale,
           (SELECT count(*)::int FROM security_scans WHERE tenant_id = $1 AND status = 'running') AS unfinished`,
        [tenantId],
      );
      expect(rows).toEqual([{ stale: 0, unfinished: 0 }]);
      await rescan(writers.map(({ state }) => state.id));
      expect(await findings(tenantId)).toEqual(incremental);
    } finally {
      await other.kill9();
    }
  }, 240_000);

  it('survive a killed worker without losing or repeating a finding', async () => {
    const tenantId = await backend.aTenant();
    const writer = new EstateWriter(backend, await backend.aState({ tenant_id: tenantId }));
    for (let round = 0; round < 3; round++) {
      await writer.write(estateOf(names.slice(round), ''));
      await worker.kill9();
      await worker.restart();
    }
    await eventually('scan', async () => ((await isCurrent(tenantId)) ? true : undefined));
    await expectWholeScanToAgree({ tenantId, writers: [writer], waivers: [] });
  }, 240_000);

  it('are made up for when the API dies right after a write, and go on when a worker dies in a whole scan', async () => {
    const tenantId = await backend.aTenant();
    const api = await startService({ database: backend.service.database });
    const state = await backend.aState({ tenant_id: tenantId });
    const address = state.address.replace(backend.url, api.url);
    const writer = new EstateWriter(backend, { ...state, address });
    try {
      await writer.write(estateOf(names, ''));
    } finally {
      await api.kill9();
    }
    await eventually('scan', async () => ((await isCurrent(tenantId)) ? true : undefined));
    expect(await findings(tenantId)).not.toEqual([]);
    const { id } = (await backend.api('POST', `/states/${state.id}/security/scan`)).json() as { id: string };
    await worker.kill9();
    await worker.restart();
    await eventually('task', async () => {
      const { state: at } = (await backend.api('GET', `/tasks/${id}`)).json() as { state: string };
      return at === 'completed' ? true : undefined;
    });
    await expectWholeScanToAgree({ tenantId, writers: [writer], waivers: [] });
  }, 180_000);
});
