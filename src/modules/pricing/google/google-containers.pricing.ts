import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import { describeAccelerators, describeDisk, describeMachine, describeScratch } from './google-machine.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/google/{container_*,cloud_run*}.go (Apache-2.0).

const NODE_DISK_GB = 100;
const REGION_ZONES = 3;
/** Nodes a zone where nothing tells. */
const DEFAULT_NODES = 3;

/** A regional pool has its nodes in every zone: three unless the configuration names them. */
function zonesOf(pool: AttributeReader, location: string | undefined): number {
  const named = pool.computed.texts('node_locations').length;
  if (named > 0) return named;
  return location !== undefined && /-[a-z]$/.test(location) ? 1 : REGION_ZONES;
}

function describePool(r: ResourceDraft, pool: AttributeReader, nodes: Decimal): void {
  const config = pool.computed.first('node_config');
  const spot = config?.isTrue('preemptible') === true || config?.isTrue('spot') === true;
  const purchase = spot ? 'preemptible' : 'on_demand';
  r.times(nodes, () => {
    r.part(() =>
      describeMachine(r, { type: config?.computed.text('machine_type') ?? 'e2-medium', purchase }),
    );
    r.part(() =>
      describeDisk(
        r,
        config?.computed.text('disk_type') ?? 'pd-standard',
        config?.computed.number('disk_size_gb') ?? Decimal.of(NODE_DISK_GB),
      ),
    );
    r.part(() => {
      const local = config?.computed.number('local_ssd_count');
      if (local?.isMore(0) === true) describeScratch(r, local, purchase);
    });
    if (config) r.part(() => describeAccelerators(r, { reader: config, purchase }));
  });
}

function nodePool(r: ResourceDraft): void {
  const { attributes } = r;
  const cluster = r.linked('google_container_cluster', attributes.text('cluster'));
  const location = attributes.computed.text('location') ?? cluster?.computed.text('location');
  const zones =
    attributes.computed.texts('node_locations').length > 0 || cluster === undefined
      ? zonesOf(attributes, location)
      : zonesOf(cluster, location);
  describePool(r, attributes, nodesOf(r.usage('nodes'), attributes, zones));
}

function nodesOf(usage: Decimal | undefined, pool: AttributeReader, zones: number): Decimal {
  if (usage) return usage.times(zones);
  const least = pool.computed.first('autoscaling')?.number('min_node_count');
  const count =
    pool.computed.number('node_count') ??
    least ??
    pool.computed.number('initial_node_count') ??
    Decimal.of(3);
  return count.times(zones);
}

function cluster(r: ResourceDraft): void {
  const { attributes } = r;
  const location = attributes.computed.text('location');
  if (attributes.computed.isTrue('enable_autopilot')) return autopilot(r);
  r.hours('Cluster management fee');
  const pools = attributes.computed.blocks('node_pool');
  for (const [index, pool] of pools.entries()) {
    const name = pool.computed.text('name');
    // The state lists the pools that are resources of their own here too: they are priced there.
    if (name !== undefined && isSeparate(r, name)) continue;
    r.part(() => {
      const usage = r.usageIn(`node_pool[${index}]`)('nodes');
      describePool(
        r,
        pool,
        nodesOf(
          usage,
          pool,
          zonesOf(pool.computed.texts('node_locations').length > 0 ? pool : attributes, location),
        ),
      );
    }, `node_pool[${index}] / `);
  }
  if (pools.length > 0 || attributes.computed.isTrue('remove_default_node_pool')) return undefined;
  r.part(() => {
    const count =
      r.usage('nodes') ?? attributes.computed.number('initial_node_count') ?? Decimal.of(DEFAULT_NODES);
    describePool(r, attributes, count.times(zonesOf(attributes, location)));
  }, 'default_pool / ');
  return undefined;
}

function isSeparate(r: ResourceDraft, name: string): boolean {
  const id = r.attributes.computed.text('id');
  return (
    r.findLinked('google_container_node_pool', name) !== undefined ||
    (id !== undefined && r.findLinked('google_container_node_pool', `${id}/nodePools/${name}`) !== undefined)
  );
}

function autopilot(r: ResourceDraft): void {
  r.hours('Autopilot');
  r.perUse('Autopilot vCPU', 'vCPU', r.usage('autopilot_vcpu_count'));
  r.perUse('Autopilot memory', 'GB', r.usage('autopilot_memory_gb'));
  r.perUse('Autopilot ephemeral storage', 'GB', r.usage('autopilot_ephemeral_storage_gb'));
}

/** https://cloud.google.com/run/pricing (2026-07): these regions are of the dearer tier. */
const TIER_TWO =
  /^(africa|asia-(east2|northeast3|south|southeast[12])|australia|europe-(central2|west2|west3|west6|west10|west12)|me-|northamerica-northeast|southamerica|us-west[234])/;

function run(r: ResourceDraft): void {
  const { attributes } = r;
  const tier = TIER_TWO.test(r.region) ? ' (tier 2)' : '';
  const template = attributes.block('template');
  const containers = [
    ...template.computed.blocks('containers'),
    ...template.computed.block('spec').computed.blocks('containers'),
  ];
  const limits = containers
    .flatMap((container) => container.computed.blocks('resources'))
    .flatMap((resources) => resources.computed.blocks('limits'));
  const cpu = sum(
    limits.map((limit) => cores(limit.text('cpu'))),
    1,
  );
  const memory = sum(
    limits.map((limit) => gibibytes(limit.text('memory'))),
    '0.5',
  );
  const always = throttlingOff(attributes);
  const requests = r.usage('monthly_requests');
  if (always) {
    const hours = r.usage('instance_hrs');
    const least = template.computed.first('scaling')?.number('min_instance_count');
    const seconds = hours?.times(3600) ?? least?.times(730 * 3600);
    r.perUse(`CPU allocation time${tier}`, 'vCPU-seconds', seconds?.times(cpu), {
      key: `cloud_run/cpu-always${keyTier(tier)}`,
    });
    r.perUse(`Memory allocation time${tier}`, 'GiB-seconds', seconds?.times(memory), {
      key: `cloud_run/memory-always${keyTier(tier)}`,
    });
    return;
  }
  const duration = r.usage('average_request_duration_ms');
  const concurrent = r.usage('concurrent_requests_per_instance') ?? Decimal.ONE;
  const seconds = duration && requests?.times(duration).dividedBy(1000).dividedBy(concurrent.atLeast(1));
  r.perUse(`CPU allocation time${tier}`, 'vCPU-seconds', seconds?.times(cpu), {
    key: `cloud_run/cpu${keyTier(tier)}`,
  });
  r.perUse(`Memory allocation time${tier}`, 'GiB-seconds', seconds?.times(memory), {
    key: `cloud_run/memory${keyTier(tier)}`,
  });
  r.perUse('Number of requests', 'requests', requests, { key: 'cloud_run/requests' });
}

function throttlingOff(attributes: AttributeReader): boolean {
  const template = attributes.block('template').computed;
  const annotated = [attributes, template].map(
    (block) => block.block('metadata').computed.block('annotations').computed,
  );
  if (annotated.some((annotations) => annotations.text('run.googleapis.com/cpu-throttling') === 'false'))
    return true;
  return template
    .blocks('containers')
    .some((container) => container.block('resources').computed.flag('cpu_idle') === false);
}

function keyTier(tier: string): string {
  return tier === '' ? '' : '/tier-2';
}

function sum(values: readonly (Decimal | undefined)[], fallback: number | string): Decimal {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0
    ? Decimal.of(fallback)
    : known.reduce((total, value) => total.plus(value), Decimal.ZERO);
}

/** `2` or `1500m`. */
function cores(text: string | undefined): Decimal | undefined {
  if (text === undefined) return undefined;
  return text.endsWith('m') ? Decimal.parse(text.slice(0, -1))?.dividedBy(1000) : Decimal.parse(text);
}

const SIZES: Record<string, string> = {
  Ki: '0.00000095367431640625',
  Mi: '0.0009765625',
  Gi: '1',
  K: '0.000000931322574615',
  M: '0.000931322574615',
  G: '0.931322574615',
};

function gibibytes(text: string | undefined): Decimal | undefined {
  const [, digits = '', unit = ''] = /^([\d.]+)([KMG]i?)$/.exec(text ?? '') ?? [];
  const factor = SIZES[unit];
  return factor === undefined ? undefined : Decimal.parse(digits)?.times(Decimal.of(factor));
}

function runJob(r: ResourceDraft): void {
  const tier = TIER_TWO.test(r.region) ? ' (tier 2)' : '';
  const template = r.attributes.block('template');
  const limits = template
    .block('template')
    .computed.blocks('containers')
    .flatMap((container) => container.computed.blocks('resources'))
    .flatMap((resources) => resources.computed.blocks('limits'));
  const minutes = r.usage('average_task_execution_mins');
  const executions = r.usage('monthly_job_executions');
  const tasks = template.computed.number('task_count') ?? Decimal.ONE;
  const seconds = minutes && executions?.times(minutes).times(60).times(tasks);
  const cpu = sum(
    limits.map((limit) => cores(limit.text('cpu'))),
    1,
  );
  const memory = sum(
    limits.map((limit) => gibibytes(limit.text('memory'))),
    '0.5',
  );
  r.perUse(`CPU allocation time${tier}`, 'vCPU-seconds', seconds?.times(cpu), {
    key: `cloud_run/cpu-always${keyTier(tier)}`,
  });
  r.perUse(`Memory allocation time${tier}`, 'GiB-seconds', seconds?.times(memory), {
    key: `cloud_run/memory-always${keyTier(tier)}`,
  });
}

export const googleContainers: Rules = {
  google_container_cluster: cluster,
  google_container_node_pool: nodePool,
  google_cloud_run_service: run,
  google_cloud_run_v2_service: run,
  google_cloud_run_v2_job: runJob,
};
