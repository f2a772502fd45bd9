import type { Browser } from 'playwright-core';
import { signInBy, startBrowser, visit } from '../support/browser.js';
import { call } from '../support/identity.js';
import { type RunningService, startService } from '../support/service.js';
import { describeWith, terraformAvailable, TerraformWorkspace } from '../support/terraform.js';

jest.setTimeout(180_000);

const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
const BOB = { name: 'Bob', email: 'bob@example.com', password: 'another long password' };
const RESOURCES = `
resource "terraform_data" "network" {
  input = "10.0.0.0/16"
}
resource "terraform_data" "server" {
  count = 2
  input = "\${terraform_data.network.output}-\${count.index}"
}
`;

describeWith('chromium', 'A newcomer in the browser', () => {
  let service: RunningService;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it('gets from an empty service to an applied state, and asks what it is made of', async () => {
    const { page, complaints } = await visit(browser, service.url);
    await page.goto('/');
    await page.getByRole('heading', { level: 1, name: 'Set up' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill(ADA.name);
    await page.getByLabel('Email').fill(ADA.email);
    await page.getByLabel('Password', { exact: true }).fill(ADA.password);
    await page.getByLabel('Organization').fill('Example');
    await page.getByRole('button', { name: 'Create administrator' }).click();
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    await page.getByRole('button', { name: 'Tenant: Example' }).waitFor();

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'New API key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    await dialog.getByLabel('Name').fill('laptop');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const key = await page.getByLabel('API key', { exact: true }).inputValue();
    expect(key.length).toBeGreaterThan(20);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('table', { name: 'API keys' }).getByText('laptop').waitFor();
    expect(await page.content()).not.toContain(key);

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'States' }).click();
    await page.getByRole('button', { name: 'New state' }).click();
    await page.getByRole('dialog', { name: 'New state' }).getByLabel('Name').fill('first');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL(/\/states\/[^/]+\/connect$/);
    await page.getByRole('heading', { level: 1, name: 'first' }).waitFor();
    const block = await page
      .getByRole('region', { name: 'Terraform and OpenTofu' })
      .locator('pre')
      .first()
      .innerText();
    expect(block).toContain('lock_method    = "LOCK"');
    await apply(block, key);

    const tabs = page.getByRole('navigation', { name: 'State', exact: true });
    await tabs.getByRole('link', { name: 'Instances' }).click();
    const instances = page.getByRole('table', { name: 'Instances' });
    await instances.getByRole('link', { name: 'terraform_data.network' }).click();
    const opened = page.getByRole('dialog', { name: 'terraform_data.network' });
    await opened.getByText('10.0.0.0/16').first().waitFor();
    await opened.getByRole('link', { name: 'terraform_data.server[1]' }).waitFor();
    expect(page.url()).toContain('instance=terraform_data.network');
    await opened.getByRole('link', { name: 'Blast radius' }).click();
    await page
      .getByText('Blast radius: 2 instances in 1 state.')
      .or(page.getByText('Blast radius: 3 instances in 1 state.'))
      .waitFor();
    await page
      .getByRole('table', { name: 'Instances in view' })
      .getByText('terraform_data.server[0]')
      .waitFor();
    expect(await page.getByRole('status').filter({ hasText: 'instances' }).first().innerText()).toBe(
      '3 instances',
    );
    await page.locator('[aria-label="Dependency graph"][data-drawn]').waitFor();

    await tabs.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('table', { name: 'Versions' }).getByText('Ada').waitFor();

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'SQL' }).click();
    await page
      .getByRole('textbox', { name: 'Query' })
      .fill('SELECT address, 0.10 AS cents FROM instances ORDER BY address');
    await page.getByRole('button', { name: 'Run' }).click();
    const results = page.getByRole('table', { name: 'Results' });
    await results.getByText('terraform_data.server[1]').waitFor();
    expect(await results.getByText('0.10').count()).toBe(3);
    expect(complaints).toEqual([]);
  });

  it('invites somebody who accepts with a browser of their own', async () => {
    const ada = await visit(browser, service.url);
    await ada.page.goto('/');
    await signInBy(ada.page, ADA);
    await ada.page.getByRole('button', { name: 'Tenant: ' }).click();
    await ada.page.getByRole('menuitem', { name: 'Example' }).click();
    await ada.page.getByRole('link', { name: 'Users' }).click();
    await ada.page.getByRole('button', { name: 'New user' }).click();
    const dialog = ada.page.getByRole('dialog', { name: 'New user' });
    await dialog.getByLabel('Name').fill(BOB.name);
    await dialog.getByLabel('Email').fill(BOB.email);
    await dialog.getByLabel('Password', { exact: true }).fill(BOB.password);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await ada.page.getByRole('table', { name: 'Users' }).getByText(BOB.email).waitFor();
    await ada.page.getByRole('link', { name: 'Members' }).click();
    await ada.page.getByRole('button', { name: 'Invite' }).click();
    await ada.page.getByLabel('Email').fill(BOB.email);
    await ada.page.getByRole('button', { name: 'Send invitation' }).click();
    const link = await ada.page.getByLabel('Invitation link').inputValue();

    const bob = await visit(browser, service.url);
    await bob.page.goto(link);
    await bob.page.getByRole('heading', { level: 1, name: 'Invitation' }).waitFor();
    await bob.page.getByRole('link', { name: 'Sign in to accept' }).click();
    await bob.page.getByLabel('Email').fill(BOB.email);
    await bob.page.getByLabel('Password', { exact: true }).fill(BOB.password);
    await bob.page.getByRole('button', { name: 'Sign in' }).click();
    await bob.page.getByRole('button', { name: 'Accept invitation' }).click();
    await bob.page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    expect(
      await bob.page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts(),
    ).not.toContain('Users');
    expect([...ada.complaints, ...bob.complaints]).toEqual([]);
  });

  /** With the real client where there is one, and as it writes otherwise. */
  async function apply(block: string, key: string): Promise<void> {
    if (terraformAvailable()) {
      const workspace = new TerraformWorkspace(
        { 'main.tf': `${block}${RESOURCES}` },
        { TF_HTTP_USERNAME: 'key', TF_HTTP_PASSWORD: key },
      );
      try {
        await workspace.run(['init']);
        await workspace.run(['apply', '-auto-approve']);
      } finally {
        workspace.remove();
      }
      return;
    }
    const address = /address\s+= "([^"]+)"/.exec(block)?.[1] ?? '';
    const instance = (attributes: object, index_key?: number) => ({
      schema_version: 0,
      attributes,
      index_key,
      dependencies: index_key === undefined ? [] : ['terraform_data.network'],
    });
    const resource = (name: string, instances: object[]) => ({
      mode: 'managed',
      type: 'terraform_data',
      name,
      provider: 'provider["terraform.io/builtin/terraform"]',
      instances,
    });
    const document = {
      version: 4,
      terraform_version: '1.11.0',
      serial: 1,
      lineage: '5b5bd5a6-0000-4000-8000-000000000000',
      outputs: {},
      check_results: null,
      resources: [
        resource('network', [instance({ input: '10.0.0.0/16' })]),
        resource('server', [instance({ input: '0' }, 0), instance({ input: '1' }, 1)]),
      ],
    };
    const { status } = await call(
      { url: new URL(address).origin },
      'POST',
      new URL(address).pathname.slice('/api/v1'.length),
      { as: key, body: document },
    );
    expect(status).toBe(200);
  }
});
