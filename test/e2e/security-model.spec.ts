import * as fc from 'fast-check';
import { aBackend, type TestBackend } from '../support/backend.js';
import { type EstateResource, EstateWriter, eventually } from '../support/estate.js';
import { type RunningService, startService } from '../support/service.js';

const BUCKETS = ['a', 'b', 'c'] as const;

/** Pieces of an estate that change each other's findings, within a state and across states. */
const pieces: Record<string, EstateResource> = {
  ...Object.fromEntries(
    BUCKETS.flatMap((id) => [
      [`bucket ${id}`, { type: 'aws_s3_bucket', name: id, attributes: { id, bucket: id } }],
      [
        `public ${id}`,
        { type: 'aws_s3_bucket_acl', name: id, attributes: { bucket: id, acl: 'public-read' } },
      ],
      [
        `versions ${id}`,
        {
          type: 'aws_s3_bucket_versioning',
          name: id,
          attributes: { bucket: id, versioning_configuration: [{ status: 'Enabled' }] },
        },
      ],
      [
        `block ${id}`,
        {
          type: 'aws_s3_bucket_public_access_block',
          name: id,
          attributes: { bucket: id, ignore_public_acls: true, block_public_acls: true },
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
  'host hidden': {
    type: 'aws_instance',
    name: 'hidden',
    attributes: { id: 'i-2', public_ip: '', vpc_security_group_ids: ['sg-1'] },
  },
};
const names = Object.keys(pieces);

describe('Incremental scans', () => {
  let backend: TestBackend;
  let worker: RunningService;
  beforeAll(async () => {
    backend = await aBackend();
    worker = await startService({ role: 'worker', database: backend.service.database });
  }, 60_000);
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

  async function isCurrent(tenantId: string): Promise<boolean> {
    const { rows } = await backend.service.pool.query(
      `SELECT 1 FROM states s LEFT JOIN security_states p ON p.state_id = s.id
       WHERE s.tenant_id = $1 AND s.version > coalesce(p.scanned_version, 0)
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
        return writers[step.at]?.write(step.chosen.flatMap((name) => pieces[name] ?? []));
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
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
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
        }
        const incremental = await findings(tenantId);
        await rescan(writers.map(({ state }) => state.id));
        expect(await findings(tenantId)).toEqual(incremental);
        const { rows } = await backend.service.pool.query<{ counted: number; open: number }>(
          `SELECT (SELECT coalesce(sum(count), 0)::int FROM security_counts WHERE tenant_id = $1) AS counted,
             (SELECT coalesce(sum(delta), 0)::int FROM security_days WHERE tenant_id = $1) AS open`,
          [tenantId],
        );
        expect(rows).toEqual([{ counted: incremental.length, open: incremental.length }]);
      }),
      { numRuns: 12 },
    );
  }, 240_000);

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
              names.filter((_, n) => (n + round + at) % 3 !== 0).flatMap((name) => pieces[name] ?? []),
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
  }, 120_000);

  it('survive a killed worker without losing or repeating a finding', async () => {
    const tenantId = await backend.aTenant();
    const writer = new EstateWriter(backend, await backend.aState({ tenant_id: tenantId }));
    for (let round = 0; round < 3; round++) {
      await writer.write(names.slice(round).flatMap((name) => pieces[name] ?? []));
      await worker.kill9();
      await worker.restart();
    }
    await eventually('scan', async () => ((await isCurrent(tenantId)) ? true : undefined));
    const incremental = await findings(tenantId);
    await rescan([writer.state.id]);
    expect(await findings(tenantId)).toEqual(incremental);
  }, 120_000);
});
