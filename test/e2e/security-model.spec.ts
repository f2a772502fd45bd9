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
         coalesce(reachable::text, '?') || ' ' || coalesce(evidence, '') || ' ' || blast_resources || ' ' || blast_modules AS line, scan_id
       FROM security_findings WHERE tenant_id = $1 AND resolved_at IS NULL ORDER BY 1`,
      [tenantId],
    );
    return rows;
  }

  async function isCurrent(tenantId: string): Promise<boolean> {
    const { rows } = await backend.service.pool.query(
      `SELECT 1 FROM states s LEFT JOIN security_states p ON p.state_id = s.id
       WHERE s.tenant_id = $1 AND s.version > coalesce(p.scanned_version, 0)`,
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

  it('leave what a whole scan would find, and write only what differs', async () => {
    const step = fc.tuple(fc.nat(1), fc.subarray(names, { maxLength: 7 }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
        const tenantId = await backend.aTenant();
        const writers = [
          new EstateWriter(backend, await backend.aState({ tenant_id: tenantId })),
          new EstateWriter(backend, await backend.aState({ tenant_id: tenantId })),
        ];
        for (const [at, chosen] of steps) {
          await writers[at]?.write(chosen.flatMap((name) => pieces[name] ?? []));
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
