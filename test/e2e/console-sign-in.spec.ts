import type { Server } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { startBrowser, visit } from '../support/browser.js';
import { anAdmin, startGenerous } from '../support/identity.js';
import { anIdentityProvider, type IdentityProvider } from '../support/identity-provider.js';
import { pathTakingProxy } from '../support/path-proxy.js';
import { freePort, type RunningService } from '../support/service.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(600_000);

// The provider is not shy about being a development one.
for (const method of ['info', 'warn'] as const)
  jest.spyOn(console, method).mockImplementation(() => undefined);

const PATH = '/infra/state';
const NAME = 'Company login';

describeWith('chromium', 'Single sign-on in the browser, below a path', () => {
  let local: RunningService;
  let service: RunningService;
  let lonely: RunningService;
  let provider: IdentityProvider;
  let proxy: Server;
  let browser: Browser;
  let address: string;

  beforeAll(async () => {
    // An installation that begins with passwords and then turns single sign-on on.
    local = await startGenerous();
    await anAdmin(local);
    const port = await freePort();
    address = `http://127.0.0.1:${port}${PATH}`;
    provider = await anIdentityProvider([`${address}/oauth2/oidc/callback`]);
    const env = {
      SERVICE_UI_BASE: address,
      SERVICE_OAUTH_TYPE: 'oidc',
      SERVICE_OAUTH_CLIENT_ID: provider.clientId,
      SERVICE_OAUTH_CLIENT_SECRET: provider.clientSecret,
      SERVICE_OAUTH_OIDC_ISSUER_URL: provider.issuer,
      SERVICE_OAUTH_DISPLAY_NAME: NAME,
      SERVICE_OAUTH_REDIRECT_BASE: address,
      SERVICE_OAUTH_SCOPES: 'email profile groups',
    };
    const { database } = local;
    [service, lonely] = await Promise.all([
      startGenerous({ env, database }),
      startGenerous({ env: { ...env, SERVICE_OAUTH_OIDC_ISSUER_URL: 'http://127.0.0.1:1' }, database }),
    ]);
    proxy = await pathTakingProxy(port, PATH, service.url);
    browser = await startBrowser();
    provider.people['carol'] = { email: 'carol@example.com', email_verified: true, name: 'Carol' };
    provider.people['dave'] = { name: 'Dave' };
  });
  afterAll(async () => {
    await browser?.close();
    proxy?.closeAllConnections();
    proxy?.close();
    for (const one of [service, lonely]) await one?.stop();
    await provider?.stop();
    await local?.stop();
  });

  /** A page without its complaints about other hosts: here the provider is one. */
  async function opened(path: string): Promise<Page> {
    const { page } = await visit(browser, address);
    await page.goto(`${address}${path}`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    return page;
  }
  async function signInAtProvider(page: Page, login: string): Promise<void> {
    await page.getByRole('link', { name: `Sign in with ${NAME}` }).click();
    await page.waitForURL(new RegExp(`^${provider.issuer}/`));
    await page.locator('[name=login]').fill(login);
    await page.locator('[name=password]').fill('any');
    await page.locator('[type=submit]').click();
    await page.waitForURL(new RegExp(`^${provider.issuer}/interaction/`));
    await page.locator('[type=submit]').click();
  }

  it('comes back from the provider to exactly the address that was asked for', async () => {
    const page = await opened('/sql?q=SELECT%20name%20FROM%20states');
    await page.getByRole('link', { name: `Sign in with ${NAME}` }).waitFor();
    expect(await page.getByLabel('Password').count()).toBe(0);
    await signInAtProvider(page, 'carol');
    await page.getByRole('heading', { level: 1, name: 'SQL' }).waitFor();
    const { origin, pathname, searchParams } = new URL(page.url());
    expect([`${origin}${pathname}`, searchParams.get('q')]).toEqual([
      `${address}/sql`,
      'SELECT name FROM states',
    ]);
    await page.getByRole('button', { name: 'Account: Carol' }).waitFor();
    expect(await page.evaluate<string>('document.cookie')).toBe('');

    // Whoever is signed in does not see the sign-in page.
    await page.goto(`${address}/login?rd=${encodeURIComponent('/keys')}`);
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await page.getByRole('button', { name: 'Account: Carol' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`${PATH}/login`);
  });

  it('does not go elsewhere after it', async () => {
    const page = await opened(`/login?rd=${encodeURIComponent('//evil.example/')}`);
    await signInAtProvider(page, 'carol');
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    expect(page.url().startsWith(`${address}/tenants/`)).toBe(true);
  });

  it.each([
    ['was not begun in this browser', '/oauth2/oidc/callback?code=x&state=y', 403],
    ['was stopped by the provider', undefined, 401],
  ])('ends on a page with a way back when it %s', async (_name, path, status) => {
    const { page } = await visit(browser, address);
    if (path === undefined) {
      const started = await opened('/keys');
      await started.getByRole('link', { name: `Sign in with ${NAME}` }).click();
      await started.waitForURL(new RegExp(`^${provider.issuer}/`));
      const [answer] = await Promise.all([
        started.waitForResponse(/\/oauth2\/oidc\/callback/),
        started.getByRole('link', { name: /Cancel/ }).click(),
      ]);
      expect(answer.status()).toBe(status);
      await endedOnPage(started);
      return;
    }
    const answer = await page.goto(`${address}${path}`);
    expect(answer?.status()).toBe(status);
    await endedOnPage(page);
  });

  it('ends on a page with a way back for somebody without an address', async () => {
    const page = await opened('/keys');
    await signInAtProvider(page, 'dave');
    await endedOnPage(page);
  });

  it('ends on a page with a way back when the provider does not answer', async () => {
    const { page } = await visit(browser, lonely.url);
    // The page of the other replica, which is reached without the path.
    const answer = await page.goto(`${lonely.url}/api/v1/login/oidc?rd=/keys`);
    expect(answer?.status()).toBe(503);
    expect(await answer?.text()).toContain('name="service-failure" content="UNAVAILABLE"');
  });

  async function endedOnPage(page: Page): Promise<void> {
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    const alert = page.getByRole('alert').filter({ hasText: 'Not signed in' });
    await alert.waitFor();
    expect(await alert.innerText()).not.toMatch(/[{}]|undefined/);
    // What the provider sent stands in no address any more.
    expect(new URL(page.url()).pathname).toBe(`${PATH}/login`);
    expect(page.url()).not.toMatch(/code=|state=/);
    await page.getByRole('link', { name: `Sign in with ${NAME}` }).waitFor();
  }
});
