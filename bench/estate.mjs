// Deterministic state documents in the client's layout: environments with a network, services and a database.

function random(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const AWS = 'provider["registry.terraform.io/hashicorp/aws"]';
/** name, type, keys, direct dependencies; listed so that dependencies come first */
const TEMPLATE = [
  ['network', 'aws_vpc', 'main', [null], []],
  ['network', 'aws_internet_gateway', 'main', [null], ['network.aws_vpc.main']],
  ['network', 'aws_subnet', 'public', [0, 1, 2], ['network.aws_vpc.main']],
  ['network', 'aws_subnet', 'private', [0, 1, 2], ['network.aws_vpc.main']],
  [
    'network',
    'aws_nat_gateway',
    'main',
    [0],
    ['network.aws_subnet.public', 'network.aws_internet_gateway.main'],
  ],
  ['network', 'aws_route_table', 'private', [0, 1, 2], ['network.aws_nat_gateway.main']],
  ['network', 'aws_security_group', 'main', ['app', 'db', 'lb'], ['network.aws_vpc.main']],
  ['service', 'aws_iam_role', 'task', [null], []],
  ['service', 'aws_lb', 'main', [0], ['network.aws_subnet.public', 'network.aws_security_group.main']],
  [
    'service',
    'aws_instance',
    'node',
    [0, 1, 2, 3, 4, 5],
    ['network.aws_subnet.private', 'network.aws_security_group.main', 'service.aws_iam_role.task'],
  ],
  [
    'service',
    'aws_lb_target_group_attachment',
    'node',
    [0, 1, 2, 3, 4, 5],
    ['service.aws_instance.node', 'service.aws_lb.main'],
  ],
  ['service', 'aws_s3_bucket', 'artifacts', ['a', 'b'], []],
  ['service', 'aws_cloudwatch_metric_alarm', 'cpu', [0, 1, 2, 3, 4, 5], ['service.aws_instance.node']],
  [
    'db',
    'aws_db_instance',
    'main',
    [null],
    ['network.aws_subnet.private', 'network.aws_security_group.main'],
  ],
];
const SERVICES = ['api', 'web', 'worker'];
const CLOSURES = closures();

function closures() {
  const all = new Map();
  for (const [module, type, name, , direct] of TEMPLATE) {
    const names = new Set(direct);
    for (const each of direct) for (const further of all.get(each)) names.add(further);
    all.set(`${module}.${type}.${name}`, names);
  }
  return all;
}

function attributes(next, type, address, environment) {
  const hex = (n) => Array.from({ length: n }, () => '0123456789abcdef'[Math.floor(next() * 16)]).join('');
  const tags = {
    Name: address,
    Environment: environment,
    Team: `team-${Math.floor(next() * 20)}`,
    CostCenter: `cc-${Math.floor(next() * 9000)}`,
    ManagedBy: 'terraform',
  };
  return {
    arn: `arn:aws:${type}:eu-central-1:123456789012:${hex(24)}`,
    availability_zone: ['eu-central-1a', 'eu-central-1b', 'eu-central-1c'][Math.floor(next() * 3)],
    id: `${type.slice(4, 7)}-${hex(17)}`,
    instance_type: ['t3.medium', 'm5.large', 'c6i.large'][Math.floor(next() * 3)],
    monitoring: next() < 0.5,
    name: address,
    policy: JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: [`${type}:*`], Resource: '*', Sid: hex(16) }],
    }),
    settings: {
      retention_in_days: 30,
      health_check: { enabled: true, interval: 30, path: '/healthz', matcher: '200-399' },
      fingerprint: hex(64),
    },
    targets: [`eni-${hex(17)}`, `eni-${hex(17)}`],
    tags,
    tags_all: { ...tags, DataClass: 'internal', Owner: `team@example.com` },
    description: `${hex(200)}`,
    user_data: hex(400),
    timeouts: null,
    volume_size: Math.floor(next() * 500),
  };
}

/** A document as an object; `changed` instances differ from the same call without it. */
export function estate({ instances, seed = 1, serial = 1, changed = 0 }) {
  const resources = [];
  let count = 0;
  for (let cell = 0; count < instances; cell++) {
    const next = random(seed * 7919 + cell * 104_729 + 17);
    const environment = `env-${cell}`;
    const prefix = (module) => `module.env.module.${module}`;
    for (const [module, type, name, keys] of TEMPLATE) {
      const copies = module === 'service' ? SERVICES.map((key) => `["${key}"]`) : [''];
      for (const copy of copies) {
        if (count >= instances) break;
        const address = `module.env["${environment}"].module.${module}${copy}`;
        const rows = [];
        for (const key of keys) {
          if (count++ >= instances) break;
          const dependencies = [...CLOSURES.get(`${module}.${type}.${name}`)]
            .map((each) => `${prefix(each.split('.')[0])}.${each.split('.').slice(1).join('.')}`)
            .sort();
          rows.push({
            ...(key === null ? {} : { index_key: key }),
            schema_version: 1,
            attributes: attributes(next, type, `${environment}-${module}-${name}-${key ?? ''}`, environment),
            sensitive_attributes: [],
            private: 'bnVsbA==',
            ...(dependencies.length > 0 ? { dependencies } : {}),
          });
        }
        if (rows.length > 0)
          resources.push({ module: address, mode: 'managed', type, name, provider: AWS, instances: rows });
      }
    }
  }
  // Each serial changes other instances and keeps what the serials before it changed.
  for (let round = 2; round <= serial && changed > 0; round++) {
    for (let i = 0; i < changed; i++) {
      const resource =
        resources[Math.floor(((i + 0.5) / changed) * resources.length + round) % resources.length];
      resource.instances[0].attributes.description = `changed in serial ${round}`;
    }
  }
  return {
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage: `bench-${seed}`,
    outputs: {},
    resources,
    check_results: null,
  };
}

/** The bytes a client would send, built resource by resource. */
export function bytesOf(state) {
  const { resources, check_results, ...head } = state;
  const parts = [Buffer.from(`${JSON.stringify(head, null, 2).slice(0, -2)},\n  "resources": [`)];
  resources.forEach((resource, index) => {
    parts.push(
      Buffer.from(`${index === 0 ? '' : ','}\n${JSON.stringify(resource, null, 2).replace(/^/gm, '    ')}`),
    );
  });
  parts.push(
    Buffer.from(
      `${resources.length > 0 ? '\n  ' : ''}],\n  "check_results": ${JSON.stringify(check_results)}\n}\n`,
    ),
  );
  return Buffer.concat(parts);
}
