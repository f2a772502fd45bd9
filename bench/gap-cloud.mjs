// A stand-in for AWS with 100,000 resources, in a process of its own. Prints its address.
// With `peer <address>` it is the SDK that reads and discards the same pages; prints the milliseconds and
// those of processor time.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ACCOUNT = '999999999999';

async function serve(count) {
  const { build } = await import('esbuild');
  const here = dirname(fileURLToPath(import.meta.url));
  const outfile = join(mkdtempSync(join(tmpdir(), 'gap-cloud-')), 'aws-cloud.mjs');
  await build({
    ...{ entryPoints: [join(here, '..', 'test', 'support', 'clouds', 'aws-cloud.ts')], outfile },
    ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
  });
  const { AwsCloud, anAccount, awsResource } = await import(pathToFileURL(outfile).href);
  const cloud = await new AwsCloud().start();
  const resources = Array.from({ length: count }, (_, at) =>
    awsResource(
      `arn:aws:ec2:eu-west-1:${ACCOUNT}:instance/i-${String(at).padStart(17, '0')}`,
      'ec2:instance',
      {
        Name: `instance ${at}`,
        team: `team-${at % 50}`,
      },
    ),
  );
  cloud.accounts.push(anAccount({ id: ACCOUNT, resources }));
  process.stdout.write(`${cloud.url}\n`);
}

async function readAll(endpoint) {
  const { ResourceExplorer2Client, GetDefaultViewCommand, ListResourcesCommand } =
    await import('@aws-sdk/client-resource-explorer-2');
  const begun = performance.now();
  const used = process.cpuUsage();
  const client = new ResourceExplorer2Client({ region: 'eu-west-1', endpoint });
  const { ViewArn } = await client.send(new GetDefaultViewCommand({}));
  let count = 0;
  for (let NextToken; ;) {
    const page = await client.send(new ListResourcesCommand({ ViewArn, MaxResults: 999, NextToken }));
    count += page.Resources.length;
    NextToken = page.NextToken;
    if (!NextToken) break;
  }
  const { user, system } = process.cpuUsage(used);
  process.stdout.write(`${performance.now() - begun} ${(user + system) / 1_000} ${count}\n`);
}

const [mode = '', value = ''] = process.argv.slice(2);
await (mode === 'peer' ? readAll(value) : serve(Number(value)));
