import { Decimal } from '../decimal.js';
import { describeUse, onlyUse } from '../per-use.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components: infracost/infracost@95ba4f49 internal/resources/aws/{api_gateway_*,apigatewayv2_api,sfn_state_machine,codebuild_project,
// glue_*,grafana_workspace,lightsail_instance,cloudformation_*,directory_service_directory}.go (Apache-2.0).

function stage(r: ResourceDraft): void {
  if (!r.attributes.computed.isTrue('cache_cluster_enabled')) return;
  r.hours(`Cache memory (${r.attributes.computed.text('cache_cluster_size') ?? '0.5'} GB)`);
}

/** Requests count by 512 kB, messages by 32 kB. */
function api(r: ResourceDraft): void {
  const units = (size: string, by: number) => (r.usage(size) ?? Decimal.of(by)).dividedBy(by).ceiling();
  if (r.attributes.required('protocol_type') === 'WEBSOCKET') {
    const messages = r.usage('monthly_messages', 1_000_000);
    r.perUse('Messages', '1M messages', messages?.times(units('message_size_kb', 32)));
    r.perUse('Connection duration', '1M minutes', r.usage('monthly_connection_mins', 1_000_000));
    return;
  }
  const requests = r.usage('monthly_requests', 1_000_000);
  r.perUse('Requests', '1M requests', requests?.times(units('request_size_kb', 512)));
}

const EXPRESS_MEMORY_STEP_MB = 64;
const EXPRESS_DURATION_STEP_MS = 100;

function stateMachine(r: ResourceDraft): void {
  if ((r.attributes.text('type') ?? 'STANDARD').toUpperCase() === 'STANDARD') {
    r.perUse('Transitions', '1K transitions', r.usage('monthly_transitions', 1000));
    return;
  }
  const requests = r.usage('monthly_requests');
  r.perUse('Requests', '1M requests', requests?.dividedBy(1_000_000));
  const memory = (r.usage('memory_mb') ?? Decimal.of(EXPRESS_MEMORY_STEP_MB))
    .dividedBy(EXPRESS_MEMORY_STEP_MB)
    .ceiling();
  const duration = r.usage('workflow_duration_ms')?.dividedBy(EXPRESS_DURATION_STEP_MS).ceiling();
  const used =
    duration &&
    requests
      ?.times(memory.times(EXPRESS_MEMORY_STEP_MB).dividedBy(1024))
      .times(duration.times(EXPRESS_DURATION_STEP_MS).dividedBy(1000))
      .dividedBy(3600);
  r.perUse('Duration', 'GB-hours', used, { tierScale: { perUnit: 1, letters: 'KMB' } });
}

const BUILD_SYSTEMS: Record<string, string> = {
  LINUX_CONTAINER: 'Linux',
  LINUX_GPU_CONTAINER: 'Linux GPU',
  ARM_CONTAINER: 'Linux ARM',
  WINDOWS_CONTAINER: 'Windows',
  WINDOWS_SERVER_2019_CONTAINER: 'Windows',
  WINDOWS_SERVER_2022_CONTAINER: 'Windows',
};

function buildProject(r: ResourceDraft): void {
  const environment = r.attributes.block('environment');
  const system = BUILD_SYSTEMS[environment.required('type')] ?? 'Linux';
  const size = environment
    .required('compute_type')
    .replace('BUILD_', '')
    .toLowerCase()
    .replace('general1_', 'general1.');
  r.perUse(`${system} (${size})`, 'minutes', r.usage('monthly_build_mins'));
}

/** A job runs with `max_capacity` units, or with its workers, G.2X counting two units each. */
const WORKER_UNITS: Record<string, string> = {
  Standard: '1',
  'G.025X': '0.25',
  'G.1X': '1',
  'G.2X': '2',
  'G.4X': '4',
  'G.8X': '8',
};

function glueJob(r: ResourceDraft): void {
  const { attributes } = r;
  const hours = r.usage('monthly_hours');
  const workers = attributes.computed.number('number_of_workers');
  const type = attributes.computed.text('worker_type') ?? 'Standard';
  const each = Decimal.parse(WORKER_UNITS[type] ?? '');
  if (each === undefined) r.log.note('worker_type');
  const units = workers
    ? workers.times(each ?? Decimal.ONE)
    : (attributes.computed.number('max_capacity') ?? Decimal.ONE);
  const label = units.toString();
  r.perUse('Duration', `hours (${label} DPU${label === '1' ? '' : 's'})`, hours, {
    factor: units,
    key: 'glue/dpu-hours',
  });
}

function directory(r: ResourceDraft): void {
  const { attributes } = r;
  const type = attributes.computed.text('type') ?? 'SimpleAD';
  const name =
    type === 'MicrosoftAD' ? 'Microsoft AD' : type === 'ADConnector' ? 'AD Connector' : 'Simple AD';
  const size =
    type === 'MicrosoftAD'
      ? (attributes.computed.text('edition') ?? 'Enterprise')
      : (attributes.computed.text('size') ?? 'Small');
  // Two controllers come with every directory.
  // Two controllers come with every directory.
  r.monthly(`Directory service (${name}, ${size})`, 'controllers', 2);
  if (type === 'ADConnector') return;
  r.perUse('Additional domain controllers', 'controllers', r.usage('additional_domain_controllers'), {
    key: `directory_service_directory/additional-domain-controllers/${size.toLowerCase()}`,
  });
  if (type !== 'MicrosoftAD') return;
  r.perUse('Directory sharing', 'accounts', r.usage('shared_accounts'), {
    key: `directory_service_directory/directory-sharing/${size.toLowerCase()}`,
  });
}

/** Types of AWS, Alexa and the customer's own are free in a stack; those of third parties are billed. */
function stack(r: ResourceDraft): void {
  const template = r.attributes.computed.text('template_body');
  if (template !== undefined && /"?Type"?\s*:\s*"?(AWS|Alexa|Custom)::/.test(template)) return;
  r.perUse('Handler operations', 'operations', r.usage('monthly_handler_operations'));
  r.perUse('Durations above 30s', 'seconds', r.usage('monthly_duration_secs'));
}

function lightsail(r: ResourceDraft): void {
  const bundle = r.attributes.required('bundle_id');
  const windows = /_win_/.test(bundle);
  r.hours(`Virtual server (${windows ? 'Windows' : 'Linux/UNIX'})`, {
    key: `lightsail_instance/virtual-server/${bundle}`,
  });
}

function provisioned(r: ResourceDraft): void {
  const { attributes } = r;
  const arm = r.usageText('architecture') === 'arm64' ? '-arm64' : '';
  const requests = r.usage('monthly_requests');
  const gigabytes = (r.usage('memory_mb') ?? Decimal.of(128)).dividedBy(1024);
  r.perUse('Requests', '1M requests', requests?.dividedBy(1_000_000), { key: 'lambda_function/requests' });
  const seconds = r.usage('request_duration_ms')?.dividedBy(1000);
  r.perUse('Duration', 'GB-seconds', seconds && requests?.times(seconds).times(gigabytes), {
    key: `lambda_provisioned_concurrency_config/duration${arm}`,
  });
  r.part(() => {
    const executions = attributes.number('provisioned_concurrent_executions') ?? Decimal.ONE;
    const hours = r.usage('monthly_duration_hrs');
    r.perUse('Provisioned Concurrency', 'GB-seconds', hours?.times(3600).times(executions).times(gigabytes), {
      key: `lambda_provisioned_concurrency_config/provisioned-concurrency${arm}`,
    });
  });
}

export const awsApps: Rules = {
  aws_api_gateway_rest_api: (r) =>
    r.perUse('Requests', '1M requests', r.usage('monthly_requests', 1_000_000)),
  aws_api_gateway_stage: stage,
  aws_apigatewayv2_api: api,
  aws_appautoscaling_target: onlyUse(),
  aws_sfn_state_machine: stateMachine,
  aws_codebuild_project: buildProject,
  aws_glue_catalog_database: onlyUse(
    ['Storage', '100k objects', 'monthly_objects', 100_000],
    ['Requests', '1M requests', 'monthly_requests', 1_000_000],
  ),
  aws_glue_crawler: (r) => r.perUse('Duration', 'hours', r.usage('monthly_hours')),
  aws_glue_job: glueJob,
  aws_grafana_workspace: (r) => {
    r.monthly('Editor/administrator licenses', 'users', r.usage('editors_administrator_licenses') ?? 1);
    describeUse(r, [['Viewer licenses', 'users', 'viewer_licenses']]);
  },
  aws_lightsail_instance: lightsail,
  aws_lambda_provisioned_concurrency_config: provisioned,
  aws_cloudformation_stack: stack,
  aws_cloudformation_stack_set: stack,
  aws_directory_service_directory: directory,
};
