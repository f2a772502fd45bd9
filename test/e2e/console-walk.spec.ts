import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { signInBy, startBrowser, untilHolds, visit, type Visit } from '../support/browser.js';
import { call } from '../support/identity.js';
import { startLocally } from '../support/local-start.js';
import { describeWith, itWith, terraformAvailable, TerraformWorkspace } from '../support/terraform.js';

jest.setTimeout(180_000);

const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
const BOB = { name: 'Bob', email: 'bob@example.com', password: 'another long password' };
/** @param network the address range, and what must happen before it is there */
const resources = (network: string, before = ''): string => `
resource "terraform_data" "network" {
  input = "${network}"
  ${before}
}
resource "terraform_data" "server" {
  count = 2
  input = "\${terraform_data.network.output}-\${count.index}"
}
`;

/** The first five minutes of the README, with nothing but what it says and what stands on the pages. */
describeWith('chromium', 'A newcomer in the browser', () => {
  let service: Awaited<ReturnType<typeof startLocally>>;
  let browser: Browser;
  let ada: Visit;
  /** as copied from the page of the state */
  let block: string;
  let key: string;
  beforeAll(async () => {
    service = await startLocally();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it('gets from an empty service to an applied state, and asks what it is made of', async () => {
    ada = await visit(browser, service.url);
    const { page, complaints, context } = ada;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');
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
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    key = await copied();
    expect(key.length).toBeGreaterThan(20);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'API keys' }).getByText('laptop').waitFor();
    expect(await page.content()).not.toContain(key);

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'States' }).click();
    await page.getByRole('button', { name: 'New state' }).click();
    await page.getByRole('dialog', { name: 'New state' }).getByLabel('Name').fill('first');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL(/\/states\/[^/]+\/connect$/);
    await page.getByRole('heading', { level: 1, name: 'first' }).waitFor();
    const connect = page.getByRole('region', { name: 'Terraform and OpenTofu' });
    await connect.getByRole('button', { name: 'Copy' }).click();
    await connect.getByText('Copied', { exact: true }).waitFor();
    block = await copied();
    expect(block).toBe(`${await connect.locator('pre').innerText()}`.trimEnd() + '\n');
    expect(block).toContain('lock_method    = "LOCK"');
    const commands = page.getByRole('region', { name: 'The key' });
    expect(await commands.locator('pre').innerText()).toContain('export TF_HTTP_PASSWORD=');
    await apply(block, key);

    const tabs = page.getByRole('navigation', { name: 'State', exact: true });
    await tabs.getByRole('link', { name: 'Instances' }).click();
    const instances = page.getByRole('table', { name: 'Instances' });
    await instances.getByRole('link', { name: 'terraform_data.network' }).click();
    const opened = page.getByRole('dialog', { name: 'terraform_data.network' });
    await opened
      .getByText('registry.terraform.io')
      .or(opened.getByText('terraform.io/builtin/terraform'))
      .first()
      .waitFor();
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
    await page.getByRole('status').getByText('3 instances', { exact: true }).waitFor();
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
    await untilHolds(async () => expect(await results.getByText('0.10').count()).toBe(3));
    expect(complaints).toEqual([]);
  });

  const needsTerraform = { isMet: terraformAvailable(), else: 'terraform is not on the PATH' };
  itWith(needsTerraform, 'is told why an apply was refused, and whose change was in its way', async () => {
    const { page, complaints } = ada;
    // The first one holds its apply until the second one has written.
    const runs = ['10.1.0.0/16', '10.2.0.0/16'].map((network, index) => {
      const wait = `provisioner "local-exec" {\n command = "touch begun; until [ -e go ]; do sleep 0.1; done"\n }`;
      const triggers = `triggers_replace = "${network}"`;
      const text = resources(network, index === 0 ? `${triggers}\n ${wait}` : triggers);
      return new TerraformWorkspace(
        { 'main.tf': `${block}${text}` },
        { TF_HTTP_USERNAME: `run-${index}`, TF_HTTP_PASSWORD: key },
      );
    }) as [TerraformWorkspace, TerraformWorkspace];
    const [mine, theirs] = runs;
    try {
      for (const run of runs) await run.run(['init']);
      const refused = mine.try(['apply', '-auto-approve', '-lock=false']);
      while (!existsSync(join(mine.directory, 'begun'))) await delay(50);
      await theirs.run(['apply', '-auto-approve', '-lock=false']);
      mine.write({ go: '' });
      const outcome = await refused;
      expect([outcome.code, outcome.stderr]).toEqual([1, expect.stringContaining('409')]);
    } finally {
      for (const run of runs) run.remove();
    }
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Dashboard' }).click();
    const card = page.getByRole('region', { name: 'Refused submissions' });
    await card.getByText('Ada').waitFor();
    await card.getByRole('link', { name: /^Compare/ }).click();
    const conflicts = page.getByRole('region', { name: 'Conflicts' });
    await conflicts.getByRole('listitem').filter({ hasText: 'terraform_data.network' }).first().waitFor();
    await page.getByRole('table', { name: 'Changed instances' }).getByText('10.1.0.0/16').first().waitFor();
    await conflicts.getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: /^Transaction / }).waitFor();
    await page.getByRole('link', { name: /^first version \d+$/ }).waitFor();
    await page.getByRole('main').getByText('Ada').first().waitFor();
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
    const invite = ada.page.getByRole('dialog').filter({ hasText: 'Send invitation' });
    await invite.getByLabel('Email').fill(BOB.email);
    await invite.getByRole('button', { name: 'Send invitation' }).click();
    const link = await ada.page.getByLabel('Invitation link').inputValue();
    await ada.page.getByRole('button', { name: 'Done' }).click();
    await ada.page.getByRole('dialog').waitFor({ state: 'detached' });
    // It was shown once, and is kept nowhere.
    const kept = await ada.page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.title, location.href, history.state])',
    );
    const token = new URL(link).searchParams.get('token') ?? '';
    expect(token.length).toBeGreaterThan(20);
    expect(`${kept} ${await ada.page.content()}`).not.toContain(token);

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
        { 'main.tf': `${block}${resources('10.0.0.0/16')}` },
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
