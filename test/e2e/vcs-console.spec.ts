import type { Browser as Chromium, Page } from 'playwright-core';
import {
  EVERY_SCREEN,
  scrollUntil,
  seriousFindings,
  sidewaysPixels,
  signInBy,
  startBrowser,
  visit,
  type Visit,
} from '../support/browser.js';
import { allProcessed, type CodeHosting, startCodeHosting } from '../support/code-hosting.js';
import type { GithubInstallation, GithubRepository } from '../support/code-hosts/github-stand-in.js';
import {
  type Admin,
  aManager,
  aMember,
  anAdmin,
  must,
  type Person,
  startGenerous,
} from '../support/identity.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(240_000);

const HOSTILE = '<img src=x onerror="document.title=1">\u202eevil';

describeWith('chromium', 'Code hosts in the browser', () => {
  let hosts: CodeHosting;
  let browser: Chromium;
  let admin: Admin;
  let manager: Person;
  let member: Person;
  let installation: GithubInstallation;
  let repository: GithubRepository;
  let page: Page;
  let visited: Visit;

  beforeAll(async () => {
    hosts = await startCodeHosting({
      env: { SERVICE_GITHUB_APP_URL: 'https://github.example/apps/infrastate' },
    });
    browser = await startBrowser();
    admin = await anAdmin(hosts.api);
    manager = await aManager(hosts.api, admin, { tenant_admin: true });
    member = await aMember(hosts.api, admin);
    installation = hosts.github.install('acme');
    hosts.github.addPerson('owner', { acme: 'admin' });
    hosts.github.signedInAs = 'owner';
    hosts.gitlab.addUser('owner');
    hosts.gitlab.signedInAs = 'owner';
    repository = hosts.github.addRepository('acme', 'infra', { 'main.tf': '' });
    hosts.github.addRepository('acme', 'ready', {
      '.github/workflows/infrastate.yml': 'on: workflow_dispatch',
      '.infrastate/config.yml': 'version: 1\n',
    });
    visited = await open(manager, installationsPath());
    page = visited.page;
  });
  afterAll(async () => {
    await browser.close();
    await hosts.stop();
  });

  const installationsPath = () => `/tenants/${admin.tenantId}/installations`;
  const pathOf = (rest: string) => `/installations/github/${installation.id}/${rest}`;
  const table = (name: string) => page.getByRole('table', { name });

  async function open(
    person: { email: string; password: string },
    path: string,
    options: Parameters<typeof visit>[2] = {},
  ): Promise<Visit> {
    const opened = await visit(browser, hosts.api.url, options);
    await opened.page.goto(path);
    await signInBy(opened.page, person);
    return opened;
  }

  /** What was complained of, but for the way to the provider and back. */
  function complaints(): string[] {
    return visited.complaints.filter(
      (text) => !text.includes(hosts.github.url) && !text.includes(hosts.gitlab.url),
    );
  }

  it('say what an installation is where there is none', async () => {
    await page.getByRole('heading', { level: 1, name: 'Installations' }).waitFor();
    await page.getByText('No installations. An installation connects').waitFor();
    await page.getByRole('link', { name: 'install the app' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const { page: theirs } = await open(member, installationsPath());
    await theirs.getByText('No installations.').waitFor();
    expect(await theirs.getByRole('button', { name: 'Connect GitHub' }).count()).toBe(0);
    expect(complaints()).toEqual([]);
  });

  it.each([
    ['unavailable', 'the client id and the client secret of the GitHub app are not configured'],
    ['not_member', 'Only administrators of this tenant can connect'],
    ['error', 'Nothing was changed; connect again'],
  ])('say in words that a claim ended with %s', async (outcome, words) => {
    await page.goto(`${installationsPath()}?proved=yes&github_claim=${outcome}`);
    await page.getByRole('alert').getByText(words).waitFor();
    expect(new URL(page.url()).pathname).toBe(installationsPath());
  });

  it('connect an organization in three clicks', async () => {
    await page.goto(installationsPath());
    hosts.github.fail({ matches: /oauth\/access_token/, status: 500, times: 9 });
    await page.getByRole('button', { name: 'Connect GitHub' }).click();
    await page.getByRole('alert').getByText('GitHub refused the request or did not answer').waitFor();
    hosts.github.healed();
    await page.getByRole('button', { name: 'Connect GitHub' }).click();
    await page.getByRole('button', { name: 'Connect acme' }).click();
    await table('Installations').getByRole('row').filter({ hasText: 'acme' }).getByText('active').waitFor();
    await table('Ready to connect').waitFor({ state: 'detached' });
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints()).toEqual([]);
  });

  it('connect a group by a form that shows the secret once', async () => {
    const group = hosts.gitlab.addGroup('platform', { owner: 50 });
    await page.goto(installationsPath());
    await page.getByRole('button', { name: 'Connect a GitLab group' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect a GitLab group' });
    await dialog.getByLabel('Name').fill('Platform');
    await dialog.getByLabel('Group ID').fill(String(group.id));
    await dialog.getByLabel('Access token').fill('made-up');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await dialog.getByText('the token must belong to this group').waitFor();
    await dialog.getByLabel('Access token').fill(hosts.gitlab.addGroupToken(group.id));
    await dialog.getByRole('button', { name: 'Connect' }).click();
    const secret = await dialog.getByLabel('Webhook secret').inputValue();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await dialog.getByLabel('Webhook URL').inputValue()).toBe(`${hosts.api.url}/api/v1/gitlab/events`);
    expect(await dialog.getByRole('button', { name: /copy/i }).count()).toBeGreaterThan(0);
    await dialog.getByRole('button', { name: 'Done' }).click();
    // Its end is animated.
    await dialog.waitFor({ state: 'detached' });
    await table('Installations')
      .getByRole('row')
      .filter({ hasText: 'Platform' })
      .getByText('pending')
      .waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(
      await hosts.gitlab.deliver(`${hosts.api.url}/api/v1/gitlab/events`, secret, { object_kind: 'push' }),
    ).toBe(200);
    await page.reload();
    await table('Installations')
      .getByRole('row')
      .filter({ hasText: 'Platform' })
      .getByText('installed')
      .waitFor();
  });

  it('replace the token of a group, and its webhook secret, which is shown once', async () => {
    const [group] = hosts.gitlab.groups;
    const row = table('Installations').getByRole('row').filter({ hasText: 'Platform' });
    const other = table('Installations').getByRole('row').filter({ hasText: 'acme' });
    expect(await other.getByRole('button', { name: 'Replace token' }).count()).toBe(0);
    await row.getByRole('button', { name: 'Replace token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replace token' });
    const confirm = dialog.getByRole('button', { name: 'Replace token' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Access token').fill('made-up');
    await confirm.click();
    await dialog.getByText('the token must belong to this group').waitFor();
    await dialog.getByLabel('Access token').fill(hosts.gitlab.addGroupToken(group?.id ?? 0));
    expect(await seriousFindings(page)).toEqual([]);
    await confirm.click();
    await dialog.waitFor({ state: 'detached' });
    await row.getByRole('button', { name: 'Replace token' }).click();
    await dialog.getByLabel('Create a new webhook secret').check();
    await confirm.click();
    const secret = await dialog.getByLabel('Webhook secret', { exact: true }).inputValue();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
    expect(
      await hosts.gitlab.deliver(`${hosts.api.url}/api/v1/gitlab/events`, secret, { object_kind: 'push' }),
    ).toBe(200);
  });

  it('list repositories, say what one lacks, refresh them and remove an archived one', async () => {
    await page.getByRole('link', { name: 'acme' }).click();
    await page.getByRole('heading', { level: 1, name: 'Repositories' }).waitFor();
    await page.getByText('No repositories. They appear with').waitFor();
    // The host answers when the progress was seen.
    const goOn = hosts.github.hold();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('status').getByText('Reading repositories').waitFor();
    goOn();
    const row = (name: string) => table('Repositories').getByRole('row').filter({ hasText: name });
    await row('infra').getByRole('button', { name: 'What is missing' }).click();
    await row('infra')
      .getByText('Missing: .github/workflows/infrastate.yml, .infrastate/config.yml')
      .waitFor();
    await row('ready').getByRole('button', { name: 'What is missing' }).click();
    await row('ready').getByText('Set up').waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    const remove = async () => {
      await page.getByRole('button', { name: 'Remove infra' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove repository' }).click();
    };
    await remove();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Link a GitHub account' }).click();
    await page.waitForURL(new RegExp(`${pathOf('repositories')}$`));
    await remove();
    await page.getByRole('dialog').getByText('Your account at GitHub is owner.').waitFor();
    await page.getByRole('dialog').getByText('must be archived at the code host').waitFor();
    repository.archived = true;
    await page.getByRole('dialog').getByRole('button', { name: 'Remove repository' }).click();
    await row('infra').waitFor({ state: 'detached' });
    repository.archived = false;
    expect(complaints()).toEqual([]);
  });

  it('say that a refresh failed', async () => {
    await page.goto(pathOf('repositories'));
    hosts.github.fail({ matches: /installation\/repositories/, status: 422, times: 1 });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').getByText('PROVIDER_REFUSED').waitFor();
    hosts.github.healed();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await table('Repositories').getByText('ready').waitFor();
  });

  it('list pull requests as text, never as markup', async () => {
    await page.goto(pathOf('pull-requests'));
    await page.getByText('No pull requests.').waitFor();
    for (let n = 1; n <= 30; n += 1) {
      const pull = hosts.github.addPull(repository, `change-${n}`, { [`docs-${n}.md`]: '' });
      pull.title = n === 30 ? HOSTILE : `Change ${n}`;
      await hosts.github.deliver(hosts.api, 'pull_request', {
        ...hosts.github.payloadOf(repository),
        action: 'opened',
        pull_request: { number: pull.number },
      });
    }
    await allProcessed(hosts.api);
    await page.reload();
    const pulls = table('Pull requests');
    await pulls.getByText(HOSTILE).waitFor();
    const first = pulls.getByRole('row').filter({ hasText: '#30' });
    await first.getByText('acme/infra').waitFor();
    await first.getByText('open', { exact: true }).waitFor();
    await scrollUntil(
      page.getByRole('group', { name: 'Pull requests, scrollable' }),
      pulls.getByText('#1', { exact: true }),
    );
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.title()).not.toBe('1');
    expect(complaints()).toEqual([]);
  });

  it('lead to the key-value store of an installation and back, under both spellings', async () => {
    await must(hosts.api, 'PUT', `/github/kv/${installation.id}/key/lock`, {
      as: admin.token,
      body: { data: 'job-17' },
    });
    await page.goto(`/installations/vcs_a/${installation.id}/pull-requests`);
    await table('Pull requests').getByText('#30').waitFor();
    await page.getByRole('link', { name: 'Key-value store' }).click();
    await page.getByRole('heading', { level: 1, name: 'Key-value store' }).waitFor();
    await table('Keys').getByRole('link', { name: 'lock' }).waitFor();
    await page.getByRole('link', { name: 'Repositories' }).click();
    await table('Repositories').getByText('ready').waitFor();
    const [group] = hosts.gitlab.groups;
    await page.goto(`/installations/vcs_b/${group?.id}/repositories`);
    await page.getByText('No repositories. They appear with').waitFor();
    await page.goto('/installations/svn/1/repositories');
    await page.getByText('This code-hosting provider is not known').waitFor();
    expect(new URL(page.url()).pathname).toBe('/installations/svn/1/repositories');
  });

  it('refuse repositories and deliveries that the caller may not see', async () => {
    const { page: theirs } = await open(member, '/installations/github/999999/repositories');
    await theirs.getByRole('alert').waitFor();
    await theirs.goto(`/tenants/${admin.tenantId}/installations/deliveries`);
    await theirs.getByRole('alert').waitFor();
    expect(await theirs.getByRole('alert').count()).toBe(1);
  });

  it('show webhook deliveries, and unlink', async () => {
    await page.goto(installationsPath());
    await page.getByRole('link', { name: 'Webhook deliveries' }).click();
    const deliveries = table('Webhook deliveries');
    await deliveries.getByText('pull_request opened').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.goto(installationsPath());
    await table('Installations')
      .getByRole('row')
      .filter({ hasText: 'acme' })
      .getByRole('button', { name: 'Unlink' })
      .click();
    await page.getByRole('dialog').getByText('Its records stay').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await table('Installations').getByText('acme').waitFor({ state: 'detached' });
    await page.goto(pathOf('repositories'));
    await page.getByRole('alert').waitFor();
    expect(complaints()).toEqual([]);
  });

  it.each(EVERY_SCREEN)('can be used by everybody, %s and %i pixels wide', async (colorScheme, width) => {
    const [group] = hosts.gitlab.groups;
    const project = hosts.gitlab.addProject(group?.id ?? 0, `p-${'long'.repeat(30)}`, {});
    const [row] = (
      await hosts.api.pool.query<{ id: string }>('SELECT id FROM installations WHERE installation_id = $1', [
        String(group?.id),
      ])
    ).rows;
    await hosts.api.pool.query(
      `INSERT INTO repositories (installation_id, provider_id, owner, name, clone_url, web_url) VALUES ($1, $2, 'platform', $3, 'x', 'x')`,
      [row?.id, String(project.id), `p-${'long'.repeat(30)}`],
    );
    const shown = await open(manager, installationsPath(), { colorScheme, width });
    for (const [path, name] of [
      [installationsPath(), 'Installations'],
      [`${installationsPath()}/deliveries`, 'Webhook deliveries'],
      [`/installations/gitlab/${group?.id}/repositories`, 'Repositories'],
    ] as const) {
      await shown.page.goto(path);
      await shown.page.getByRole('table', { name }).waitFor();
      expect([path, await seriousFindings(shown.page), await sidewaysPixels(shown.page)]).toEqual([
        path,
        [],
        0,
      ]);
    }
  });

  it('are empty and quiet while orchestration is off', async () => {
    const { SERVICE_ENCRYPTION_KEYS = '' } = hosts.env;
    const off = await startGenerous({ database: hosts.api.database, env: { SERVICE_ENCRYPTION_KEYS } });
    try {
      const quiet = await visit(browser, off.url);
      await quiet.page.goto(installationsPath());
      await signInBy(quiet.page, manager);
      await quiet.page.getByText('No installations.').waitFor();
      await quiet.page.waitForLoadState('networkidle');
      expect(quiet.complaints).toEqual([]);
      await quiet.page.getByRole('alert').getByText('Set SERVICE_ORCHESTRATION_ENABLED=true').waitFor();
      expect(await quiet.page.getByRole('button', { name: 'Connect GitHub' }).isDisabled()).toBe(true);
      await quiet.page.getByRole('button', { name: 'Connect a GitLab group' }).click();
      const dialog = quiet.page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('x');
      await dialog.getByLabel('Group ID').fill('5');
      await dialog.getByLabel('Access token').fill('x');
      await dialog.getByRole('button', { name: 'Connect' }).click();
      await dialog.getByText('orchestration not enabled on this server').waitFor();
    } finally {
      await off.stop();
    }
  });
});
