// Rows of a published bill (FOCUS sample data) name a price in words: these are what rules ask for.

/** `like`: the description; `key`; `unit`; `times`: what one unit of the key counts of the bill's unit. */
const ROWS = [
  {
    like: /per On Demand Linux (\S+) Instance Hour/,
    key: ([, type]) => `ec2/instance/linux/shared/on_demand/${type}`,
    unit: 'hours',
  },
  { like: /GB-month of General Purpose SSD \(gp2\)/, key: 'ebs/gp2/storage', unit: 'GB' },
  { like: /GB-month of General Purpose \(gp3\)/, key: 'ebs/gp3/storage', unit: 'GB' },
  { like: /GB-month of Magnetic provisioned storage/, key: 'ebs/standard/storage', unit: 'GB' },
  { like: /provisioned IOPS-month of gp3/, key: 'ebs/gp3/iops', unit: 'IOPS' },
  // Billed by gigabytes a second.
  { like: /provisioned MiBps-month of gp3/, key: 'ebs/gp3/throughput', unit: 'Mbps', times: 1 / 1024 },
  {
    like: /^\$0\.05 per 1 million I\/O requests/,
    key: 'ebs/standard/requests',
    unit: '1M request',
    times: 1e6,
  },
  { like: /snapshot data stored|EBS:SnapshotUsage/, key: 'ebs_snapshot/ebs-snapshot-storage', unit: 'GB' },
  { like: /GB Data Processed by NAT Gateways/, key: 'nat_gateway/data-processed', unit: 'GB' },
  { like: /per NAT Gateway Hour/, key: 'nat_gateway/nat-gateway', unit: 'hours' },
  { like: /(In-use|Idle) public IPv4 address/, key: 'vpc/public-ipv4', unit: 'hours' },
  { like: /per Application LoadBalancer-hour/, key: 'lb/application-load-balancer', unit: 'hours' },
  { like: /per LoadBalancer-hour/, key: 'elb/classic-load-balancer', unit: 'hours' },
  {
    like: /per used Application load balancer capacity unit-hour/,
    key: 'lb/capacity-units/application',
    unit: 'LCU',
    times: 730,
  },
  {
    like: /per used Network load balancer capacity unit-hour/,
    key: 'lb/capacity-units/network',
    unit: 'LCU',
    times: 730,
  },
  { like: /customer managed KMS key version/, key: 'kms_key/customer-master-key', unit: 'months' },
  {
    like: /Amazon SQS standard requests/,
    key: 'sqs_queue/requests/standard',
    unit: '1M requests',
    times: 1e6,
  },
  { like: /^AWS Lambda - Total Requests/, key: 'lambda_function/requests', unit: '1M requests', times: 1e6 },
  {
    like: /custom log data ingested in Standard log class/,
    key: 'cloudwatch_log_group/data-ingested',
    unit: 'GB',
  },
  { like: /GB-mo of log storage/, key: 'cloudwatch_log_group/archival-storage', unit: 'GB' },
  {
    like: /per alarm metric month \(standard resolution\)/,
    key: 'cloudwatch_metric_alarm/standard-resolution',
    unit: 'alarm metrics',
  },
  { like: /^Amazon EKS cluster usage/, key: 'eks_cluster/eks-cluster', unit: 'hours' },
  { like: /^AWS Fargate - vCPU /, key: 'fargate/cpu', unit: 'CPU', times: 730 },
  { like: /^AWS Fargate - Memory /, key: 'fargate/memory', unit: 'GB', times: 730 },
  { like: /^AWS Fargate - ARM - Memory/, key: 'fargate/memory-arm64', unit: 'GB', times: 730 },
  { like: /per web ACL created/, key: 'wafv2_web_acl/web-acl-usage', unit: 'months' },
  { like: /first 50 TB \/ month of storage used/, key: 's3_bucket/standard/storage', unit: 'GB' },
  {
    like: /per 1,000 PUT, COPY, POST, or LIST requests/,
    key: 's3_bucket/standard/put-copy-post-list-requests',
    unit: '1k requests',
    times: 1000,
  },
  {
    like: /per 10,000 GET and all other requests$/,
    key: 's3_bucket/standard/get-select-and-all-other-requests',
    unit: '1k requests',
    times: 1000,
  },
  { like: /per million read request units/, key: 'dynamodb_table/read-request-unit-rru', unit: 'RRUs' },
  { like: /per million write request units/, key: 'dynamodb_table/write-request-unit-wru', unit: 'WRUs' },
  { like: /per state transition/, key: 'sfn_state_machine/transitions', unit: '1K transitions', times: 1000 },
  { like: /GB-month of consumed storage \(Aurora PostgreSQL\)/, key: 'rds_cluster/storage', unit: 'GB' },
  {
    like: /per RDS million I\/O requests \(Aurora PostgreSQL\)/,
    key: 'rds_cluster/i-o-requests',
    unit: '1M requests',
    times: 1e6,
  },
  {
    like: /per (db\.\S+) Single-AZ instance hour .* SQL Server Exp \(LI\)/,
    key: ([, type]) => `rds/instance/sqlserver-ex-license-included/single_az/on_demand/${type}`,
    unit: 'hours',
  },
  {
    like: /Premium SSD Managed Disks - (P\d+) LRS/,
    key: ([, tier]) => `managed_disk/storage/${tier.toLowerCase()}-lrs`,
    unit: 'months',
  },
  { like: /^Load Balancer - Standard Data Processed/, key: 'lb/data-processed-standard', unit: 'GB' },
];

/** Data storage of the container registry has the words of many services: the service tells. */
const BY_SERVICE = [
  {
    service: /Container Registry/,
    like: /GB-month of data storage|TimedStorage-ByteHrs/,
    key: 'ecr_repository/storage',
    unit: 'GB',
  },
];

export function placesOfBillingRow({ component, service, region, price }) {
  const row =
    BY_SERVICE.find((each) => each.service.test(service) && each.like.test(component)) ??
    ROWS.find((each) => each.like.test(component));
  if (row === undefined || region === null) return [];
  const key = typeof row.key === 'string' ? row.key : row.key(row.like.exec(component));
  const own = row.times ? { price: String(Number((Number(price) * row.times).toPrecision(8))) } : {};
  return [{ region, unit: row.unit, key, ...own }];
}
