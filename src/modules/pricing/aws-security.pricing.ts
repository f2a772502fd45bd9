import type { ResourceDraft, Rules } from './resource-draft.js';

// Components: infracost/infracost@95ba4f49 internal/resources/aws/{kms_key,secretsmanager_secret}.go (Apache-2.0).

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

export const awsSecurity: Rules = {
  aws_kms_key: kmsKey,
  aws_kms_external_key: ['kms_key', (r) => r.monthly('Customer master key', 'months', 1)],
  aws_secretsmanager_secret: (r) => {
    r.monthly('Secret', 'months', 1);
    r.perUse('API requests', '10k requests', r.usage('monthly_requests', 10_000));
  },
};
