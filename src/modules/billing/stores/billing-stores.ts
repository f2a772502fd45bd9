import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { AzureStore } from './azure.store.js';
import { type BillingStore, storeFailures } from './billing-store.js';
import { FilesStore } from './files.store.js';
import { GoogleStore } from './google.store.js';
import { S3Store } from './s3.store.js';
import type { SourceAddress } from './source-address.rules.js';

const GOOGLE_ADDRESS = 'https://storage.googleapis.com';
const AZURE_AUTHORITY = 'https://login.microsoftonline.com';
const DEFAULT_AWS_REGION = 'us-east-1';

/**
 * The store of an address. Credentials and endpoints are the operator's: they come from the environment and from
 * configuration, and no tenant names, sees or stores one.
 */
@Injectable()
export class BillingStores {
  constructor(private readonly config: Config) {}

  /** @param fileFence folder that files must really lie in */
  open(
    address: SourceAddress,
    { region, fileFence }: { region: string | null; fileFence: string },
  ): BillingStore {
    switch (address.store) {
      case 'file':
        return new FilesStore(address.path, fileFence);
      case 's3':
        return new S3Store({
          ...address,
          region: region ?? process.env['AWS_REGION'] ?? DEFAULT_AWS_REGION,
          endpoint: this.config.get('SERVICE_BILLING_S3_ENDPOINT'),
          credentials: undefined,
          silenceMs: this.silenceMs,
        });
      case 'gs':
        return this.googleStore(address);
      case 'abfss':
        return new AzureStore({
          ...address,
          endpoint: withoutSlash(this.config.get('SERVICE_BILLING_AZURE_ENDPOINT')),
          credentials: azureCredentials(),
          silenceMs: this.silenceMs,
        });
    }
  }

  private get silenceMs(): number {
    return this.config.get('SERVICE_BILLING_STORE_SECONDS') * 1_000;
  }

  /** With keys for the S3-compatible API that one, else the JSON API as a service account. */
  private googleStore({ bucket, path }: { bucket: string; path: string }): BillingStore {
    const endpoint = withoutSlash(this.config.get('SERVICE_BILLING_GCS_ENDPOINT')) ?? GOOGLE_ADDRESS;
    const accessKeyId = process.env['GCS_HMAC_ACCESS_ID'];
    const secretAccessKey = process.env['GCS_HMAC_SECRET'];
    if (accessKeyId && secretAccessKey)
      return new S3Store({
        bucket,
        path,
        region: 'auto',
        endpoint,
        credentials: { accessKeyId, secretAccessKey },
        silenceMs: this.silenceMs,
      });
    const keyFile = process.env['GOOGLE_APPLICATION_CREDENTIALS'];
    if (!keyFile) throw storeFailures.unconfigured('Google Cloud Storage');
    return new GoogleStore({ bucket, path, endpoint, keyFile, silenceMs: this.silenceMs });
  }
}

function azureCredentials() {
  const {
    AZURE_TENANT_ID: tenantId,
    AZURE_CLIENT_ID: clientId,
    AZURE_CLIENT_SECRET: clientSecret,
  } = process.env;
  const authority = withoutSlash(process.env['AZURE_AUTHORITY_HOST']) ?? AZURE_AUTHORITY;
  return {
    account: process.env['AZURE_STORAGE_ACCOUNT'],
    key: process.env['AZURE_STORAGE_KEY'],
    sasToken: process.env['AZURE_STORAGE_SAS_TOKEN'],
    principal:
      tenantId && clientId && clientSecret ? { authority, tenantId, clientId, clientSecret } : undefined,
  };
}

function withoutSlash(address: string | undefined): string | undefined {
  return address?.replace(/\/+$/, '');
}
