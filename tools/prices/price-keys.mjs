import { readFileSync } from 'node:fs';
import { placesOfBillingRow } from './billing-rows.mjs';

// Gives each fact of the price facts the key of the price book that rules ask for. Without an entry here the key is
// `<family>/<group>/<component>` in small letters, which is what a rule asks for by default.

/**
 * Keys of prices that were observed in published estimates, where the component's name does not tell all that the price
 * depends on: `type|region|group|component|price` to the key that the rules give to the configuration it was observed for.
 */
const OBSERVED_KEYS = JSON.parse(readFileSync(new URL('./observed-keys.json', import.meta.url), 'utf8'));

/** Types whose lists count a terabyte as 1,000 gigabytes. */
const DECIMAL_TIERS = /^(azurerm_(bastion_host|frontdoor|private_endpoint|cdn_endpoint)|aws_vpc_endpoint)$/;

/** Types that share the prices of another. */
const FAMILIES = {
  aws_alb: 'lb',
  google_container_registry: 'storage_bucket',
  google_compute_ha_vpn_gateway: 'compute_vpn_gateway',
};

/** Groups of components that are named after an instance, and that keys leave out. */
const NAMED_GROUP =
  /^(aws_launch_|ebs_block_device|root_block_device|block_device_mapping|os_disk|storage_os_disk|storage_data_disk|storage_data|default_node_pool|node_pool)/;

/** Types whose prices hold in every region. */
const GLOBAL_TYPES =
  /^(aws_cloudfront_|aws_route53_(zone|record|health_check)|aws_globalaccelerator_|aws_waf_|aws_shield)/;

const VOLUMES =
  /^Storage \((?:general purpose SSD|provisioned IOPS SSD|throughput optimized HDD|cold HDD), (\w+)\)$/;
const COMPUTE = /^aws_(instance|autoscaling_group|eks_node_group|ebs_volume|elastic_beanstalk_environment)$/;
const RDS = /^aws_(db_instance|rds_cluster_instance)$/;
const PURCHASE = { 'on-demand': 'on_demand', spot: 'spot' };
const EDITION = /^(oracle-se1|oracle-se2(-cdb)?|sqlserver-)/;

/** `types`, `component`: what the entry is for; `key`: the key, several, or nothing when the fact cannot be told apart. */
const ENTRIES = [
  {
    types: /^aws_instance$/,
    component: /^instance_hours$/,
    key: ({ attributes: a }) =>
      `ec2/instance/${a.operating_system.toLowerCase()}/${a.tenancy.toLowerCase()}/${a.purchase_option}/${a.instance_type}`,
    unit: 'hours',
  },
  {
    types: COMPUTE,
    component: /^Instance usage \((Linux\/UNIX|Windows|RHEL|SUSE), (on-demand|spot), ([\w.-]+)\)$/,
    // The cases of dedicated tenancy and of several system names are not told apart by the component's name.
    key: ({ attributes }, [, system, purchase, type]) =>
      attributes.tenancy !== undefined
        ? undefined
        : `ec2/instance/${system === 'Linux/UNIX' ? 'linux' : system.toLowerCase()}/shared/${PURCHASE[purchase]}/${type}`,
  },
  { types: COMPUTE, component: /^Instance usage/, key: () => undefined },
  { types: COMPUTE, component: VOLUMES, key: (_, [, type]) => `ebs/${type}/storage` },
  { types: COMPUTE, component: /^Storage \(magnetic\)$/, key: () => 'ebs/standard/storage' },
  { types: COMPUTE, component: /^I\/O requests$/, key: () => 'ebs/standard/requests' },
  {
    types: COMPUTE,
    component: /^Provisioned IOPS$/,
    key: ({ price }) => (Number(price) < 0.02 ? 'ebs/gp3/iops' : ['ebs/io1/iops', 'ebs/io2/iops']),
  },
  { types: COMPUTE, component: /^Provisioned throughput$/, key: () => 'ebs/gp3/throughput' },
  { types: COMPUTE, component: /^EC2 detailed monitoring$/, key: () => 'cloudwatch/metrics' },
  { types: COMPUTE, component: /^EBS-optimized usage$/, key: () => 'ec2/ebs-optimized/r3.xlarge' },
  {
    types: COMPUTE,
    component: /^CPU credits$/,
    key: () => ['ec2/cpu-credits/t2', 'ec2/cpu-credits/t3', 'ec2/cpu-credits/t3a'],
  },
  {
    types: /^aws_ebs_volume$/,
    component: /^EBS /,
    key: ({ attributes }) => `ebs/${attributes.type}/storage`,
    unit: 'GB',
  },
  {
    types: /^aws_ebs_snapshot$/,
    component: /^EBS snapshot$/,
    key: () => 'ebs_snapshot/ebs-snapshot-storage',
    unit: 'GB',
  },
  { types: /^aws_eip$/, component: /./, key: () => 'vpc/public-ipv4', unit: 'hours' },
  {
    types: RDS,
    component: /^database_instance_hours$/,
    key: ({ attributes: a }) =>
      ['mysql', 'mariadb'].map(
        (engine) =>
          `rds/instance/${engine}/${a.multi_az ? 'multi' : 'single'}_az/on_demand/${a.instance_class}`,
      ),
    unit: 'hours',
  },
  {
    types: RDS,
    component: /^Database instance \(on-demand, (?:(Single|Multi)-AZ, )?([\w.]+)\)$/,
    key: ({ attributes: a }, [, zones, instanceClass]) =>
      engines(a.engine, a.license_model)?.map(
        (engine) =>
          `rds/instance/${engine}/${zones === 'Multi' ? 'multi' : 'single'}_az/on_demand/${instanceClass}`,
      ),
  },
  { types: RDS, component: /^Database instance/, key: () => undefined },
  {
    types: /^aws_db_instance$/,
    component: /^Storage \((?:.*, )?(gp2|gp3|io1|magnetic)\)$/,
    key: ({ attributes: a }, [, type]) =>
      `rds/storage/${type === 'magnetic' ? 'standard' : type}/${a.multi_az === true ? 'multi_az' : 'single_az'}`,
  },
  {
    types: /^aws_db_instance$/,
    component: /^Provisioned (GP3 )?IOPS/,
    key: ({ attributes: a }, [, gp3]) =>
      `rds/iops/${gp3 ? 'gp3' : 'io1'}/${a.multi_az === true ? 'multi_az' : 'single_az'}`,
  },
  { types: /^aws_db_instance$/, component: /^I\/O requests$/, key: () => 'rds/storage-requests' },
  {
    types: RDS,
    component: /^Additional backup storage$/,
    key: ({ attributes: a }) =>
      `rds/backup-storage/${String(a.engine).startsWith('aurora') ? 'aurora' : 'rds'}`,
  },
  {
    types: RDS,
    component: /^CPU credits$/,
    key: ({ terraform_type: type }) =>
      ['t3', 't4g'].map(
        (family) => `rds/cpu-credits/${type === 'aws_db_instance' ? 'rds' : 'aurora'}/${family}`,
      ),
  },
  {
    types: RDS,
    component: /^Performance Insights Long Term Retention \((db[\w.]+)\)$/,
    key: ({ attributes: a }, [, instanceClass]) =>
      `rds/performance-insights-retention/${String(a.engine).startsWith('aurora') ? 'aurora' : 'rds'}/${instanceClass}`,
  },
  { types: RDS, component: /^Extended support \(year 1\)$/, key: () => 'rds/extended-support/year-1' },
  { types: RDS, component: /^Performance Insights API$/, key: () => 'rds/performance-insights-requests' },
  {
    types: /^aws_rds_cluster_instance$/,
    component: /^Aurora serverless v2( \(I\/O-optimized\))?$/,
    key: (_, [, optimized]) => `rds/aurora-serverless-v2/${optimized ? 'io-optimized' : 'standard'}`,
  },
  { types: /^aws_lb$/, component: /^Gateway LB$/, key: () => 'lb/gateway-load-balancer', unit: 'hours' },
  {
    types: /^aws_a?lb$/,
    component: /^Load balancer capacity units$/,
    key: ({ attributes: a }) => `lb/capacity-units/${a.load_balancer_type ?? 'application'}`,
  },
  { types: /^aws_elb$/, component: /^Classic ELB$/, key: () => 'elb/classic-load-balancer', unit: 'hours' },
  {
    types: /^aws_eks_cluster$/,
    component: /^EKS cluster$/,
    key: () => 'eks_cluster/eks-cluster',
    unit: 'hours',
  },
  {
    types: /^aws_kms_key$/,
    component: /^KMS key$/,
    key: () => 'kms_key/customer-master-key',
    unit: 'months',
  },
  {
    types: /^aws_secretsmanager_secret$/,
    component: /^Secret$/,
    key: () => 'secretsmanager_secret/secret',
    unit: 'months',
  },
  {
    types: /^aws_lambda_function$/,
    component: /^Duration \((first 7.5B|next 11.25B|over 18.75B)\)$/,
    key: () => 'lambda_function/duration-arm64',
    tier: true,
  },
  // A replica's writes are billed in its region. Published estimates count request units an hour.
  {
    types: /^aws_dynamodb_table$/,
    component: /^Replicated write (capacity|request) unit/,
    key: (_, [, kind]) => `dynamodb_table/replicated-write-${kind}-unit`,
    region: ({ subresource }) => /\((.*)\)/.exec(subresource)?.[1],
    perHour: ({ component }) => component.includes('request'),
  },
  {
    types: /^aws_dynamodb_table$/,
    component: /^Read capacity unit/,
    key: () => 'dynamodb_table/read-capacity-unit',
  },
  {
    types: /^aws_dynamodb_table$/,
    component: /^Write capacity unit/,
    key: () => 'dynamodb_table/write-capacity-unit',
  },
  // What an account of Cosmos DB stores and provisions is billed in the location that the component names.
  ...[
    [/^Provisioned throughput \((?:provisioned|autoscale), /, 'throughput/single-master'],
    [/^Transactional storage/, 'transactional-storage'],
    [/^Analytical storage/, 'analytical-storage'],
    [/^Analytical write operations/, 'analytical-write-operations'],
    [/^Analytical read operations/, 'analytical-read-operations'],
    [/^Continuous backup/, 'continuous-backup'],
    [/^Periodic backup/, 'periodic-backup'],
  ].map(([component, key]) => ({
    types: /^azurerm_cosmosdb_/,
    component,
    // Several locations write in some cases; their price differs.
    key: ({ price }) =>
      key.startsWith('throughput') && Number(price) > 8
        ? 'cosmosdb/throughput/multi-master'
        : `cosmosdb/${key}`,
    region: ({ component: name }) =>
      /([A-Z][A-Za-z ]*(?: \d)?)\)$/.exec(name)?.[1].toLowerCase().replaceAll(' ', ''),
  })),
  { types: /^azurerm_cosmosdb_/, component: /serverless/, key: () => 'cosmosdb/serverless-request-units' },
  { types: /^azurerm_cosmosdb_/, component: /^Restored data/, key: () => 'cosmosdb/restored-data' },
  // Clusters of a runtime are billed by core.
  {
    types: /^azurerm_data_factory_integration_runtime_azure$/,
    component: /^Compute \((\w+) (\w+), (\d+) vCores\)$/,
    key: (_, [, first, second]) =>
      `data_factory/compute/${first === 'General' ? 'general' : `${first}${second}`.toLowerCase()}`,
    divide: ({ component }) => Number(/, (\d+) vCores/.exec(component)[1]),
  },
  {
    types: /^google_(storage_bucket|container_registry)$/,
    component: /^Data transfer /,
    // Within a continent the price is the continent's.
    key: ({ component }) =>
      component.includes('same continent')
        ? undefined
        : `storage_bucket/network-egress/${keyText(component.replace(/ \((first|next|over).*/, ''))}`,
    region: () => 'global',
    tier: true,
  },
  {
    types: /^aws_(elasticsearch|opensearch)_domain$/,
    component: /^Storage \((\w+)\)$/,
    key: (_, [, type]) => `search/storage/${type}`,
  },
  {
    types: /^aws_(elasticsearch|opensearch)_domain$/,
    component: /^Storage IOPS \(io1\)$/,
    key: () => 'search/iops/io1',
  },
  {
    types: /^aws_(elasticsearch|opensearch)_domain$/,
    component: /^Throughput \(gp3\)$/,
    key: () => 'search/throughput/gp3',
  },
  {
    types: /^azurerm_container_registry$/,
    component: /^Storage \(over/,
    key: () => 'container_registry/storage',
  },
  { types: /^azurerm_static_/, component: /^Bandwidth \(over/, key: () => 'static_site/bandwidth' },
  { types: /^azurerm_lb_(outbound_)?rule$/, component: /^Rule usage$/, key: () => 'lb_rule/rule-usage' },
  {
    types: /^aws_elasticache_cluster$/,
    component: /^node_hours$/,
    key: ({ attributes: a }) => `elasticache/redis/on_demand/${a.node_type}`,
    unit: 'hours',
  },
  {
    types: /^google_/,
    component:
      /^Custom instance (CPU|RAM|Extended RAM) \(Linux\/UNIX, (on-demand|preemptible), (\w+) ([\d.]+) (?:vCPUs|GB)\)$/i,
    key: (_, [, part, purchase, family]) =>
      `compute/custom-${part.toLowerCase().replace(' ', '-')}/${purchase === 'on-demand' ? 'on_demand' : purchase}/${family.toLowerCase()}`,
    // Estimates have the price of all cores or gigabytes of the machine.
    divide: ({ component }) => Number(/ ([\d.]+) (?:vCPUs|GB)\)$/.exec(component)[1]),
    list: true,
  },
  {
    types: /^azurerm_/,
    component: /^Disk operations$/,
    key: ({ price }) =>
      ({ 0.002: 'managed_disk/operations/standardssd-lrs', 0.0005: 'managed_disk/operations/standard-lrs' })[
        price
      ],
  },
  // Two of the estimates are for a part of a month, which has less of the discount.
  {
    types: /^google_/,
    component: /^Instance usage \(Linux\/UNIX, (on-demand|preemptible), ([\w-]+)\)$/,
    key: ({ price }, [, purchase, type]) =>
      ['0.76', '0.0076'].includes(price)
        ? undefined
        : `compute/instance/${purchase === 'on-demand' ? 'on_demand' : purchase}/${type}`,
    list: true,
  },
  // A job's price is that of one unit times its units.
  {
    types: /^aws_glue_job$/,
    component: /^Duration$/,
    key: ({ unit }) => (unit === 'hours (1 DPU)' ? 'glue/dpu-hours' : undefined),
    unit: 'hours',
  },
];

/** The engines that a fact's observed engines stand for, as rules name them; nothing when they are mixed. */
function engines(observed, license) {
  const names = (Array.isArray(observed) ? observed : [observed]).filter(Boolean).map(String);
  const byol = (Array.isArray(license) ? license : [license]).includes('bring-your-own-license');
  if (names.length === 0 || (byol && names.length > 1 && names.some((name) => EDITION.test(name)))) {
    // Observed with and without a licence: only engines that have none can be told.
    const plain = names.filter((name) => /^(mysql|mariadb|postgres|aurora)/.test(name));
    return plain.length > 0 ? plain.map(engineName) : undefined;
  }
  return names.map(
    (name) => engineName(name) + (byol ? '-byol' : EDITION.test(name) ? '-license-included' : ''),
  );
}

function engineName(name) {
  return name === 'aurora' ? 'aurora-mysql' : name;
}

const TIER = /^(.*) \((first|next|over) ([\d.,]+) ?([a-zA-Z]*)[^)]*\)$/;

/** The keys of a fact with the region they hold in; empty for facts that no rule can ask for. */
export function placesOf(fact, observedKeys = OBSERVED_KEYS) {
  const place = {
    region: GLOBAL_TYPES.test(fact.terraform_type ?? '') ? 'global' : fact.region,
    unit: fact.unit,
  };
  if (fact.terraform_type === null) return placesOfBillingRow(fact);
  const attributes = { ...fact.attributes_observed, ...fact.attributes };
  const decimal = DECIMAL_TIERS.test(fact.terraform_type);
  const id = [fact.terraform_type, fact.region, fact.subresource ?? '', fact.component, fact.price].join('|');
  const observed =
    Object.hasOwn(observedKeys, id) && fact.source === 'infracost' ? observedKeys[id] : undefined;
  if (observed !== undefined)
    return [observed].flat().map((each) => {
      const [key, region = place.region] = each.split('@');
      const list = listPrice(key, fact.price);
      return {
        ...place,
        region,
        ...(list ? { price: list } : {}),
        tier: tierOf(fact.component, decimal),
        key,
      };
    });
  const subject = { ...fact, attributes };
  for (const entry of ENTRIES) {
    if (!entry.types.test(fact.terraform_type)) continue;
    const match = entry.component.exec(fact.component);
    if (match === null) continue;
    const keys = [entry.key(subject, match) ?? []].flat();
    const tier = entry.tier ? { tier: tierOf(fact.component, decimal) } : {};
    return keys.map((key) => ({
      ...place,
      ...(entry.unit ? { unit: entry.unit } : {}),
      ...(entry.region ? { region: entry.region(subject) } : {}),
      ...priceFor({ entry, subject, key }),
      ...tier,
      key,
    }));
  }
  const tier = tierOf(fact.component, decimal);
  const name = tier ? TIER.exec(fact.component)[1] : fact.component;
  const family =
    FAMILIES[fact.terraform_type] ?? fact.terraform_type.slice(fact.terraform_type.indexOf('_') + 1);
  const group =
    fact.subresource && !NAMED_GROUP.test(fact.subresource) ? `${keyText(fact.subresource)}/` : '';
  return [{ ...place, tier, key: `${family}/${group}${keyText(name)}` }];
}

/** What a machine that runs all month costs of its list price: Google's discount for sustained use. */
const SUSTAINED = { n1: 0.7, f1: 0.7, g1: 0.7, m1: 0.7, m2: 0.7, c2: 0.8, n2: 0.8, n2d: 0.8 };

/** Published estimates have the price after the discount; the rules take it off the list price. */
function listPrice(key, price) {
  const [, kind, name] = /^compute\/(instance|custom-\w+(?:-\w+)?|gpu)\/on_demand\/(.+)$/.exec(key) ?? [];
  if (kind === undefined) return undefined;
  const share = kind === 'gpu' ? (/a100|l4$/.test(name) ? 1 : 0.7) : (SUSTAINED[name.split('-')[0]] ?? 1);
  return share === 1 ? undefined : String(Number((Number(price) / share).toPrecision(6)));
}

/** The price where the list's unit is not the rules': a list price, a price by core, a price by the month. */
function priceFor({ entry, subject, key }) {
  const share = entry.divide?.(subject) ?? (entry.perHour?.(subject) ? 730 : undefined);
  const each = share && String(Number((Number(subject.price) / share).toPrecision(6)));
  const price = entry.list ? (listPrice(key, each ?? subject.price) ?? each) : each;
  return price ? { price } : {};
}

/** `first 10TB` and so on: the kind and the amount in pieces or gigabytes. */
function tierOf(component, decimal = false) {
  const match = TIER.exec(component);
  if (match === null) return undefined;
  const [, , kind, digits, letters] = match;
  const bytes = /B$/.test(letters) && letters.length === 2;
  const exponent = { '': 0, K: 1, k: 1, M: 2, B: 3, G: 0, T: 1, P: 2 }[letters[0] ?? ''];
  if (exponent === undefined) return undefined;
  const step = bytes && !decimal ? 1024 : 1000;
  return { kind, amount: Number(digits.replaceAll(',', '')) * step ** exponent, bytes };
}

/** As the service's `keyText`. */
export function keyText(name) {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9._+]+/g, '-')
    .replace(/^-+|-+$/g, '');
}
