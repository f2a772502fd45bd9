import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components: infracost/infracost@95ba4f49 internal/resources/aws/{kms_key,secretsmanager_secret,acm*,waf*,cloudhsm_v2_hsm,ssm_*}.go
// (Apache-2.0).

function kmsKey(r: ResourceDraft): void {
  r.monthly('Customer master key', 'months', 1);
  const spec = r.attributes.computed.text('customer_master_key_spec') ?? 'SYMMETRIC_DEFAULT';
  if (spec === 'RSA_2048') r.perUse('Requests (RSA 2048)', '10k requests', undefined);
  else if (spec !== 'SYMMETRIC_DEFAULT') r.perUse('Requests (asymmetric)', '10k requests', undefined);
  else {
    r.perUse('Requests', '10k requests', undefined);
    r.perUse('ECC GenerateDataKeyPair requests', '10k requests', undefined);
    r.perUse('RSA GenerateDataKeyPair requests', '10k requests', undefined);
  }
}

function privateAuthority(r: ResourceDraft): void {
  const shortLived = r.attributes.computed.text('usage_mode') === 'SHORT_LIVED_CERTIFICATE';
  r.monthly(
    shortLived
      ? 'Private certificate authority (short-lived certificate mode)'
      : 'Private certificate authority',
    'months',
    1,
  );
  const requests = r.usage('monthly_requests');
  if (shortLived) r.perUse('Certificates (short-lived)', 'requests', requests);
  else r.perUse('Certificates', 'requests', requests);
}

function wafAcl(r: ResourceDraft): void {
  r.monthly('Web ACL usage', 'months', 1);
  r.part(() => {
    const rules = r.attributes.blocks('rules');
    const groups = rules.filter((rule) => rule.text('type') === 'GROUP').length;
    const own = Decimal.of(rules.length - groups).plus(
      groups > 0 ? (r.usage('rule_group_rules') ?? Decimal.ZERO) : Decimal.ZERO,
    );
    if (!own.isZero()) r.monthly('Rules', 'rules', own);
    if (groups > 0) r.monthly('Rule groups', 'groups', groups);
  });
  r.perUse('Requests', '1M requests', r.usage('monthly_requests', 1_000_000));
}

function wafAcl2(r: ResourceDraft): void {
  r.monthly('Web ACL usage', 'months', 1);
  r.part(() => {
    const rules = r.attributes.blocks('rule');
    const has = (rule: AttributeReader, name: string) => rule.block('statement').first(name) !== undefined;
    const groups = rules.filter((rule) => has(rule, 'rule_group_reference_statement')).length;
    const managed = rules.filter((rule) => has(rule, 'managed_rule_group_statement')).length;
    const inside = groups > 0 ? (r.usage('rule_group_rules') ?? Decimal.ZERO) : Decimal.ZERO;
    const insideManaged = managed > 0 ? (r.usage('managed_rule_group_rules') ?? Decimal.ZERO) : Decimal.ZERO;
    const own = Decimal.of(rules.length - groups - managed)
      .plus(inside)
      .plus(insideManaged);
    if (!own.isZero()) r.monthly('Rules', 'rules', own);
    if (groups > 0) r.monthly('Rule groups', 'groups', groups);
    if (managed > 0) r.monthly('Managed rule groups', 'groups', managed);
  });
  r.perUse('Requests', '1M requests', r.usage('monthly_requests', 1_000_000));
}

function ssmParameter(r: ResourceDraft): void {
  const advanced = r.attributes.computed.text('tier') === 'Advanced';
  if (advanced) {
    const hours = r.usage('parameter_storage_hrs');
    r.hours('Parameter storage (advanced)', { count: hours ? hours.dividedBy(730) : 1 });
  }
  const limit = r.usageText('api_throughput_limit') ?? (advanced ? 'advanced' : 'standard');
  if (limit !== 'standard')
    r.perUse(`API interactions (${limit})`, '10k interactions', r.usage('monthly_api_interactions', 10_000));
}

/** Managed instances of the advanced tier are billed; the usage tells how many. */
function ssmActivation(r: ResourceDraft): void {
  const limit = r.attributes.number('registration_limit') ?? Decimal.ONE;
  const instances = r.usage('instances');
  const advanced = r.usageText('instance_tier')?.toLowerCase() === 'advanced' || limit.isMore(1000);
  if (advanced || instances?.isMore(1000) === true)
    r.perUse('On-prem managed instances (advanced)', 'hours', instances?.times(730));
}

export const awsSecurity: Rules = {
  aws_kms_key: kmsKey,
  aws_kms_external_key: ['kms_key', (r) => r.monthly('Customer master key', 'months', 1)],
  aws_secretsmanager_secret: (r) => {
    r.monthly('Secret', 'months', 1);
    r.perUse('API requests', '10k requests', r.usage('monthly_requests', 10_000));
  },
  aws_acm_certificate: (r) => {
    if ((r.attributes.text('certificate_authority_arn') ?? '') !== '')
      r.monthly('Certificate', 'requests', 1);
  },
  aws_acmpca_certificate_authority: privateAuthority,
  aws_waf_web_acl: wafAcl,
  aws_wafv2_web_acl: wafAcl2,
  aws_ssm_parameter: ssmParameter,
  aws_ssm_activation: ssmActivation,
  aws_cloudhsm_v2_hsm: (r) => {
    const hours = r.usage('monthly_hrs');
    r.hours('HSM usage', { count: hours ? hours.dividedBy(730) : 1 });
  },
};
