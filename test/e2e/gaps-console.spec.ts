import type { Browser } from 'playwright-core';
import { seriousFindings, signInBy, startBrowser, visit } from '../support/browser.js';
import { anAccount, awsResource } from '../support/clouds/aws-cloud.js';
import { GapSuite } from '../support/gaps.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(180_000);

const ACCOUNT = '111111111111';
const ROLE = `arn:aws:iam::${ACCOUNT}:role/inventory`;
const EVE = { email: 'eve@example.com', password: 'correct horse battery' };

describeWith('chromium', 'Gap analysis in the browser', () => {
  let suite: GapSuite;
  let browser: Browser;
  beforeAll(async () => {
    suite = await GapSuite.start({ SERVICE_GAPS_FRESH_SECONDS: '1' });
    browser = await startBrowser();
    const { backend } = suite;
    const { tenantId } = backend;
    const created = await backend.api('POST', '/users', {
      body: { ...EVE, name: 'Eve', is_instance_admin: true },
    });
    const { id } = created.json() as { id: string };
    await backend.api('POST', `/tenants/${tenantId}/members`, { body: { user_id: id } });
  });
  afterAll(async () => {
    await browser.close();
    await suite.stop();
  });

  it('is set up, scanned, filtered and turned into import configuration', async () => {
    const resources = [
      awsResource(`arn:aws:sns:eu-west-1:${ACCOUNT}:orders`, 'sns:topic'),
      awsResource(`arn:aws:sqs:eu-west-1:${ACCOUNT}:jobs`, 'sqs:queue'),
      awsResource(`arn:aws:ec2:eu-west-1:${ACCOUNT}:vpc/vpc-0d`, 'ec2:vpc'),
    ];
    // The role may list resources and may not ask EC2 and KMS, which the smallest policy of the documents leaves out.
    suite.aws.accounts.push(anAccount({ id: ACCOUNT, externalId: await suite.externalId(), resources }));
    const { page, complaints } = await visit(browser, suite.backend.url);
    await page.goto(`/tenants/${suite.backend.tenantId}/gaps`);
    await signInBy(page, EVE);
    await page.getByRole('heading', { level: 1, name: 'Gap analysis' }).waitFor();
    await page.getByText('"sts:ExternalId"').waitFor();
    await page.getByRole('button', { name: 'Configure' }).click();
    await page.getByLabel('Role').fill(ROLE);
    await page.getByRole('button', { name: 'Save' }).click();
    const table = page.getByRole('table', { name: 'Unmanaged resources' });
    await table.waitFor();
    await page.getByText('DEFAULTS_NOT_TOLD').waitFor();
    await page.getByText('default VPCs and AWS-managed keys are listed as unmanaged').waitFor();
    await table.getByText('vpc-0d').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel('Filter').fill('sns');
    await page.getByLabel(`Select arn:aws:sns:eu-west-1:${ACCOUNT}:orders`).check();
    await page.getByRole('button', { name: 'Generate import of 1' }).click();
    const blocks = page.getByRole('region', { name: 'Import blocks' });
    await blocks.getByText('to = aws_sns_topic.orders').waitFor();
    await table.getByText('jobs').waitFor({ state: 'detached' });
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
