import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { settled, signInBy, startBrowser, untilHolds } from '../support/browser.js';
import { type Admin, anAdmin, must, startGenerous } from '../support/identity.js';
import type { RunningService } from '../support/service.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(120_000);

/** Another port is another origin of the same site: the browser sends the session cookie along with everything. */
describeWith('chromium', 'A page of another origin, in a browser that is signed in', () => {
  let service: RunningService;
  let evil: Server;
  let evilOrigin: string;
  let browser: Browser;
  let context: BrowserContext;
  let admin: Admin;
  let state: Record<string, string>;
  let attacker: Page;
  /** methods of requests that ended */
  let tried: string[];
  /** what the service answered */
  let sent: { method: string; path: string; status: number; hasCookie: boolean }[];

  beforeAll(async () => {
    service = await startGenerous();
    admin = await anAdmin(service);
    state = await must(service, 'POST', `/tenants/${admin.tenantId}/states`, {
      as: admin.token,
      body: { name: 'target' },
    });
    evil = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>evil</title><body></body>');
    }).listen(0, '127.0.0.1');
    await once(evil, 'listening');
    evilOrigin = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
    await must(service, 'POST', '/user/access-tokens', { as: admin.token, body: { name: 'laptop' } });
    browser = await startBrowser();
    context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(service.url);
    await signInBy(page, admin);
    await page.close();
  });
  afterAll(async () => {
    await browser?.close();
    evil?.closeAllConnections();
    evil?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    sent = [];
    tried = [];
    attacker = await context.newPage();
    await attacker.goto(evilOrigin);
    attacker.on('requestfinished', (request) => void tried.push(request.method()));
    attacker.on('requestfailed', (request) => void tried.push(request.method()));
    attacker.on('response', (response) => {
      const request = response.request();
      if (!response.url().startsWith(service.url)) return;
      const { pathname: path } = new URL(response.url());
      const entry = { method: request.method(), path, status: response.status(), hasCookie: false };
      sent.push(entry);
      void request.allHeaders().then(
        ({ cookie = '' }) => void (entry.hasCookie = cookie.includes('session=')),
        // The page was closed meanwhile.
        () => undefined,
      );
    });
  });
  afterEach(() => attacker.close());

  const documentOf = (serial: number): string =>
    JSON.stringify({ version: 4, serial, lineage: 'evil', outputs: {}, resources: [] });

  /** Names and ids of tenants, states and keys, and versions of the state that is attacked. */
  function everything(): Promise<unknown> {
    const paths = ['/user/tenants', `/tenants/${admin.tenantId}/states`, `/states/${state['id']}/versions`];
    return Promise.all(
      [...paths, '/user/access-tokens'].map(async (path) => {
        const list = await must<object>(service, 'GET', path, { as: admin.token });
        return JSON.stringify(list).match(/"(?:name|id|version)":[^,}]*/g) ?? [];
      }),
    );
  }

  it('writes nothing, by whatever a page can send without being asked', async () => {
    const before = await everything();
    const backend = `${service.url}/api/v1/states/backend/${state['group_id']}`;
    const bodies: [string, string][] = [
      [`${service.url}/api/v1/tenants`, '{"name":"evil"}'],
      [`${service.url}/api/v1/user/access-tokens`, '{"name":"evil"}'],
      [backend, documentOf(1)],
      [`${backend}?force=true`, documentOf(2)],
      [`${service.url}/api/v1/states/${state['id']}/versions/1/restore`, '{}'],
      [`${service.url}/api/v1/login/password`, JSON.stringify(admin)],
      [`${service.url}/api/v1/logout`, ''],
    ];
    // As text: that is what needs no preflight.
    await attacker.evaluate(
      `Promise.all(${JSON.stringify(bodies)}.map(([url, body]) =>
        // The answer is kept from the page as well.
        fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body }).catch(() => undefined)))`,
    );
    await attacker.evaluate(`navigator.sendBeacon(${JSON.stringify(bodies[0]?.[0])}, '{"name":"evil"}')`);
    // The browser reports no status of an answer that it keeps from the page.
    await waitFor(() => tried.filter((method) => method === 'POST').length >= bodies.length);
    expect(sent.filter(({ status }) => status < 400)).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('submits no form, neither itself nor from a frame of no origin', async () => {
    const before = await everything();
    const form = (target: string) =>
      `<form method="post" enctype="text/plain" target="${target}" action="${service.url}/api/v1/tenants">
         <input name='{"name":"evil","x":"' value='"}'></form>`;
    await attacker.setContent(`<iframe name="hole"></iframe>${form('hole')}`);
    await attacker.evaluate('document.forms[0].submit()');
    await waitFor(() => sent.length === 1);
    await attacker.setContent(
      `<iframe sandbox="allow-forms allow-scripts" srcdoc="${form('_self').replaceAll('"', '&quot;')}"></iframe>`,
    );
    // The frame of this document: the list of frames may still have that of the one before.
    await attacker
      .frameLocator('iframe[sandbox]')
      .locator('form')
      .evaluate((form) => form.submit());
    await waitFor(() => sent.length === 2);
    expect(sent.map(({ status }) => status).every((status) => [401, 403].includes(status))).toBe(true);
    await untilHolds(async () => expect(sent[0]).toMatchObject({ status: 403, hasCookie: true }));
    expect(await everything()).toEqual(before);
  });

  it('reads nothing, and gets no preflight answered', async () => {
    const outcomes = await attacker.evaluate<string[]>(`Promise.all([
      fetch('${service.url}/api/v1/whoami', { credentials: 'include' }),
      fetch('${service.url}/api/v1/tenants', { method: 'PUT', credentials: 'include', body: '{}' }),
      fetch('${service.url}/api/v1/tenants', { method: 'POST', credentials: 'include', body: '{}',
        headers: { 'Content-Type': 'application/json' } }),
      fetch('${service.url}/api/v1/states/backend/${state['group_id']}', { method: 'LOCK', credentials: 'include', body: '{}' }),
      fetch('${service.url}/api/v1/states/${state['id']}', { method: 'DELETE', credentials: 'include' }),
      new Promise((resolve, reject) => {
        const script = Object.assign(document.createElement('script'), { src: '${service.url}/api/v1/whoami' });
        script.onload = resolve;
        script.onerror = () => reject(new TypeError('no script'));
        document.body.append(script);
      }),
    ].map((each) => each.then(() => 'read', (error) => error.name)))`);
    expect(outcomes).toEqual(Array(6).fill('TypeError'));
    expect(sent.filter(({ method }) => !['GET', 'OPTIONS'].includes(method))).toEqual([]);
  });

  it('frames no page, neither of the console nor of the API', async () => {
    const addresses = ['/', '/login', '/api/v1/whoami', '/api/v1/oauth2/oidc/complete', '/reference'];
    await attacker.setContent(
      addresses.map((path) => `<iframe src="${service.url}${path}"></iframe>`).join(''),
    );
    await waitFor(() =>
      attacker
        .frames()
        .slice(1)
        .every((frame) => frame.url().startsWith('chrome-error:')),
    );
    expect(attacker.frames()).toHaveLength(addresses.length + 1);
  });

  it('says nothing to a page of the console that it has opened', async () => {
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      attacker.evaluate(`void (globalThis.opened = open('${service.url}/keys'))`),
    ]);
    const errors: string[] = [];
    opened.on('pageerror', (error) => errors.push(String(error)));
    await opened.getByRole('table', { name: 'API keys' }).getByText('laptop').waitFor();
    // What stands around the list is asked for by itself.
    await opened.waitForLoadState('networkidle');
    await settled({ page: opened, pending: () => 0 });
    const before = await opened.locator('body').innerText();
    await attacker.evaluate(`for (const message of [
      'x', { type: 'navigate', to: '/setup' }, { type: 'webpackOk' }, '<img src=x onerror=alert(1)>', null,
    ]) opened.postMessage(message, '*')`);
    expect(
      await attacker.evaluate<string>(
        `(() => { try { return opened.document.title; } catch (error) { return error.name; } })()`,
      ),
    ).toBe('SecurityError');
    await opened.evaluate('new Promise((resolve) => setTimeout(resolve))');
    expect(await opened.locator('body').innerText()).toBe(before);
    expect([new URL(opened.url()).pathname, errors]).toEqual(['/keys', []]);
    // A fragment that others chose runs nothing either.
    await attacker.evaluate(`opened.location = '${service.url}/keys#<img src=x onerror=alert(1)>'`);
    await attacker.evaluate(`opened.location = "javascript:alert(1)"`).catch(() => undefined);
    expect(await opened.getByRole('heading', { level: 1 }).innerText()).toBe('API keys');
    await opened.close();
  });
});

async function waitFor(condition: () => boolean): Promise<void> {
  for (let attempt = 0; !condition(); attempt += 1) {
    if (attempt > 1_000) throw new Error('did not happen');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
