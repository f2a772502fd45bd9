import { Clock } from '../../../platform/time/clock.js';
import type { HostInstallation } from './code-host.js';
import type { GithubApi } from './github-api.js';
import { GithubApp } from './github-app.js';
import type { GithubAppTokens } from './github-app-tokens.js';
import type { GithubCheckoutTokens } from './github-checkout-tokens.js';
import { GithubHost } from './github-host.js';
import { isWrittenByApp } from './github-mapping.rules.js';
import type { GitlabApi } from './gitlab-api.js';
import { GitlabHost } from './gitlab-host.js';
import { ProviderAnswer, type ProviderRequests } from './provider-requests.js';
import type { VcsSettings } from './vcs-settings.js';

const REFUSED = { id: 'PROVIDER_REFUSED' };
const installation = { installationId: '7' } as HostInstallation;

/** An API that answers every request with this. */
function answering(status: number, text: string) {
  const answer = new ProviderAnswer('github', status, new Headers(), Buffer.from(text));
  return {
    send: () => Promise.resolve(answer),
    sendAsApp: () => Promise.resolve(answer),
    requireToken: () => Promise.resolve('token'),
    async *pages() {
      yield await Promise.resolve(answer);
    },
  };
}

const hostsAnswering = (status: number, text: string) => [
  new GithubHost(answering(status, text) as unknown as GithubApi, {} as GithubCheckoutTokens, new Clock()),
  new GitlabHost(answering(status, text) as unknown as GitlabApi, new Clock()),
];

/** What is not there is removed with its records, so only the provider's own word for that counts. */
describe.each(['<html></html>', '', 'null', '{}', '{"message":"ok"}', '"x"'])('The answer %j', (text) => {
  it('does not say that there are no repositories', async () => {
    for (const host of hostsAnswering(200, text))
      await expect(host.listRepositories(installation).next()).rejects.toMatchObject(REFUSED);
  });

  it('does not say that a repository is gone', async () => {
    for (const host of hostsAnswering(200, text))
      await expect(host.findRepository(installation, '1')).rejects.toMatchObject(REFUSED);
    for (const host of hostsAnswering(404, text))
      expect(await host.findRepository(installation, '1')).toBeUndefined();
  });

  it('does not say that the app was uninstalled', async () => {
    const appAnswering = (status: number) =>
      new GithubApp(
        { apiBase: () => 'https://api.example' } as unknown as VcsSettings,
        { signAppToken: () => Promise.resolve('jwt') } as unknown as GithubAppTokens,
        answering(status, text) as unknown as ProviderRequests,
      );
    await expect(appAnswering(200).findInstallation('7')).rejects.toMatchObject(REFUSED);
    expect(await appAnswering(404).findInstallation('7')).toBeUndefined();
  });
});

it('takes an empty list of repositories as one', async () => {
  const [github] = hostsAnswering(200, '{"repositories":[]}');
  const [, gitlab] = hostsAnswering(200, '[]');
  for (const host of [github, gitlab])
    expect(await host?.listRepositories(installation).next()).toMatchObject({ value: { items: [] } });
});

describe('A comment is the app’s', () => {
  const app = { id: 4711, slug: 'infrastate' };
  const bot = { user: { login: 'infrastate[bot]', type: 'Bot' } };
  it.each([
    [
      'by the id of the app, whatever its bot is called',
      { ...bot, performed_via_github_app: { id: 4711 } },
      true,
    ],
    ['by its bot where the server does not name the app', bot, true],
    ['not for another app', { ...bot, performed_via_github_app: { id: 12 } }, false],
    ['not for another bot', { user: { login: 'other[bot]', type: 'Bot' } }, false],
    [
      'not for a person, also through the app',
      { user: { login: 'ada', type: 'User' }, performed_via_github_app: { id: 4711 } },
      false,
    ],
    ['not without an author', {}, false],
  ])('%s', (_, comment, expected) => {
    expect(isWrittenByApp(comment, app)).toBe(expected);
  });

  it('never while the app is not known', () => {
    expect(isWrittenByApp(bot, {})).toBe(false);
    expect(isWrittenByApp({ ...bot, performed_via_github_app: {} }, {})).toBe(false);
  });
});
