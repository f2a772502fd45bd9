import type { ResourceDraft, Rules } from '../resource-draft.js';
import { onlyUse } from '../per-use.js';

// Components: infracost/infracost@95ba4f49 internal/resources/aws/cloudfront_*.go (Apache-2.0).

const REGIONS: readonly [usage: string, name: string][] = [
  ['us', 'US, Mexico, Canada'],
  ['europe', 'Europe, Israel'],
  ['south_africa', 'South Africa, Kenya, Middle East'],
  ['south_america', 'South America'],
  ['japan', 'Japan'],
  ['australia', 'Australia, New Zealand'],
  ['asia_pacific', 'Hong Kong, Philippines, Asia Pacific'],
  ['india', 'India'],
];

const SHIELD_REGIONS: Record<string, string> = {
  'us-east-1': 'US East',
  'us-east-2': 'US East',
  'us-west-2': 'US West',
  'eu-west-1': 'Europe',
  'eu-west-2': 'Europe',
  'eu-central-1': 'Europe',
  'sa-east-1': 'South America',
  'ap-south-1': 'Asia Pacific',
  'ap-southeast-1': 'Asia Pacific',
  'ap-southeast-2': 'Australia',
  'ap-northeast-1': 'Japan',
  'ap-northeast-2': 'South Korea',
};

function distribution(r: ResourceDraft): void {
  const transfers = {
    internet: r.usageIn('monthly_data_transfer_to_internet_gb'),
    origin: r.usageIn('monthly_data_transfer_to_origin_gb'),
    http: r.usageIn('monthly_http_requests'),
    https: r.usageIn('monthly_https_requests'),
  };
  const anyUsage = Object.values(transfers).some((usage) =>
    REGIONS.some(([region]) => usage(region) !== undefined),
  );
  for (const [usage, name] of REGIONS) {
    const internet = transfers.internet(usage);
    const origin = transfers.origin(usage);
    const http = transfers.http(usage, 10_000);
    const https = transfers.https(usage, 10_000);
    // Without usage one region's prices stand for all.
    if ((usage !== 'us' || anyUsage) && !internet && !origin && !http && !https) continue;
    r.group(name, () => {
      r.perUse('Data transfer out to internet', 'GB', internet);
      r.perUse('Data transfer out to origin', 'GB', origin);
      r.perUse('HTTP requests', '10k requests', http);
      r.perUse('HTTPS requests', '10k requests', https);
    });
  }
  r.perUse('Invalidation requests', 'paths', r.usage('monthly_invalidation_requests'), {
    tierScale: { perUnit: 1, letters: 'kMB' },
  });
  r.perUse('Field level encryption requests', '10k requests', r.usage('monthly_encryption_requests', 10_000));
  r.perUse('Real-time log requests', '1M lines', r.usage('monthly_log_lines', 1_000_000));
  r.part(() => {
    if (r.attributes.block('viewer_certificate').text('ssl_support_method') === 'vip')
      r.monthly('Dedicated IP custom SSLs', 'certificates', r.usage('custom_ssl_certificates') ?? 1);
  });
  r.part(() => {
    const requests = r.usageIn('monthly_shield_requests');
    for (const origin of r.attributes.blocks('origin')) {
      const shield = origin.block('origin_shield');
      if (!shield.isTrue('enabled')) continue;
      const region = shield.required('origin_shield_region');
      const place = SHIELD_REGIONS[region] ?? region;
      r.perUse(
        `Origin shield HTTP requests (${place} ${region})`,
        '10k requests',
        requests(place.toLowerCase().replace(' ', '_'), 10_000),
      );
    }
  });
}

export const awsCloudfront: Rules = {
  aws_cloudfront_distribution: distribution,
  aws_cloudfront_function: onlyUse([
    'Total number of invocations',
    '1M invocations',
    'monthly_requests',
    1_000_000,
  ]),
};
