import type { AwsClients } from './aws-clients.js';
import { AwsDefaults } from './aws-defaults.js';
import { CloudFailure, type FailureCode, type ScanPart } from '../clouds/cloud-inventory.js';

/** An account without EC2 permissions whose pages of key aliases follow each other as `next` says. */
function clientsWith(next: (marker: string | undefined) => string | undefined, asked: unknown[]): AwsClients {
  class Command {
    constructor(readonly input: { Marker?: string }) {}
  }
  const kms = {
    send: ({ input }: Command) => {
      asked.push(input.Marker);
      const marker = next(input.Marker);
      const alias = { AliasName: 'alias/aws/s3', TargetKeyId: `key-${asked.length}` };
      return Promise.resolve({ Aliases: [alias], Truncated: marker !== undefined, NextMarker: marker });
    },
  };
  return {
    partition: 'aws',
    now: new Date(),
    endpoint: 'http://127.0.0.1:1',
    sdk: { sts: { GetCallerIdentityCommand: Command }, kms: { ListAliasesCommand: Command } },
    sts: () => ({ send: () => Promise.resolve({ Account: '123456789012' }) }),
    kms: () => kms,
    currentCredentials: () => Promise.resolve({ accessKeyId: 'a', secretAccessKey: 'b' }),
    call: async (action: string, task: (options: object) => Promise<unknown>) => {
      if (action.startsWith('ec2:')) return '';
      return task({ abortSignal: new AbortController().signal });
    },
  } as unknown as AwsClients;
}

async function keysOf(clients: AwsClients): Promise<number> {
  const parts: ScanPart[] = [];
  for await (const part of new AwsDefaults().list(clients, 'eu-west-1')) parts.push(part);
  const last = parts.at(-1);
  return last && 'phantoms' in last ? last.phantoms.length : -1;
}

describe('Keys that AWS manages', () => {
  it('are read from every page', async () => {
    const asked: unknown[] = [];
    const clients = clientsWith((marker) => ({ '': 'a', a: 'b' })[marker ?? ''], asked);
    expect(await keysOf(clients)).toBe(3);
    expect(asked).toEqual([undefined, 'a', 'b']);
  });

  it('are left out when the cloud repeats a page', async () => {
    const asked: unknown[] = [];
    expect(await keysOf(clientsWith(() => 'same', asked))).toBe(0);
    expect(asked).toHaveLength(2);
  });

  it.each<[FailureCode, 'left out' | 'fail the scan']>([
    ['ACCESS_DENIED', 'left out'],
    ['THROTTLED', 'fail the scan'],
    ['UNREACHABLE', 'fail the scan'],
  ])('when AWS answers %s: are %s', async (code, outcome) => {
    const clients = clientsWith(() => {
      throw new CloudFailure(code);
    }, []);
    if (outcome === 'left out') expect(await keysOf(clients)).toBe(0);
    else await expect(keysOf(clients)).rejects.toMatchObject({ view: { code } });
  });
});
