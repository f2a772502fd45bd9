import { generateKeyPairSync } from 'node:crypto';
import { GithubAppTokens } from './github-app-tokens.js';
import { ProviderAnswer, type ProviderCall, type ProviderRequests } from './provider-requests.js';
import type { VcsSettings } from './vcs-settings.js';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const EXPIRES_AT = '2030-01-01T01:00:00Z';

describe('The token of an installation', () => {
  let asked: ProviderCall[];
  let answer: (answer: ProviderAnswer) => void;
  let tokens: GithubAppTokens;

  beforeEach(() => {
    asked = [];
    const requests = {
      send: (call: ProviderCall) => {
        asked.push(call);
        return new Promise<ProviderAnswer>((resolve) => (answer = resolve));
      },
    };
    tokens = new GithubAppTokens(
      {
        githubApp: { id: '1', key: privateKey },
        apiBase: () => 'http://127.0.0.1',
      } as unknown as VcsSettings,
      requests as unknown as ProviderRequests,
      { now: () => new Date('2030-01-01T00:00:00Z') },
    );
  });

  const give = (token: string): void => {
    const body = Buffer.from(JSON.stringify({ token, expires_at: EXPIRES_AT }));
    answer(new ProviderAnswer('github', 201, new Headers(), body));
  };
  const untilAsked = async (): Promise<void> => {
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  };

  it('is still given to the others when the one who asked first gives up', async () => {
    const impatient = new AbortController();
    const first = tokens.findToken('7', impatient.signal);
    const second = tokens.findToken('7');
    await untilAsked();
    impatient.abort();
    await expect(first).rejects.toMatchObject({ id: 'PROVIDER_UNAVAILABLE' });
    expect(asked[0]?.signal?.aborted).toBe(false);
    give('the token');
    expect(await second).toBe('the token');
    expect(await tokens.findToken('7')).toBe('the token');
    expect(asked).toHaveLength(1);
  });
});
