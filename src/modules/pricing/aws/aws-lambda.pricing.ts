import { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/aws/lambda_function.go (Apache-2.0).

const DEFAULT_MEMORY_MB = 128;
const FREE_STORAGE_MB = 512;
const DURATION_TIERS = { perUnit: 1, letters: 'KMB' };

function lambdaFunction(r: ResourceDraft): void {
  const requests = r.usage('monthly_requests');
  r.perUse('Requests', '1M requests', requests?.dividedBy(1_000_000));
  r.part(() => {
    const memory = r.attributes.number('memory_size') ?? Decimal.of(DEFAULT_MEMORY_MB);
    const [architecture] = r.attributes.texts('architectures');
    const duration = seconds(r, requests);
    const used = duration?.times(memory.dividedBy(1024));
    const key = architecture === 'arm64' ? 'lambda_function/duration-arm64' : 'lambda_function/duration';
    r.perUse('Duration', 'GB-seconds', used, { key, tierScale: DURATION_TIERS });
  });
  r.part(() => {
    const storage = r.attributes.block('ephemeral_storage').number('size') ?? Decimal.of(FREE_STORAGE_MB);
    if (!storage.isMore(FREE_STORAGE_MB)) return;
    const extra = storage.minus(Decimal.of(FREE_STORAGE_MB)).dividedBy(1024);
    r.perUse('Ephemeral storage', 'GB-seconds', seconds(r, requests)?.times(extra));
  });
}

function seconds(r: ResourceDraft, requests: Decimal | undefined): Decimal | undefined {
  const milliseconds = r.usage('request_duration_ms');
  return milliseconds && requests?.times(milliseconds).dividedBy(1000);
}

export const awsLambda: Rules = { aws_lambda_function: lambdaFunction };
