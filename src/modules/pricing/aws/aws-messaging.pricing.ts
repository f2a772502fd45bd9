import { Decimal } from '../decimal.js';
import { describeUse, onlyUse } from '../per-use.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components: infracost/infracost@95ba4f49 internal/resources/aws/{sqs_queue,sns_*,kinesis_*,mq_broker,msk_cluster,
// mwaa_environment,cloudwatch_event_bus}.go (Apache-2.0). Requests are counted by 64 kB.

const REQUEST_KB = 64;

function billable(r: ResourceDraft, requests: Decimal | undefined): Decimal | undefined {
  const size = r.usage('request_size_kb') ?? Decimal.of(REQUEST_KB);
  return requests?.times(size.dividedBy(REQUEST_KB).ceiling());
}

function queue(r: ResourceDraft): void {
  const kind = r.attributes.isTrue('fifo_queue') ? 'fifo' : 'standard';
  const requests = billable(r, r.usage('monthly_requests'));
  r.perUse('Requests', '1M requests', requests?.dividedBy(1_000_000), { key: `sqs_queue/requests/${kind}` });
}

/** Deliveries of a topic; the first ones of each kind are free. */
function topic(r: ResourceDraft): void {
  const requests = r.usage('monthly_requests');
  const size = r.usage('request_size_kb') ?? Decimal.of(REQUEST_KB);
  if (r.attributes.isTrue('fifo_topic')) {
    const subscriptions = r.usage('sqs_subscriptions') ?? Decimal.ONE;
    const gigabytes = requests?.times(size).dividedBy(1_000_000);
    r.perUse('FIFO Publish API requests', '1M requests', requests?.dividedBy(1_000_000));
    r.perUse('FIFO Publish API payload', 'GB', gigabytes);
    r.perUse('FIFO notifications', '1M notifications', requests?.times(subscriptions).dividedBy(1_000_000));
    r.perUse('FIFO notification payload', 'GB', gigabytes?.times(subscriptions));
    return;
  }
  const billed = billable(r, requests);
  r.perUse('API requests (over 1M)', '1M requests', above(billed, 1_000_000)?.dividedBy(1_000_000));
  const deliveries = (usage: string) => {
    const subscriptions = r.usage(usage);
    return subscriptions && billed?.times(subscriptions);
  };
  r.perUse(
    'HTTP/HTTPS notifications (over 100k)',
    '100k notifications',
    above(deliveries('http_subscriptions'), 100_000)?.dividedBy(100_000),
  );
  r.perUse(
    'Email/Email-JSON notifications (over 1k)',
    '100k notifications',
    above(deliveries('email_subscriptions'), 1000)?.dividedBy(100_000),
  );
  r.perUse(
    'Kinesis Firehose notifications',
    '1M notifications',
    deliveries('kinesis_subscriptions')?.dividedBy(1_000_000),
  );
  r.perUse(
    'Mobile Push notifications',
    '1M notifications',
    deliveries('mobile_push_subscriptions')?.dividedBy(1_000_000),
  );
  r.perUse(
    'MacOS notifications',
    '1M notifications',
    deliveries('macos_subscriptions')?.dividedBy(1_000_000),
  );
  const sms = deliveries('sms_subscriptions');
  r.perUse('SMS notifications (over 100)', '100 notifications', above(sms, 100)?.dividedBy(100));
}

function above(quantity: Decimal | undefined, free: number): Decimal | undefined {
  return quantity?.minus(Decimal.of(free)).atLeast(0);
}

function subscription(r: ResourceDraft): void {
  const { attributes } = r;
  const arn = attributes.text('topic_arn');
  if (arn !== undefined && r.linked('aws_sns_topic', arn) !== undefined) return;
  const protocol = attributes.required('protocol');
  if (protocol !== 'http' && protocol !== 'https') return;
  const requests = billable(r, r.usage('monthly_requests'));
  r.perUse('HTTP notifications', '1M notifications', requests?.dividedBy(1_000_000));
}

function stream(r: ResourceDraft): void {
  const mode = r.attributes.block('stream_mode_details').text('stream_mode') ?? 'PROVISIONED';
  if (mode === 'ON_DEMAND') {
    r.hours('ON_DEMAND');
    describeUse(r, [
      ['Data ingested', 'GB', 'monthly_on_demand_data_in_gb'],
      ['Data retrieval', 'GB', 'monthly_on_demand_data_out_gb'],
      [
        'Enhanced Fan Out (EFO) Data retrieval',
        'GB',
        'monthly_on_demand_efo_data_out_gb',
        1,
        { key: 'kinesis_stream/on-demand/efo-data-retrieval' },
      ],
      [
        'Extended retention (24H to 7D)',
        'GB',
        'monthly_on_demand_extended_retention_gb',
        1,
        { key: 'kinesis_stream/on-demand/extended-retention' },
      ],
      [
        'Long term retention (7D+)',
        'GB',
        'monthly_on_demand_long_term_retention_gb',
        1,
        { key: 'kinesis_stream/on-demand/long-term-retention' },
      ],
    ]);
    return;
  }
  const shards = r.attributes.computed.number('shard_count') ?? Decimal.ONE;
  r.hours('PROVISIONED', { count: shards });
  const efo = r.usage('monthly_provisioned_efo_consumer_hours');
  r.perUse('Put request unit', 'units', r.usage('monthly_provisioned_put_units'), {
    key: 'kinesis_stream/provisioned/put-request-unit',
  });
  r.perUse('Extended retention (24H to 7D)', 'GB', r.usage('monthly_provisioned_extended_retention_gb'), {
    key: 'kinesis_stream/provisioned/extended-retention',
  });
  r.perUse('Long term retention (7D+)', 'GB', r.usage('monthly_provisioned_long_term_retention_gb'), {
    key: 'kinesis_stream/provisioned/long-term-retention',
  });
  r.perUse('Extended retention retrieval (7D+)', 'GB', r.usage('monthly_provisioned_long_term_retrieval_gb'));
  r.perUse('Enhanced Fan Out (EFO)', 'consumer-shard hour', efo);
  r.perUse('Enhanced Fan Out (EFO) Data retrieval', 'GB', r.usage('monthly_provisioned_efo_data_out_gb'), {
    key: 'kinesis_stream/provisioned/efo-data-retrieval',
  });
}

function firehose(r: ResourceDraft): void {
  const data = r.usage('monthly_data_ingested_gb');
  r.perUse('Data ingested', 'GB', data);
  r.part(() => {
    const conversion = r.attributes
      .block('extended_s3_configuration')
      .first('data_format_conversion_configuration');
    if (conversion !== undefined && conversion.flag('enabled') !== false)
      r.perUse('Format conversion', 'GB', data);
  });
  r.part(() => {
    const network = r.attributes.block('elasticsearch_configuration').first('vpc_config');
    if (network === undefined) return;
    r.perUse('VPC data', 'GB', data);
    r.hours('VPC AZ delivery', { count: Math.max(network.texts('subnet_ids').length, 1) });
  });
}

function analytics(r: ResourceDraft): void {
  const units = r.usage('kinesis_processing_units');
  r.perUse('Processing (stream)', 'KPU', units, { key: 'kinesis_analytics/processing' });
}

function analytics2(r: ResourceDraft): void {
  const units = r.usage('kinesis_processing_units');
  r.perUse('Processing (stream)', 'KPU', units, { key: 'kinesis_analytics/processing' });
  if (r.attributes.required('runtime_environment').startsWith('SQL')) return;
  r.monthly('Processing (orchestration)', 'KPU', 1, { key: 'kinesis_analytics/processing' });
  // 50 GB come with each processing unit.
  r.perUse('Running storage', 'GB', units?.times(50));
  r.perUse('Backup', 'GB', r.usage('durable_application_backup_gb'), { key: 'kinesis_analytics/backup' });
}

function broker(r: ResourceDraft): void {
  const { attributes } = r;
  const engine = attributes.required('engine_type').toLowerCase() === 'rabbitmq' ? 'RabbitMQ' : 'ActiveMQ';
  const mode = (attributes.computed.text('deployment_mode') ?? 'SINGLE_INSTANCE').toLowerCase();
  r.part(() => {
    const type = attributes.required('host_instance_type');
    // The price of a cluster is that of its three nodes.
    r.hours(`Instance usage (${engine}, ${type}, ${mode})`, { count: mode === 'cluster_multi_az' ? 3 : 1 });
  });
  const storage = attributes.computed.text('storage_type') ?? (engine === 'ActiveMQ' ? 'efs' : 'ebs');
  const size = r.usage('storage_size_gb');
  r.perUse(
    `Storage (${engine}, ${storage.toUpperCase()})`,
    'GB',
    mode === 'cluster_multi_az' ? size?.times(3) : size,
  );
}

function kafka(r: ResourceDraft): void {
  const { attributes } = r;
  const brokers = attributes.number('number_of_broker_nodes') ?? Decimal.ONE;
  const info = attributes.block('broker_node_group_info');
  r.part(() => {
    const type = info.required('instance_type');
    r.hours(`Instance (${type})`, { count: brokers });
  });
  r.part(() => {
    const target = r.linked('aws_appautoscaling_target', attributes.computed.text('arn'));
    const volume = info.block('storage_info').block('ebs_storage_info').computed.number('volume_size');
    const size =
      target?.number('min_capacity') ?? volume ?? info.computed.number('ebs_volume_size') ?? Decimal.of(1000);
    r.monthly(target ? 'Storage (autoscaling)' : 'Storage', 'GB', size.times(brokers), {
      key: 'msk_cluster/storage',
    });
  });
}

const AIRFLOW_SIZES: Record<string, string> = {
  'mw1.micro': 'Micro',
  'mw1.small': 'Small',
  'mw1.medium': 'Medium',
  'mw1.large': 'Large',
  'mw1.xlarge': 'XLarge',
};

function airflow(r: ResourceDraft): void {
  const environment = (r.attributes.computed.text('environment_class') ?? 'mw1.small').toLowerCase();
  const size = AIRFLOW_SIZES[environment] ?? environment;
  r.hours(`Environment (${size})`);
  r.perUse(`Worker (${size})`, 'hours', r.usage('additional_workers')?.times(730));
  r.perUse(`Scheduler (${size})`, 'hours', r.usage('additional_schedulers')?.times(730));
  r.perUse('Meta database', 'GB', r.usage('meta_database_gb'));
}

export const awsMessaging: Rules = {
  aws_sqs_queue: queue,
  aws_sns_topic: topic,
  aws_sns_topic_subscription: subscription,
  aws_kinesis_stream: stream,
  aws_kinesis_firehose_delivery_stream: firehose,
  aws_kinesis_analytics_application: analytics,
  aws_kinesisanalyticsv2_application: analytics2,
  aws_kinesisanalyticsv2_application_snapshot: onlyUse([
    'Backup',
    'GB',
    'durable_application_backup_gb',
    1,
    { key: 'kinesis_analytics/backup' },
  ]),
  aws_mq_broker: broker,
  aws_msk_cluster: kafka,
  aws_mwaa_environment: airflow,
  aws_cloudwatch_event_bus: onlyUse(
    ['Custom events published', '1M events', 'monthly_custom_events', 1_000_000],
    ['Third-party events published', '1M events', 'monthly_third_party_events', 1_000_000],
    ['Archive processing', 'GB', 'monthly_archive_processing_gb'],
    ['Archive storage', 'GB', 'archive_storage_gb'],
    ['Schema discovery', '1M events', 'monthly_schema_discovery_events', 1_000_000],
  ),
};
