import { aBackend, type TestBackend } from '../support/backend.js';
import { type RunningService, startService } from '../support/service.js';
import { type EstateResource, EstateWriter, eventually } from '../support/estate.js';

function anInstance(name: string, id: string): EstateResource {
  const arn = `arn:aws:ec2:eu-west-1:123456789012:instance/${id}`;
  return { type: 'aws_instance', name, attributes: { id, arn, user_data: 'x'.repeat(100) } };
}

describe('Cloud ids of a tenant', () => {
  let backend: TestBackend;
  let worker: RunningService;
  beforeAll(async () => {
    backend = await aBackend();
    worker = await startService({ role: 'worker', database: backend.service.database });
  });
  afterAll(async () => {
    await worker.stop();
    await backend.stop();
  });

  async function idsOf(stateId: string): Promise<string[]> {
    const { rows } = await backend.service.pool.query<{ line: string }>(
      `SELECT address || ' ' || id AS line FROM cloud_ids WHERE state_id = $1 AND tenant_id = $2 ORDER BY 1`,
      [stateId, backend.tenantId],
    );
    return rows.map(({ line }) => line);
  }

  function reaches(stateId: string, expected: string[]): Promise<true> {
    return eventually(`ids ${expected.join()}`, async () =>
      JSON.stringify(await idsOf(stateId)) === JSON.stringify(expected) ? true : undefined,
    );
  }

  it('follow what is written, changed, removed and deleted', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    const { id } = writer.state;
    const bucket: EstateResource = {
      type: 'aws_s3_bucket',
      name: 'logs',
      attributes: { id: 'logs', bucket: 'logs' },
    };
    const lookedUp: EstateResource = { ...anInstance('looked_up', 'i-0data'), mode: 'data' };
    const other: EstateResource = { type: 'random_id', name: 'x', attributes: { id: 'i-0random' } };
    const arn = (of: string): string => `arn:aws:ec2:eu-west-1:123456789012:instance/${of}`;

    await writer.write([anInstance('web', 'i-0one'), bucket, lookedUp, other]);
    await reaches(id, [
      `aws_instance.web ${arn('i-0one')}`,
      'aws_instance.web i-0one',
      'aws_s3_bucket.logs arn:aws:s3:::logs',
    ]);

    await writer.write([anInstance('web', 'i-0two'), bucket]);
    await reaches(id, [
      `aws_instance.web ${arn('i-0two')}`,
      'aws_instance.web i-0two',
      'aws_s3_bucket.logs arn:aws:s3:::logs',
    ]);

    await writer.write([bucket]);
    await reaches(id, ['aws_s3_bucket.logs arn:aws:s3:::logs']);

    expect((await backend.api('DELETE', `/states/${id}`)).status).toBeLessThan(300);
    await reaches(id, []);
  });

  it('are filled for states that were written before the table existed', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write([anInstance('web', 'i-0old')]);
    await eventually('first ids', async () =>
      (await idsOf(writer.state.id)).length === 2 ? true : undefined,
    );
    const { pool } = backend.service;
    await pool.query('DELETE FROM cloud_ids WHERE state_id = $1', [writer.state.id]);
    await pool.query('DELETE FROM cloud_id_states WHERE state_id = $1', [writer.state.id]);
    await worker.kill9();
    await worker.restart();
    await eventually('ids again', async () =>
      (await idsOf(writer.state.id)).length === 2 ? true : undefined,
    );
    expect((await idsOf(writer.state.id)).length).toBe(2);
  });
});
