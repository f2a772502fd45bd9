// One changed block in a configuration of 10,000: plain terraform plan and apply over the http backend, against
// infrastate plan and apply of the same change, on the same machine, one after the other.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bytesOf } from '../estate.mjs';
import { post, quantile } from '../service.mjs';
import { storeConfiguration } from '../stored-configuration.mjs';

export const title = 'Plan and apply of what changed';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const PROVIDER = join(root, 'test', 'support', 'fake-provider', 'provider.mjs');
const CLIENT = join(root, 'cli', 'bin', 'infrastate.js');
const INSTANCES = Number(process.env.BENCH_DELTA_INSTANCES ?? 10_000);
const ROUNDS = 21;
/** Before those: a service that has just been started compiles what it runs. */
const WARM_UP = 3;
const GOAL = 50;
const SUBNETS = 50;
const AWS = 'provider["registry.terraform.io/hashicorp/aws"]';

export async function run(service) {
  const directory = mkdtempSync(join(tmpdir(), 'bench-delta-'));
  await service.startWorker();
  const names = Array.from({ length: INSTANCES - SUBNETS - 1 }, (_, index) => `n${index}`);
  const state = document(names);
  writeFileSync(join(directory, 'objects'), objects(state));
  const provider = await startProvider(directory);
  try {
    const bench = await prepare(service, directory, provider.attachment, names, state);
    const ours = [];
    await bench.store();
    for (let round = 1; round <= WARM_UP + ROUNDS; round++) ours.push(await bench.ours(round));
    const mine = quantile(ours.slice(WARM_UP), 0.5);
    // Plain terraform now finds what was applied and has one more change to make.
    const { milliseconds: plain, summary } = await bench.plain();
    const check = summary.includes('Plan: 0 to add, 1 to change, 0 to destroy.');
    return [
      {
        work: `one change in ${INSTANCES} instances, plan and apply with the real terraform${check ? '' : ' (WRONG: plain terraform finds other differences)'}`,
        measured: `${(mine / 1000).toFixed(2)} s`,
        peer: `plain terraform plan + apply ${(plain / 1000).toFixed(1)} s`,
        ratio: `${(plain / mine).toFixed(0)} times`,
        goal: `${GOAL} times`,
        met: check && plain / mine >= GOAL,
      },
    ];
  } finally {
    await provider.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function prepare(service, directory, attachment, names, state) {
  const { id, group_id: group } = await service.call('POST', `/tenants/${service.tenant}/states`, {
    name: 'delta',
  });
  await post(service, group, 'default', bytesOf(state));
  const write = (changed) =>
    writeFileSync(join(directory, 'main.tf'), configuration(service, group, names, changed));
  const env = {
    PATH: process.env.PATH,
    HOME: directory,
    TMPDIR: directory,
    CHECKPOINT_DISABLE: '1',
    TF_CLI_CONFIG_FILE: '/dev/null',
    TF_REATTACH_PROVIDERS: attachment,
    TF_HTTP_USERNAME: 'session',
    TF_HTTP_PASSWORD: service.token,
    INFRASTATE_API_BASE: service.base,
    INFRASTATE_API_KEY: service.token,
    INFRASTATE_TENANT_ID: service.tenant,
    INFRASTATE_STATE: id,
    INFRASTATE_SECURITY_WAIT_SECONDS: '0',
  };
  const terraform = (args, codes) => execute('terraform', args, directory, env, codes);
  const infrastate = (args, codes) => execute(process.execPath, [CLIENT, ...args], directory, env, codes);
  const plan = ['plan', '-input=false', '-no-color', '-out=tfplan'];
  write('');
  await terraform(['init', '-input=false', '-no-color']);
  return {
    store: () => storeConfiguration(service, id, directory),
    plain: async () => {
      write('plain');
      let summary = '';
      const milliseconds = await timed(async () => {
        summary = await terraform(plan);
        await terraform(['apply', '-input=false', '-no-color', 'tfplan']);
      });
      return { milliseconds, summary };
    },
    ours: async (round) => {
      write(`ours${round}`);
      return timed(async () => {
        await infrastate(['plan', '-out=ours.plan'], [2]);
        await infrastate(['apply', 'ours.plan']);
      });
    },
  };
}

function configuration(service, group, names, changed) {
  const address = `${service.base}/api/v1/states/backend/${group}`;
  const subnets = Array.from(
    { length: SUBNETS },
    (_, index) =>
      `resource "aws_subnet" "s${index}" {\n  vpc_id            = aws_vpc.main.id\n  cidr_block        = "10.0.${index}.0/24"\n  availability_zone = "a"\n}\n`,
  );
  const instances = names.map(
    (name, index) => `resource "aws_instance" "${name}" {
  ami           = "ami-1"
  instance_type = "t3.micro"
  subnet_id     = aws_subnet.s${index % SUBNETS}.id
  tags = {
    Name    = "${name}"
    Changed = "${index === 5 ? changed : ''}"
  }
}
`,
  );
  return [
    `terraform {\n  backend "http" {\n    address = "${address}"\n  }\n}\n`,
    'resource "aws_vpc" "main" {\n  cidr_block = "10.0.0.0/8"\n}\n',
    ...subnets,
    ...instances,
  ].join('\n');
}

/** What exists, as the fake cloud reads it. */
function objects({ resources }) {
  return resources
    .map(
      ({ type, instances: [{ attributes }] }) =>
        `${JSON.stringify({ id: attributes.id, type, attributes })}\n`,
    )
    .join('');
}

/** What terraform would have left. */
function document(names) {
  const arn = (type, id) => `arn:aws:fake:eu-central-1:123456789012:${type}/${id}`;
  const resource = (type, name, attributes, dependencies) => {
    const id = `${type}-${name}`;
    return {
      mode: 'managed',
      type,
      name,
      provider: AWS,
      instances: [
        {
          schema_version: 1,
          attributes: { arn: arn(type, id), id, ...attributes },
          sensitive_attributes: [],
          ...(dependencies ? { dependencies } : {}),
        },
      ],
    };
  };
  return {
    version: 4,
    terraform_version: '1.5.0',
    serial: 1,
    lineage: 'delta',
    outputs: {},
    resources: [
      resource('aws_vpc', 'main', { cidr_block: '10.0.0.0/8', enable_dns_hostnames: null, tags: null }),
      ...Array.from({ length: SUBNETS }, (_, index) =>
        resource(
          'aws_subnet',
          `s${index}`,
          { availability_zone: 'a', cidr_block: `10.0.${index}.0/24`, tags: null, vpc_id: 'aws_vpc-main' },
          ['aws_vpc.main'],
        ),
      ),
      ...names.map((name, index) =>
        resource(
          'aws_instance',
          name,
          {
            ami: 'ami-1',
            ebs_block_device: [],
            instance_type: 't3.micro',
            private_ip: `private_ip of ${name}`,
            subnet_id: `aws_subnet-s${index % SUBNETS}`,
            tags: { Changed: '', Name: name },
            user_data: null,
            vpc_security_group_ids: null,
          },
          [`aws_subnet.s${index % SUBNETS}`, 'aws_vpc.main'],
        ),
      ),
    ],
    check_results: null,
  };
}

async function startProvider(directory) {
  const child = spawn(process.execPath, [PROVIDER, join(directory, 'objects')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const attachment = await new Promise((done) =>
    child.stdout.once('data', (part) => done(part.toString().trim())),
  );
  return {
    attachment,
    stop: async () => {
      child.stdin.end();
      await new Promise((done) => child.once('exit', done));
    },
  };
}

function execute(command, args, cwd, env, codes = [0]) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => (said = (said + part).slice(-4000)));
    child.once('error', failed);
    child.once('close', (code) => {
      if (codes.includes(code)) done(said);
      else failed(new Error(`${args.join(' ')} exited ${code}\n${said}`));
    });
  });
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
