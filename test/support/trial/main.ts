import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { TrialSite } from './trial-site.js';

const USAGE = `npm run code-host -- [options]: stand-ins of GitHub and GitLab on this machine

  --service <address>      where webhooks go (default http://localhost:8080)
  --github-port <port>     port of the stand-in of GitHub (default 8077)
  --gitlab-port <port>     port of the stand-in of GitLab (default 8078)
  --environment <file>     file that gets the settings for the service (default .data/code-host.env)
  --client <script>        script of the client that does the jobs (default cli/dist/infrastate.cjs)
  --help                   shows this text
`;

/** `npm run code-host`: stand-ins of GitHub and GitLab on this machine, for a first try of pull requests. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      service: { type: 'string', default: 'http://localhost:8080' },
      'github-port': { type: 'string', default: '8077' },
      'gitlab-port': { type: 'string', default: '8078' },
      environment: { type: 'string', default: '.data/code-host.env' },
      client: { type: 'string', default: 'cli/dist/infrastate.cjs' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const site = new TrialSite({
    service: values.service,
    githubPort: Number(values['github-port']),
    gitlabPort: Number(values['gitlab-port']),
    client: resolve(values.client),
    report: (line) => void process.stdout.write(`  ${line}\n`),
  });
  await site.start();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      // Its keys are good for this start only.
      rmSync(values.environment, { force: true });
      void site.stop().then(() => process.exit(0));
    });
  writeEnvironment(values.environment, site.environment);
  process.stdout.write(`
  GitHub    ${site.urls.github}   organization acme, repository acme/infra
  GitLab    ${site.urls.gitlab}   group platform (id ${site.groupId}), repository platform/infra,
            group access token ${site.groupToken}
  Service   ${values.service}: start it in another terminal with
            . ${values.environment} && npm start

  You are ada, an administrator of both. Go on in README.md, "Connect a repository".
  Stop      Ctrl-C. Everything here is forgotten then.

`);
}

/** For a shell; it holds secrets. */
function writeEnvironment(file: string, environment: Record<string, string>): void {
  const lines = Object.entries(environment).map(([key, value]) => `export ${key}='${value}'\n`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.join(''), { mode: 0o600 });
}

main().catch((error: unknown) => {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  const advice = isTaken ? '; choose other ports with -- --github-port 8087 --gitlab-port 8088' : '';
  const isUsage = error instanceof Error && 'code' in error && /^ERR_PARSE_ARGS/.test(String(error.code));
  const usage = isUsage ? `\n${USAGE}` : '';
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${advice}\n${usage}`);
  process.exit(1);
});
