import { ADVISORY_LOCK_CLASSES } from '../../src/platform/database/advisory-locks.js';
import { aBackend, type TestBackend } from '../support/backend.js';
import { type EstateResource, EstateWriter, eventually, remoteState } from '../support/estate.js';
import { type RunningService, startService } from '../support/service.js';

interface Finding {
  check_id: string;
  resource_fq_address: string;
  severity_effective: string;
  status: string;
  [more: string]: unknown;
}
interface FindingList {
  findings: Finding[];
  total_count: number;
  limit: number;
  scan?: Record<string, unknown>;
  next_page?: string;
}

const OPEN_BLOCK: EstateResource = {
  type: 'aws_s3_bucket_public_access_block',
  name: 'logs',
  attributes: { id: 'logs', bucket: 'logs', block_public_acls: false },
};

describe('Security scans', () => {
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

  const get = async <T>(path: string): Promise<T> => {
    const answer = await backend.api('GET', path);
    expect({
      path,
      status: answer.status,
      body: answer.status === 200 ? '' : answer.bytes.toString(),
    }).toEqual({
      path,
      status: 200,
      body: '',
    });
    return answer.json() as T;
  };
  const findingsOf = (stateId: string, query = '?limit=1000'): Promise<FindingList> =>
    get<FindingList>(`/states/${stateId}/security/findings${query}`);

  /** The list once the scan covers the state's version. */
  async function scanned(stateId: string, version: number): Promise<FindingList> {
    return eventually(`scan of version ${version}`, async () => {
      const list = await findingsOf(stateId);
      return list.scan !== undefined && Number(list.scan['version']) >= version ? list : undefined;
    });
  }
  const ids = (list: FindingList): string[] =>
    list.findings.map((f) => `${f.check_id} ${f.resource_fq_address}`).sort();

  it('answers empty lists for a state that was never scanned', async () => {
    const state = await backend.aState();
    expect(await findingsOf(state.id, '')).toEqual({ findings: [], limit: 100, total_count: 0 });
    expect(await get(`/states/${state.id}/security/findings/summary`)).toEqual({
      total: 0,
      severity_breakdown: { critical: 0, high: 0, medium: 0, low: 0, info: 0, unknown: 0 },
      internet_reachable_count: 0,
      top_checks: [],
      suppressed_count: 0,
    });
    expect(await get(`/states/${state.id}/security/scans`)).toEqual({ scans: [], limit: 50, total_count: 0 });
  });

  it('finds what a write brings and resolves what the next one repairs', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    const { id } = writer.state;
    await writer.write([OPEN_BLOCK]);
    const first = await scanned(id, 1);
    expect(ids(first)).toContain('AWS-S3-001 aws_s3_bucket_public_access_block.logs');
    expect(first.scan).toMatchObject({
      kind: 'current',
      status: 'completed',
      triggered_by: 'backend_write',
      serial: 1,
    });

    await writer.write([
      { ...OPEN_BLOCK, attributes: { ...OPEN_BLOCK.attributes, block_public_acls: true } },
    ]);
    const second = await scanned(id, 2);
    expect(ids(second)).not.toContain('AWS-S3-001 aws_s3_bucket_public_access_block.logs');
    const resolved = await findingsOf(id, '?status=resolved&check_id=CKV_AWS_53');
    expect(ids(resolved)).toEqual(['AWS-S3-001 aws_s3_bucket_public_access_block.logs']);
  });

  it('finds what another state repairs', async () => {
    const buckets = new EstateWriter(backend, await backend.aState());
    const settings = new EstateWriter(backend, await backend.aState());
    await buckets.write([
      { type: 'aws_s3_bucket', name: 'data', attributes: { id: 'data-1', bucket: 'data-1' } },
    ]);
    expect(ids(await scanned(buckets.state.id, 1))).toContain('AWS-S3-007 aws_s3_bucket.data');
    const versioning = (status: string): EstateResource => ({
      type: 'aws_s3_bucket_versioning',
      name: 'data',
      attributes: { bucket: 'data-1', versioning_configuration: [{ status }] },
    });
    await settings.write([versioning('Enabled')]);
    await scanned(settings.state.id, 1);
    expect(ids(await findingsOf(buckets.state.id))).not.toContain('AWS-S3-007 aws_s3_bucket.data');
    await settings.write([versioning('Suspended')]);
    await scanned(settings.state.id, 2);
    expect(ids(await findingsOf(buckets.state.id))).toContain('AWS-S3-007 aws_s3_bucket.data');
  });

  const scansOf = async (stateId: string) =>
    (await get<{ scans: Record<string, unknown>[] }>(`/states/${stateId}/security/scans`)).scans;

  it('looks again, after a state was deleted, only at what looked something up in it or was reached through it', async () => {
    const tenantId = await backend.aTenant();
    const aWriter = async () => new EstateWriter(backend, await backend.aState({ tenant_id: tenantId }));
    const [buckets, hosts, aside, read, lost] = await Promise.all([1, 2, 3, 4, 5].map(aWriter));
    if (!buckets || !hosts || !aside || !read || !lost) throw new Error('five states');
    const bucket = (id: string): EstateResource => ({
      type: 'aws_s3_bucket',
      name: id,
      attributes: { id, bucket: id },
    });
    await buckets.write([bucket('data-1'), bucket('data-2')]);
    await hosts.write([
      {
        type: 'aws_instance',
        name: 'web',
        attributes: { id: 'i-1', public_ip: '203.0.113.7', vpc_security_group_ids: ['sg-1'] },
      },
    ]);
    await aside.write([OPEN_BLOCK, bucket('aside')]);
    await read.write([bucket('shared-0123456789')], { a: 'shared-0123456789' });
    await lost.write([
      {
        type: 'aws_s3_bucket_versioning',
        name: 'data',
        attributes: { bucket: 'data-1', versioning_configuration: [{ status: 'Enabled' }] },
      },
      {
        type: 'aws_security_group',
        name: 'web',
        attributes: {
          id: 'sg-1',
          ingress: [{ protocol: 'tcp', from_port: 22, to_port: 22, cidr_blocks: ['0.0.0.0/0'] }],
        },
      },
      remoteState('a', read.state.address, { a: 'shared-0123456789' }),
      {
        type: 'aws_instance',
        name: 'reading',
        attributes: { id: 'i-2' },
        dependencies: ['data.terraform_remote_state.a'],
      },
    ]);
    for (const { state } of [buckets, hosts, aside, read, lost]) await scanned(state.id, 1);
    const versioning = 'AWS-S3-007 aws_s3_bucket.data';
    expect(ids(await findingsOf(buckets.state.id)).join()).not.toContain(`${versioning}-1`);
    const reachable = async (): Promise<unknown[]> =>
      (await findingsOf(hosts.state.id)).findings.filter((f) => f['is_internet_reachable'] === true);
    const dependents = async (): Promise<unknown> =>
      (await findingsOf(read.state.id)).findings[0]?.['cross_state_refs'];
    // The host and the data source it reads through.
    expect([(await reachable()).length > 0, await dependents()]).toEqual([true, 2]);
    const before = await scansOf(aside.state.id);

    expect((await backend.api('DELETE', `/states/${lost.state.id}`)).status).toBeLessThan(300);
    await eventually('scan after the deletion', async () => {
      const { rows } = await backend.service.pool.query(
        'SELECT 1 FROM security_losses WHERE tenant_id = $1',
        [tenantId],
      );
      return rows.length === 0 ? true : undefined;
    });
    expect(ids(await findingsOf(buckets.state.id)).join()).toContain(`${versioning}-1`);
    expect(await reachable()).toEqual([]);
    expect(await dependents()).toBe(0);
    // One of two buckets was evaluated; what the others did not have to do with the deletion was left alone.
    expect((await scansOf(buckets.state.id))[0]).toMatchObject({
      triggered_by: 'scheduled',
      status: 'completed',
      version: 1,
      instance_count: 1,
    });
    for (const { state } of [hosts, read])
      expect((await scansOf(state.id))[0]).toMatchObject({ triggered_by: 'scheduled', instance_count: 0 });
    expect(await scansOf(aside.state.id)).toEqual(before);
    const { rows: tasks } = await backend.service.pool.query(
      `SELECT 1 FROM tasks WHERE tenant_id = $1 AND kind = 'security-catch-up'`,
      [tenantId],
    );
    expect(tasks).toEqual([]);
  }, 120_000);

  it('finds nothing in any state while a masked value may be what is looked up', async () => {
    const tenantId = await backend.aTenant();
    const buckets = new EstateWriter(backend, await backend.aState({ tenant_id: tenantId }));
    const masked = new EstateWriter(backend, await backend.aState({ tenant_id: tenantId }));
    await buckets.write([
      { type: 'aws_s3_bucket', name: 'data', attributes: { id: 'data-1', bucket: 'data-1' } },
    ]);
    const versioning = 'AWS-S3-007 aws_s3_bucket.data';
    expect(ids(await scanned(buckets.state.id, 1))).toContain(versioning);
    await masked.write([
      {
        type: 'aws_s3_bucket_versioning',
        name: 'some',
        attributes: { bucket: 'data-1', versioning_configuration: [{ status: 'Suspended' }] },
        sensitive: ['bucket'],
      },
    ]);
    await scanned(masked.state.id, 1);
    expect(ids(await findingsOf(buckets.state.id))).not.toContain(versioning);
    expect((await backend.api('DELETE', `/states/${masked.state.id}`)).status).toBeLessThan(300);
    await eventually('finding again', async () =>
      ids(await findingsOf(buckets.state.id)).includes(versioning) ? true : undefined,
    );
  }, 120_000);

  it('catches up with what was written while scanning was off, in a task', async () => {
    await worker.stop();
    const off = await startService({
      role: 'worker',
      database: backend.service.database,
      env: { SERVICE_SECURITY: 'no' },
    });
    const writer = new EstateWriter(backend, await backend.aState());
    try {
      await writer.write([OPEN_BLOCK]);
      const asked = (await backend.api('POST', `/states/${writer.state.id}/security/scan`)).json() as {
        id: string;
      };
      const refused = await eventually('refused task', async () => {
        const task = await get<{ state: string; error?: string }>(`/tasks/${asked.id}`);
        return task.state === 'failed' ? task : undefined;
      });
      expect(refused.error).toBe('SECURITY_DISABLED');
      expect((await findingsOf(writer.state.id)).scan).toBeUndefined();
    } finally {
      await off.stop();
      await worker.restart();
    }
    const list = await scanned(writer.state.id, 1);
    expect(ids(list)).toContain('AWS-S3-001 aws_s3_bucket_public_access_block.logs');
    const { rows } = await backend.service.pool.query<{ id: string }>(
      `SELECT id FROM tasks WHERE kind = 'security-catch-up' AND tenant_id = $1 ORDER BY created_at DESC LIMIT 1`,
      [backend.tenantId],
    );
    await eventually('catch-up task', async () =>
      (await get<{ state: string }>(`/tasks/${rows[0]?.id}`)).state === 'completed' ? true : undefined,
    );
  }, 240_000);

  it('scans the whole state on request, once for several requests', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write([OPEN_BLOCK]);
    await scanned(writer.state.id, 1);
    const answer = await backend.api('POST', `/states/${writer.state.id}/security/scan`);
    expect(answer.status).toBe(202);
    const task = answer.json() as { id: string };
    await eventually('task', async () =>
      (await get<{ state: string }>(`/tasks/${task.id}`)).state === 'completed' ? true : undefined,
    );
    const { scans } = await get<{ scans: { triggered_by: string }[] }>(
      `/states/${writer.state.id}/security/scans`,
    );
    expect(scans.map((scan) => scan.triggered_by)).toEqual(['manual', 'backend_write']);
  });

  it('answers simultaneous requests for a scan with one task', async () => {
    const tenantId = await backend.aTenant();
    const writer = new EstateWriter(backend, await backend.aState({ tenant_id: tenantId }));
    await writer.write([OPEN_BLOCK]);
    await scanned(writer.state.id, 1);
    const request = () => backend.api('POST', `/states/${writer.state.id}/security/scan`);
    // No scan of the tenant ends before both requests are answered.
    const holder = await backend.service.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
        ADVISORY_LOCK_CLASSES.securityOfTenant,
        tenantId,
      ]);
      const answers = await Promise.all([request(), request()]);
      expect(answers.map((answer) => answer.status)).toEqual([202, 202]);
      const tasks = answers.map((answer) => (answer.json() as { id: string }).id);
      expect(tasks[0]).toBe(tasks[1]);
      await holder.query('COMMIT');
      await eventually('task', async () =>
        (await get<{ state: string }>(`/tasks/${tasks[0]}`)).state === 'completed' ? true : undefined,
      );
    } finally {
      await holder.query('ROLLBACK').catch(() => undefined);
      holder.release();
    }
    expect((await scansOf(writer.state.id)).map((scan) => scan['triggered_by'])).toEqual([
      'manual',
      'backend_write',
    ]);
  });

  it('counts dependents as the blast radius of the resource does', async () => {
    const tenantId = await backend.aTenant();
    const aWriter = async () => new EstateWriter(backend, await backend.aState({ tenant_id: tenantId }));
    const [own, reading] = [await aWriter(), await aWriter()];
    const shared = 'shared-9876543210';
    const server = (name: string, more: Partial<EstateResource>): EstateResource => ({
      type: 'aws_instance',
      name,
      attributes: { id: `i-${name}` },
      ...more,
    });
    await own.write(
      [
        { type: 'aws_s3_bucket', name: 'data', attributes: { id: shared, bucket: shared } },
        server('root', { dependencies: ['aws_s3_bucket.data'] }),
        server('app', { module: 'module.app', dependencies: ['aws_s3_bucket.data'] }),
        server('next', { dependencies: ['module.app.aws_instance.app'] }),
        server('aside', {}),
      ],
      { bucket: shared },
    );
    await reading.write([
      remoteState('shared', own.state.address, { bucket: shared }),
      server('reader', { dependencies: ['data.terraform_remote_state.shared'] }),
    ]);
    await scanned(own.state.id, 1);
    await scanned(reading.state.id, 1);
    const { results, hidden_instances: hidden } = await get<{
      results: { address: string; state_id: string; direction: string }[];
      hidden_instances: number;
    }>(`/states/${own.state.id}/instances/aws_s3_bucket.data/blast-radius`);
    const dependents = results.filter(({ direction }) => direction !== 'seed');
    const moduleOf = (address: string): string => /^(?:module\.[^.]+\.)*/.exec(address)?.[0] ?? '';
    const modules = new Set(
      dependents.map(({ address, state_id: state }) => `${state} ${moduleOf(address)}`),
    );
    const others = dependents.filter(({ state_id: state }) => state !== own.state.id);
    expect([hidden, dependents.length, modules.size, others.length]).toEqual([0, 5, 3, 2]);
    const { findings } = await findingsOf(own.state.id);
    const ofBucket = findings.filter((f) => f.resource_fq_address === 'aws_s3_bucket.data');
    expect(ofBucket.length).toBeGreaterThan(0);
    for (const finding of ofBucket)
      expect(finding).toMatchObject({
        blast_radius_resource_count: dependents.length,
        blast_radius_modules: modules.size,
        cross_state_refs: others.length,
      });
  });
});
