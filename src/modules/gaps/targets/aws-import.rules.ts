import { type Arn, isFitText, parseArn } from './arn.rules.js';
import { AWS_IMPORT_TYPES, type AwsImportType } from './aws-import-types.js';
import { NAME_ARGUMENTS } from './aws-name-arguments.js';
import type { ImportMapping, ImportSource } from './import-target.js';
import {
  filledTemplate,
  literalLength,
  templateExpression,
  type TemplateValues,
} from './path-template.rules.js';

/** Types whose names hold slashes. */
const SLASHED = new Set([
  ...[
    'logs:log-group',
    'events:rule',
    'events:event-bus',
    'ecr:repository',
    'ecr-public:repository',
    'ssm:parameter',
  ],
  ...[
    'kms:alias',
    'backup:backup-vault',
    'cloudwatch:alarm',
    'budgets:budget',
    'ssm:document',
    'iam:oidc-provider',
  ],
]);
/** Types whose names hold colons. */
const COLONED = new Set([
  ...[
    'cognito-identity:identitypool',
    'batch:job-definition',
    'rds:snapshot',
    'rds:cluster-snapshot',
    'rds:og',
  ],
  ...['cloudwatch:alarm', 'iam:oidc-provider'],
]);
const DNS_SUFFIXES: Readonly<Record<string, string>> = {
  aws: 'amazonaws.com',
  'aws-cn': 'amazonaws.com.cn',
  'aws-us-gov': 'amazonaws.com',
};
const WAF_SCOPES: Readonly<Record<string, string>> = { regional: 'REGIONAL', global: 'CLOUDFRONT' };
/** Types that a pattern cannot tell from their siblings. */
const REMARKS: Readonly<Record<string, string>> = {
  'ec2:transit-gateway-attachment':
    'of a VPC; for a VPN, a peering or a Connect attachment use the type of that kind',
  'rds:cluster': 'of Aurora; for Neptune use aws_neptune_cluster, for DocumentDB aws_docdb_cluster',
  'rds:db': 'of RDS; for Neptune use aws_neptune_cluster_instance, for DocumentDB aws_docdb_cluster_instance',
  'cloudwatch:alarm': 'of one metric; for a composite alarm use aws_cloudwatch_composite_alarm',
  'elasticache:cluster': 'node of its own; nodes of a replication group are no resources in Terraform',
};

interface CompiledType {
  type: AwsImportType;
  expression: RegExp;
}

/** Types of one service: those whose resource begins with a kind such as `instance/`, by that kind, and the others. */
interface ServiceTypes {
  all: CompiledType[];
  byKind: Map<string, CompiledType[]>;
  others: CompiledType[];
}

const BY_SERVICE = compiledTypes();

export function mapAwsImport(source: ImportSource): ImportMapping {
  const found = resolvedType(source);
  if ('reason' in found) return found;
  const { arn, text, type, template } = found;
  const values = valuesOf(arn, found.values);
  if (values === undefined) return { reason: 'the ARN is of no known scope' };
  const { terraformType, remark } = type;
  return {
    target: {
      terraformType,
      importId: filledTemplate(template, { ...values, arn: text }),
      name: labelSource(arn, values),
      arguments: argumentsOf(terraformType, values),
      region: regionOf(arn, source.region),
      account: accountOf(arn, source.account),
      partition: arn.partition,
      remark: remark ?? REMARKS[type.resourceType],
    },
  };
}

/** Whether `mapAwsImport` has a target; an inventory needs no more than that of each resource. */
export function canImportAws(source: ImportSource): boolean {
  return 'type' in resolvedType(source);
}

interface ResolvedType {
  arn: Arn;
  /** the ARN as imports take it */
  text: string;
  type: AwsImportType;
  /** of the import id */
  template: string;
  values: TemplateValues;
}

function resolvedType({ id, resourceType }: ImportSource): ResolvedType | { reason: string } {
  const text = id.endsWith(':*') ? id.slice(0, -2) : id;
  const arn = parseArn(text);
  if (!arn) return { reason: 'the ARN is malformed' };
  const chosen = typeOf(arn, resourceType);
  if (!chosen) return { reason: reasonOf(arn, resourceType) };
  const type = typeBySuffix(chosen.type, chosen.values);
  if (type.importId === undefined)
    return { reason: `the ARN does not tell the import id: ${type.remark ?? type.terraformType}` };
  return { arn, text, type, template: type.importId, values: chosen.values };
}

/** The type that the request names when its form fits, else the most specific form that fits. */
function typeOf(
  arn: Arn,
  resourceType: string | undefined,
): { type: AwsImportType; values: TemplateValues } | undefined {
  const types = BY_SERVICE.get(arn.service);
  const candidates = types?.byKind.get(kindOf(arn.resource) ?? '') ?? types?.others ?? [];
  const tail = `${arn.service}:${arn.region}:${arn.account}:${arn.resource}`;
  const found = candidates.flatMap(({ type, expression }) => {
    const match = expression.exec(tail);
    return match ? [{ type, values: match.groups ?? {} }] : [];
  });
  return found.find(({ type }) => type.resourceType === resourceType) ?? found[0];
}

/** `instance` of `instance/i-1`; undefined for resources that are an id alone. */
function kindOf(resource: string): string | undefined {
  return /^([^:/{}]+)[:/]/.exec(resource)?.[1];
}

function compiledTypes(): ReadonlyMap<string, ServiceTypes> {
  const byService = new Map<string, ServiceTypes>();
  // A more specific form comes first: `loadbalancer/app/…` before `loadbalancer/…`.
  const sorted = [...AWS_IMPORT_TYPES].sort((a, b) => literalLength(b.pattern) - literalLength(a.pattern));
  const resourceOf = ({ pattern }: AwsImportType): string => pattern.split(':').slice(3).join(':');
  for (const type of sorted) {
    const service = type.pattern.slice(0, type.pattern.indexOf(':'));
    const types: ServiceTypes = byService.get(service) ?? { all: [], byKind: new Map(), others: [] };
    byService.set(service, types);
    types.all.push({ type, expression: templateExpression(type.pattern, formsOf(type.resourceType)) });
  }
  for (const types of byService.values()) {
    types.others = types.all.filter(({ type }) => kindOf(resourceOf(type)) === undefined);
    for (const kind of types.all.flatMap(({ type }) => kindOf(resourceOf(type)) ?? []))
      types.byKind.set(
        kind,
        types.all.filter(({ type }) => [kind, undefined].includes(kindOf(resourceOf(type)))),
      );
  }
  return byService;
}

function formsOf(resourceType: string): Record<string, string> {
  const excluded = `${SLASHED.has(resourceType) ? '' : '/'}${COLONED.has(resourceType) ? '' : ':'}`;
  const id = excluded === '' ? '[^]+' : `[^${excluded}]+`;
  return {
    ...{ region: '[a-z0-9-]+', account: '[a-z0-9]+', id },
    path: resourceType === 'iam:oidc-provider' ? '' : '(?:[^]*/)?',
    ...{ rev: '\\d+', version: '[^/:]+', suffix6: '[^/:-]{6}', scope: 'regional|global', asg_name: '[^]+' },
    ...{ name: resourceType === 'secretsmanager:secret' ? '[^:]+' : '[^/:]+', p3: '[^:]+' },
  };
}

/** A mail identity can be an address. */
function typeBySuffix(type: AwsImportType, values: TemplateValues): AwsImportType {
  const isAddress = type.resourceType === 'ses:identity' && values['id']?.includes('@') === true;
  return isAddress ? { ...type, terraformType: 'aws_ses_email_identity' } : type;
}

function valuesOf(arn: Arn, found: TemplateValues): TemplateValues | undefined {
  const { scope, id = '' } = found;
  const dnsSuffix = DNS_SUFFIXES[arn.partition] ?? 'amazonaws.com';
  const upper = scope === undefined ? undefined : WAF_SCOPES[scope];
  if (scope !== undefined && upper === undefined) return undefined;
  return {
    ...found,
    ...{ region: arn.region, account: arn.account, partition: arn.partition, dns_suffix: dnsSuffix },
    ssm_name: id.includes('/') ? `/${id}` : id,
    ...(upper === undefined ? {} : { SCOPE: upper }),
  };
}

/** The part of an ARN that people know the resource by. */
function labelSource(arn: Arn, values: TemplateValues): string {
  const names = values['suffix6'] === undefined ? NAMING : ['name'];
  const [name] = names.flatMap((placeholder) => values[placeholder] ?? []);
  return name ?? arn.resource;
}

const NAMING = ['id', 'p2', 'name', 'p1', 'family', 'asg_name'];

function argumentsOf(terraformType: string, values: TemplateValues): [string, string][] {
  const template = NAME_ARGUMENTS[terraformType];
  if (template === undefined) return [];
  return Object.entries(template).map(([argument, text]) => [argument, filledTemplate(text, values)]);
}

/** The region of a global resource, which its ARN leaves out, is told by nobody else but a bucket's inventory. */
function regionOf(arn: Arn, told: string | undefined): string | undefined {
  const region = arn.region === '' ? told : arn.region;
  return region === undefined || region === '' || region === 'global' || !/^[a-z0-9-]{1,40}$/.test(region)
    ? undefined
    : region;
}

function accountOf(arn: Arn, told: string | undefined): string | undefined {
  const account = arn.account === '' ? told : arn.account;
  return account !== undefined && /^\d{12}$/.test(account) ? account : undefined;
}

function reasonOf(arn: Arn, resourceType: string | undefined): string {
  const known = BY_SERVICE.get(arn.service)?.all.find(({ type }) => type.resourceType === resourceType);
  if (known) return `the ARN has not the form of ${known.type.resourceType}`;
  const type =
    resourceType !== undefined && isFitText(resourceType) && resourceType.length <= 100
      ? resourceType
      : undefined;
  return `no Terraform type is known for ${type ?? `resources of ${arn.service}`}`;
}
