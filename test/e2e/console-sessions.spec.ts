import { networkInterfaces } from 'node:os';
import type { Browser } from 'playwright-core';
import { signInBy, startBrowser, untilHolds, visit } from '../support/browser.js';
import { type Admin, anAdmin, signIn } from '../support/identity.js';
import { pathTakingProxy } from '../support/path-proxy.js';
import { freePort, type RunningService, startService } from '../support/service.js';
import { describeWith, itWith } from '../support/terraform.js';

jest.setTimeout(300_000);

describeWith('chromium', 'Signing in and out in the browser', () => {
  let service: RunningService;
  let browser: Browser;
  let admin: Admin;
  beforeAll(async () => {
    service = await startService({ env: { SERVICE_LOGIN_RATE_PER_ACCOUNT: '1000' } });
    admin = await anAdmin(service);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it('comes back to exactly the address that was asked for', async () => {
    const { page, complaints } = await visit(browser, service.url);
    await page.goto(`/tenants/${admin.tenantId}/states?search=a%20b&sort=name`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await untilHolds(async () => expect(await page.title()).toBe('Sign in · Infrastructure State Service'));
    await signInBy(page, admin);
    await page.getByRole('heading', { level: 1, name: 'States' }).waitFor();
    const { pathname, searchParams } = new URL(page.url());
    expect([pathname, searchParams.get('search'), searchParams.get('sort')]).toEqual([
      `/tenants/${admin.tenantId}/states`,
      'a b',
      'name',
    ]);
    expect(await page.getByLabel('Filter').inputValue()).toBe('a b');
    expect(complaints).toEqual([]);
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/.//evil.example',
  ])('does not follow rd=%s', async (rd) => {
    const { page } = await visit(browser, service.url);
    await page.goto(`/login?rd=${encodeURIComponent(rd)}`);
    await signInBy(page, admin);
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    expect(page.url()).toMatch(new RegExp(`^${service.url}/tenants/[0-9a-f-]{36}$`));
  });

  it('says what is wrong with a wrong password, and keeps what was typed', async () => {
    const { page } = await visit(browser, service.url);
    await page.goto('/login');
    await page.getByLabel('Email').fill(admin.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).not.toContain('{');
    expect(await page.getByLabel('Email').inputValue()).toBe(admin.email);
  });

  it('empties every tab when the session ends in one of them', async () => {
    const { page, context } = await visit(browser, service.url);
    await page.goto(`/tenants/${admin.tenantId}/states`);
    await signInBy(page, admin);
    const other = await context.newPage();
    await other.goto(`/tenants/${admin.tenantId}/members`);
    await other.getByRole('table', { name: 'Members' }).waitFor();
    await page.getByRole('button', { name: `Account: ${admin.name}` }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await other.getByRole('link', { name: 'API keys' }).click();
    await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await other.getByRole('banner').waitFor({ state: 'detached' });
    await untilHolds(async () => expect(await other.content()).not.toContain(admin.email));
  });

  it('keeps no token where scripts can read it', async () => {
    const { page } = await visit(browser, service.url);
    await page.goto('/login');
    await signInBy(page, admin);
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toMatch(/eyJ|session_token|correct horse/);
    expect(await page.evaluate<string>('document.cookie')).toBe('');
  });

  it('takes over a browser that is signed in already', async () => {
    const { page, context } = await visit(browser, service.url);
    const token = await signIn(service, admin.email, admin.password);
    await context.addCookies([{ name: 'session', value: token, url: service.url, httpOnly: true }]);
    await page.goto(`/login?rd=${encodeURIComponent('/keys')}`);
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/keys');
  });

  it('shows the same page for what does not exist and what is somebody else’s', async () => {
    const { page } = await visit(browser, service.url);
    await page.goto('/states/0d4ab3c0-0000-4000-8000-000000000000');
    await signInBy(page, admin);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await untilHolds(async () => expect(await page.title()).toBe('Not found · Infrastructure State Service'));
    await page.goto('/no/such/page');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  });
});

describeWith('chromium', 'The console at other addresses', () => {
  it('works below a path, behind a proxy that takes it off', async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}/infra/state`;
    const service = await startService({ env: { SERVICE_UI_BASE: address } });
    const proxy = await pathTakingProxy(port, '/infra/state', service.url);
    const browser = await startBrowser();
    try {
      const admin = await anAdmin(service);
      const { page, complaints } = await visit(browser, `http://127.0.0.1:${port}`);
      await page.goto(`${address}/tenants/${admin.tenantId}/members`);
      await signInBy(page, admin);
      await page.getByRole('table', { name: 'Members' }).waitFor();
      expect(page.url()).toBe(`${address}/tenants/${admin.tenantId}/members`);
      await page.getByRole('link', { name: 'States' }).click();
      await page.waitForURL(`${address}/tenants/${admin.tenantId}/states`);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      proxy.closeAllConnections();
      proxy.close();
      await service.stop();
    }
  });

  // A machine without a network still has other loopback addresses, which browsers trust: there is nothing to show.
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  const needsNetwork = { isMet: outside !== undefined, else: 'the machine has no address but loopback' };
  itWith(needsNetwork, 'works on plain http at an address that is not localhost', async () => {
    const service = await startService();
    const elsewhere = service.url.replace('127.0.0.1', String(outside));
    const browser = await startBrowser();
    try {
      const admin = await anAdmin(service);
      const { page, complaints } = await visit(browser, elsewhere);
      await page.goto('/keys');
      expect(await page.evaluate<boolean>('isSecureContext')).toBe(false);
      await signInBy(page, admin);
      await page.getByRole('button', { name: 'New API key' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('laptop');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByText('Copied', { exact: true }).waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      await service.stop();
    }
  });
});
