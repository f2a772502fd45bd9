import { AwsClients } from '../../src/modules/gaps/providers/aws-clients.js';
import { Clock } from '../../src/platform/time/clock.js';
import { anAccount, AwsCloud, SERVER_KEY } from '../support/clouds/aws-cloud.js';
import type { Fault } from '../support/clouds/stand-in.js';

const ACCOUNT = '111111111111';

describe('Clients of AWS', () => {
  const cloud = new AwsCloud();
  const before = { ...process.env };
  beforeAll(async () => {
    await cloud.start();
    cloud.accounts.push(anAccount({ id: ACCOUNT, externalId: 'ours' }));
    Object.assign(process.env, SERVER_KEY);
  });
  afterAll(async () => {
    for (const name of Object.keys(SERVER_KEY))
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    await cloud.stop();
  });
  beforeEach(() => cloud.heal());

  async function listed({
    signal,
    timeoutMs,
  }: { signal?: AbortSignal; timeoutMs?: number } = {}): Promise<unknown> {
    const clients = await AwsClients.open(
      {
        ...{ provider: 'aws', roleArn: `arn:aws:iam::${ACCOUNT}:role/inventory` },
        ...{ externalId: 'ours', region: 'eu-west-1' },
      },
      {
        endpoint: cloud.url,
        requestTimeoutMs: timeoutMs ?? 30_000,
        maxAttempts: 2,
        signal: signal ?? new AbortController().signal,
        clock: new Clock(),
      },
    );
    const { ListIndexesCommand } = clients.sdk.explorer;
    try {
      return await clients.call('list', (abort) =>
        clients.explorer('eu-west-1').send(new ListIndexesCommand({}), abort),
      );
    } finally {
      clients.destroy();
    }
  }

  it('read what AWS answers', async () => {
    expect(await listed()).toMatchObject({ Indexes: [{ Type: 'AGGREGATOR' }, { Type: 'LOCAL' }] });
  });

  it.each<[string, string, Fault]>([
    ['UNREACHABLE', 'no answer', { kind: 'silence' }],
    ['UNREACHABLE', 'an answer that stops after its first byte', { kind: 'drip' }],
    ['THROTTLED', '429 without end', { kind: 'status', status: 429, type: 'ThrottlingException' }],
    ['INVALID_RESPONSE', 'HTML', { kind: 'html' }],
    ['INVALID_RESPONSE', '33 MB', { kind: 'text', body: `{"Indexes": ["${'x'.repeat(33 * 2 ** 20)}"]}` }],
  ])('fail with %s after %s', async (code, _what, fault) => {
    cloud.failAlways('ListIndexes', fault);
    const timeoutMs = code === 'UNREACHABLE' ? 700 : 30_000;
    await expect(listed({ timeoutMs })).rejects.toMatchObject({ view: { code, action: 'list' } });
  });

  it('stop in the middle of an answer when the scan is aborted', async () => {
    cloud.failAlways('ListIndexes', { kind: 'drip' });
    const stop = new AbortController();
    const reading = listed({ signal: stop.signal });
    reading.catch(() => undefined);
    const calls = cloud.count('ListIndexes');
    while (cloud.count('ListIndexes') === calls) await new Promise(setImmediate);
    stop.abort();
    await expect(reading).rejects.toMatchObject({ view: { code: 'UNREACHABLE' } });
  });
});
