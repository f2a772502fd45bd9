import { UsageFailure } from '../failure.js';

const CLOUD_PROVIDERS = ['aws', 'gcp', 'azure'] as const;
export type CloudProvider = (typeof CLOUD_PROVIDERS)[number];

export interface ProviderOptions {
  provider?: string;
}

export function providerOf({ provider = 'aws' }: ProviderOptions): CloudProvider {
  const found = CLOUD_PROVIDERS.find((name) => name === provider);
  if (found === undefined) throw new UsageFailure('--provider must be aws, gcp or azure');
  return found;
}
