import { randomUUID } from 'node:crypto';
import { aBackend, addressOf, send, type TestBackend } from '../support/backend.js';
import { hasNginx, Nginx } from '../support/nginx.js';
import { describeWith, TerraformWorkspace } from '../support/terraform.js';

interface Document {
  resources: { name: string; module?: string }[];
}

const block = (address: string) => `terraform {\n  backend "http" {\n    address = "${address}"\n  }\n}\n`;
const data = (names: readonly string[], provisioner = '') =>
  names.map((name) => `resource "terraform_data" "${name}" {\n${provisioner}}\n`).join('');

/** Lets a resource take until the file exists, so that other runs come in between. */
const waitFor = (file: string) =>
  `  provisioner "local-exec" {\n    command = "until [ -e ${file} ]; do sleep 0.1; done"\n  }\n`;

/** Real processes behind the shipped proxy configuration without the port, all with one key. */
describeWith('terraform', 'Terraform runs behind a proxy', () => {
  let backend: TestBackend;
  let proxy: Nginx | undefined;
  const workspaces: TerraformWorkspace[] = [];

  beforeAll(async () => {
    backend = await aBackend();
    if (hasNginx) proxy = await Nginx.start(backend.service.url, { tellsPort: false });
  }, 120_000);
  afterAll(async () => {
    for (const workspace of workspaces) workspace.remove();
    await proxy?.stop();
    await backend.stop();
  });

  async function start(count: number, configuration: string, names: boolean) {
    const group = await backend.aState();
    const workspaceName = randomUUID();
    const address = addressOf(proxy?.url ?? backend.url, group.groupId, workspaceName);
    const all = Array.from({ length: count }, (_, index) => {
      const user = names ? { TF_HTTP_USERNAME: `run-${randomUUID()}` } : { TF_HTTP_USERNAME: `job ${index}` };
      return new TerraformWorkspace(
        { 'backend.tf': block(address), 'main.tf': configuration },
        { TF_HTTP_PASSWORD: backend.key, ...user },
      );
    });
    workspaces.push(...all);
    for (const workspace of all) await workspace.run(['init', '-no-color']);
    await all[0]?.run(['apply', '-auto-approve', '-no-color']);
    const stored = async () => {
      const document = (
        await send(addressOf(backend.url, group.groupId, workspaceName), { key: backend.key })
      ).json();
      return (document as Document).resources
        .map(({ name, module }) => (module ? `${module}.${name}` : name))
        .sort();
    };
    return { all: all as [TerraformWorkspace, TerraformWorkspace], stored };
  }

  it('keep what one creates while another destroys', async () => {
    const { all, stored } = await start(2, data(['base']), true);
    const [slow, quick] = all;
    const gate = `${slow.directory}/go`;
    slow.write({ 'main.tf': data(['base']) + data(['f'], waitFor(gate)) });
    const applying = slow.try(['apply', '-auto-approve', '-no-color']);
    quick.write({ 'main.tf': data(['base', 'i', 'k']) });
    await quick.run([
      'apply',
      '-auto-approve',
      '-no-color',
      '-target=terraform_data.i',
      '-target=terraform_data.k',
    ]);
    await quick.run([
      'destroy',
      '-auto-approve',
      '-no-color',
      '-target=terraform_data.i',
      '-target=terraform_data.k',
    ]);
    slow.write({ go: '' });
    expect(await applying).toMatchObject({ code: 0 });
    expect(await stored()).toEqual(['base', 'f']);
  }, 180_000);

  it('refuse the second move of one object', async () => {
    const { all, stored } = await start(2, data(['db']), true);
    const [one, two] = all;
    const gate = `${two.directory}/go`;
    two.write({
      'main.tf': `resource "terraform_data" "other" {\n${waitFor(gate)}}\nresource "terraform_data" "second" {}\nmoved {\n  from = terraform_data.db\n  to   = terraform_data.second\n}\n`,
    });
    const applying = two.try(['apply', '-auto-approve', '-no-color']);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await one.run(['state', 'mv', 'terraform_data.db', 'terraform_data.main']);
    two.write({ go: '' });
    expect((await applying).code).toBe(1);
    expect(await stored()).toEqual(['main']);
  }, 180_000);

  it('get through after a conflict, without a name', async () => {
    const { all, stored } = await start(2, data(['base']), false);
    const [one, two] = all;
    const gate = `${two.directory}/go`;
    two.write({ 'main.tf': data(['base']) + data(['x'], waitFor(gate)) });
    const applying = two.try(['apply', '-auto-approve', '-no-color']);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    one.write({ 'main.tf': data(['base', 'x']) });
    await one.run(['apply', '-auto-approve', '-no-color']);
    two.write({ go: '' });
    expect((await applying).code).toBe(1);
    two.write({ 'main.tf': data(['base', 'x', 'y']) });
    const codes = [];
    for (let run = 0; run < 2; run++)
      codes.push((await two.try(['apply', '-auto-approve', '-no-color'])).code);
    expect(codes.at(-1)).toBe(0);
    expect(await stored()).toEqual(['base', 'x', 'y']);
  }, 180_000);
});
