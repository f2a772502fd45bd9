import { aBackend, type TestBackend } from '../support/backend.js';
import { anAccount, AwsCloud, awsResource, SERVER_ACCOUNT, SERVER_KEY } from '../support/clouds/aws-cloud.js';
import { eventually } from '../support/estate.js';
import type { GapResult } from '../support/gaps.js';
import { startService } from '../support/service.js';

const TOPIC = `arn:aws:sns:eu-west-1:${SERVER_ACCOUNT}:topic`;

describe('Gap analysis with the identity of the server', () => {
  let aws: AwsCloud;
  let backend: TestBackend;
  let listed: string;
  let unlisted: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    aws = await new AwsCloud().start();
    aws.accounts.push(anAccount({ id: SERVER_ACCOUNT, resources: [awsResource(TOPIC, 'sns:topic')] }));
    env = {
      SERVICE_AWS_ENDPOINT_URL: aws.url,
      SERVICE_GAPS_FRESH_SECONDS: '0',
      AWS_REGION: 'eu-west-1',
      ...SERVER_KEY,
    };
    backend = await aBackend({ env });
    [listed, unlisted] = await Promise.all([backend.aTenant(), backend.aTenant()]);
  }, 120_000);
  afterAll(async () => {
    await backend.stop();
    await aws.stop();
  });

  async function ask(url: string, tenantId: string, path = ''): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(`${url}/api/v1/tenants/${tenantId}/gaps${path}?provider=aws`, {
      headers: { authorization: `Bearer ${backend.key}` },
    });
    return { status: answer.status, body: await answer.json() };
  }

  async function expectRefused(url: string, tenantId: string): Promise<void> {
    const requests = aws.count('ListIndexes') + aws.count('ListResources');
    expect(await ask(url, tenantId, '/config')).toMatchObject({
      status: 200,
      body: { status: 'not_configured', ready_for_gap_analysis: false },
    });
    expect(await ask(url, tenantId)).toMatchObject({ status: 409, body: { id: 'GAPS_NOT_CONFIGURED' } });
    // The cloud was not asked for this tenant at all.
    expect(aws.count('ListIndexes') + aws.count('ListResources')).toBe(requests);
  }

  async function expectScanned(url: string, tenantId: string): Promise<void> {
    // The first answer may be that the cloud was too slow: the process loads the client of the cloud for it.
    await eventually('the configuration', async () => {
      const { body } = await ask(url, tenantId, '/config');
      return (body as { status: string }).status === 'ready' ? true : undefined;
    });
    expect(await ask(url, tenantId)).toMatchObject({ status: 202, body: { status: 'running' } });
    const { unmanaged_resources: found } = await eventually('the result', async () => {
      const { status, body } = await ask(url, tenantId);
      return status === 200 ? (body as GapResult) : undefined;
    });
    expect(found.map(({ arn }) => arn)).toEqual([TOPIC]);
  }

  /** An API process and a worker where these tenants are listed. */
  async function whereListed(tenants: string, run: (url: string) => Promise<void>): Promise<void> {
    const options = {
      database: backend.service.database,
      env: { ...env, SERVICE_GAPS_AMBIENT_TENANTS: tenants },
    };
    const [api, worker] = await Promise.all([
      startService(options),
      startService({ ...options, role: 'worker' }),
    ]);
    try {
      await run(api.url);
    } finally {
      await Promise.all([api.stop(), worker.stop()]);
    }
  }

  it('is refused where no tenant is listed', async () => {
    await expectRefused(backend.url, listed);
    await expectRefused(backend.url, unlisted);
  });

  it('scans for a tenant that is listed, and for no other', async () => {
    await whereListed(`11111111-1111-4111-8111-111111111111, ${listed.toUpperCase()}`, async (url) => {
      await expectRefused(url, unlisted);
      await expectScanned(url, listed);
      await expectRefused(url, unlisted);
    });
  }, 120_000);

  it('scans for every tenant where all are listed', async () => {
    await whereListed('all', async (url) => {
      await expectScanned(url, unlisted);
    });
  }, 120_000);

  it('shows nothing of what was found once a tenant is no longer listed', async () => {
    await expectRefused(backend.url, listed);
    await expectRefused(backend.url, unlisted);
  });
});
