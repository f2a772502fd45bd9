import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../../cli/src/configuration/canonical-json.js';
import { type Configuration, readConfiguration } from '../../cli/src/configuration/configuration.js';
import type { Bundle } from '../../cli/src/run/bundle.js';
import { writeBundle } from '../../cli/src/run/bundle-directory.js';
import { OriginalTexts } from '../../cli/src/run/original-text.js';
import { FakeProvider } from '../support/fake-provider/index.js';
import { CORPUS } from '../support/hcl-corpus.js';
import { describeWith, TerraformWorkspace } from '../support/terraform.js';

const EMPTY = {
  version: 4,
  terraform_version: '1.11.4',
  serial: 1,
  lineage: 'corpus',
  outputs: {},
  resources: [],
};

/** What the service would answer for a configuration that has to be planned as a whole. */
function wholeBundle(configuration: Configuration, asJson: boolean): Bundle {
  const entries = configuration.nodes.map(({ entry }) => entry);
  const values = Object.fromEntries(
    entries.flatMap((entry) => (entry.action === 'tfvar_set' ? [[entry.data.name, entry.data.data]] : [])),
  );
  return {
    hcl: entries.flatMap((entry) => {
      if (entry.action !== 'hcl_set') return [];
      const { file, module, data } = entry.data;
      return [{ module, data, file: asJson ? file.replace(/\.tf$/, '.tf.json') : file }];
    }),
    files: [
      ...entries.flatMap((entry) => (entry.action === 'file_set' ? [entry.data] : [])),
      {
        filepath: 'terraform.tfvars.json',
        module: '',
        content: Buffer.from(JSON.stringify(values)).toString('base64'),
        content_hash: sha256(JSON.stringify(values)),
        mode: '0600',
      },
    ],
    state: JSON.stringify(EMPTY),
    isEmpty: false,
  };
}

describeWith('terraform', 'A configuration that was read and is written again', () => {
  let provider: FakeProvider;
  const workspaces: TerraformWorkspace[] = [];
  const directories: string[] = [];

  beforeAll(async () => {
    provider = await FakeProvider.start();
  });
  afterAll(async () => {
    for (const workspace of workspaces) workspace.remove();
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
    await provider.stop();
  });

  async function planOf(directory: string): Promise<unknown> {
    const terraform = new TerraformWorkspace({}, provider.env);
    workspaces.push(terraform);
    const chdir = `-chdir=${directory}`;
    await terraform.run([chdir, 'plan', '-input=false', '-no-color', '-out=tfplan']);
    const { resource_changes, output_changes, resource_drift, variables, checks } = JSON.parse(
      await terraform.run([chdir, 'show', '-json', 'tfplan']),
    ) as Record<string, unknown>;
    return { resource_changes, output_changes, resource_drift, variables, checks };
  }

  function original(files: Record<string, string>): string {
    const directory = mkdtempSync(join(tmpdir(), 'corpus-'));
    directories.push(directory);
    for (const [name, text] of Object.entries(files)) {
      const path = join(directory, name);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, text);
    }
    return directory;
  }

  for (const [title, item] of Object.entries(CORPUS)) {
    const forms =
      item.json === false ? ['printed', 'in its own words'] : ['printed', 'in its own words', 'as JSON'];
    let known: { home: string; plan: unknown } | undefined;

    /** The directory of the files, and what Terraform plans there. */
    async function planned(): Promise<{ home: string; plan: unknown }> {
      if (known) return known;
      const home = original(item.files);
      const terraform = new TerraformWorkspace({}, provider.env);
      workspaces.push(terraform);
      if (Object.keys(item.files).some((name) => name.includes('/main.tf')))
        await terraform.run([`-chdir=${home}`, 'init', '-input=false', '-no-color']);
      known = { home, plan: await planOf(home) };
      return known;
    }

    for (const form of forms) {
      it(`gives the same plan ${form}: ${title}`, async () => {
        const { home, plan } = await planned();
        const again = mkdtempSync(join(tmpdir(), 'corpus-again-'));
        directories.push(again);
        const configuration = readConfiguration(home);
        const originals =
          form === 'in its own words' ? new OriginalTexts(home, configuration.nodes) : undefined;
        const bundle = wholeBundle(configuration, form === 'as JSON');
        expect(await planOf(writeBundle(bundle, again, { home, originals }))).toEqual(plan);
      });
    }
  }
});
