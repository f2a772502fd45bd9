import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components: infracost/infracost@95ba4f49 internal/resources/aws/{eks_cluster,eks_fargate_profile,ecs_service,ecr_repository}.go
// (Apache-2.0). Versions in extended support: https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html (2026-07).

/** Minor versions of Kubernetes up to this one are past standard support. */
const LAST_EXTENDED_MINOR = 29;

function eksCluster(r: ResourceDraft): void {
  const version = r.attributes.computed.text('version');
  const minor = version === undefined ? undefined : Number(/^1\.(\d+)$/.exec(version)?.[1] ?? NaN);
  const extended = minor !== undefined && minor <= LAST_EXTENDED_MINOR;
  const policy = r.attributes.computed.block('upgrade_policy').computed.text('support_type');
  r.hours(extended && policy !== 'STANDARD' ? 'EKS cluster (extended support)' : 'EKS cluster');
}

function ecsService(r: ResourceDraft): void {
  const { attributes } = r;
  if (!runsOnFargate(r)) return;
  const count = attributes.computed.number('desired_count') ?? Decimal.ZERO;
  const id = attributes.text('task_definition');
  const task = r.linked('aws_ecs_task_definition', id);
  if (task === undefined) r.log.note('task_definition');
  const arm = task?.block('runtime_platform').text('cpu_architecture') === 'ARM64' ? '-arm64' : '';
  const memory = task && sizeOf(task.text('memory'), /^([\d.]+)\s*GB$/i);
  const cpu = task && sizeOf(task.text('cpu'), /^([\d.]+)\s*vCPU$/i);
  if (task && (memory === undefined || cpu === undefined)) r.log.note('task_definition.cpu');
  r.monthly('Per GB per hour', 'GB', (memory ?? Decimal.ZERO).times(count), { key: `fargate/memory${arm}` });
  r.monthly('Per vCPU per hour', 'CPU', (cpu ?? Decimal.ZERO).times(count), { key: `fargate/cpu${arm}` });
  inferenceAccelerator(r, task, count);
}

function inferenceAccelerator(r: ResourceDraft, task: AttributeReader | undefined, count: Decimal): void {
  const accelerator = task?.first('inference_accelerator')?.text('device_type');
  if (accelerator !== undefined)
    r.hours(`Inference accelerator (${accelerator})`, { count, key: `elastic-inference/${accelerator}` });
}

function runsOnFargate(r: ResourceDraft): boolean {
  const { attributes } = r;
  const launchType = attributes.computed.text('launch_type');
  if (launchType === 'FARGATE') return true;
  const providers = attributes
    .blocks('capacity_provider_strategy')
    .map((block) => block.text('capacity_provider'));
  if (launchType !== undefined || providers.length > 0) return providers.includes('FARGATE');
  return clusterStrategies(r, attributes.text('cluster')).includes('FARGATE');
}

/** What services of a cluster run on that say nothing themselves. */
function clusterStrategies(r: ResourceDraft, id: string | undefined): (string | undefined)[] {
  const cluster = r.linked('aws_ecs_cluster', id);
  const name = id?.includes('cluster/') === true ? id.slice(id.lastIndexOf('/') + 1) : id;
  const providers = r.linked('aws_ecs_cluster_capacity_providers', name);
  return [cluster, providers].flatMap((each) =>
    (each?.computed.blocks('default_capacity_provider_strategy') ?? []).map((block) =>
      block.text('capacity_provider'),
    ),
  );
}

/** `512` are thousand-and-twenty-fourths, `0.5 vCPU` and `2GB` whole units. */
function sizeOf(text: string | undefined, whole: RegExp): Decimal | undefined {
  if (text === undefined) return undefined;
  const match = whole.exec(text);
  const value = Decimal.parse(match?.[1] ?? text);
  return match ? value : value?.dividedBy(1024);
}

export const awsContainers: Rules = {
  aws_eks_cluster: eksCluster,
  aws_eks_fargate_profile: (r) => {
    r.monthly('Per GB per hour', 'GB', 1, { key: 'fargate/memory' });
    r.monthly('Per vCPU per hour', 'CPU', 1, { key: 'fargate/cpu' });
  },
  aws_ecs_service: ecsService,
  aws_ecr_repository: (r) => r.perUse('Storage', 'GB', r.usage('storage_gb')),
};
