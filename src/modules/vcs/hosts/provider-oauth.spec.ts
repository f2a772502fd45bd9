import { GrantRefused, ProviderOAuth } from './provider-oauth.js';
import { ProviderAnswer, type ProviderRequests } from './provider-requests.js';
import type { VcsSettings } from './vcs-settings.js';

describe('A refresh that the provider refuses', () => {
  const refusalOf = (status: number, text: string): Promise<unknown> => {
    const answer = new ProviderAnswer('github', status, new Headers(), Buffer.from(text));
    const oauth = new ProviderOAuth(
      {
        oauthClient: () => ({ clientId: 'id', clientSecret: 'secret' }),
        webBase: () => 'https://code.example',
      } as unknown as VcsSettings,
      { send: () => Promise.resolve(answer) } as unknown as ProviderRequests,
      { now: () => new Date() },
    );
    return oauth.refresh('github', 'token').catch((error: unknown) => error);
  };

  it.each(['bad_refresh_token', 'invalid_grant', 'bad_verification_code', 'something_new'])(
    'ends the grant with %s',
    async (error) => {
      for (const status of [200, 400, 401])
        expect(await refusalOf(status, JSON.stringify({ error }))).toBeInstanceOf(GrantRefused);
    },
  );

  it.each([
    [200, '{"error":"incorrect_client_credentials"}'],
    [401, '{"error":"invalid_client"}'],
    [404, '{"error":"Not Found"}'],
    [403, '<html>blocked</html>'],
    [200, '{}'],
  ])('leaves it with %d %s', async (status, text) => {
    expect(await refusalOf(status, text)).toMatchObject({ id: 'PROVIDER_REFUSED' });
  });

  it('leaves it while the provider is down', async () => {
    expect(await refusalOf(503, '{"error":"invalid_grant"}')).toMatchObject({ id: 'PROVIDER_UNAVAILABLE' });
  });
});
