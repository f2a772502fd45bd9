import { aBackend, type TestBackend } from '../support/backend.js';
import { type EstateResource, EstateWriter, eventually } from '../support/estate.js';
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
});
