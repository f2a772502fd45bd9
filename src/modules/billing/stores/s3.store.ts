import type { Readable } from 'node:stream';
import type { ListObjectsV2CommandOutput, S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import {
  type BillingStore,
  failureOfStatus,
  MAX_LISTED_OBJECTS,
  type StoredObject,
  StoreFailure,
  storeFailures,
} from './billing-store.js';
import { objectPattern } from './object-pattern.rules.js';
import { SilenceLimit } from './silence-limit.js';

export interface S3Place {
  bucket: string;
  path: string;
  region: string;
  /** of an S3-compatible store of the operator's; undefined for AWS */
  endpoint: string | undefined;
  /** undefined: the environment's (variables, profile, role of the machine) */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** how long the store may send nothing */
  silenceMs: number;
}

/** Amazon S3 and stores that speak its protocol. */
export class S3Store implements BillingStore {
  private client: S3Client | undefined;

  constructor(private readonly place: S3Place) {}

  async list(signal: AbortSignal): Promise<StoredObject[]> {
    return SilenceLimit.run(signal, this.place.silenceMs, (limit) => this.listAll(limit));
  }

  async open(object: StoredObject, signal: AbortSignal): Promise<Readable> {
    const { GetObjectCommand } = await import('@aws-sdk/client-s3');
    const client = await this.connect();
    const command = new GetObjectCommand({ Bucket: this.place.bucket, Key: object.name });
    const answer = await SilenceLimit.run(signal, this.place.silenceMs, (limit) =>
      client.send(command, { abortSignal: limit.signal }).catch(refuse),
    );
    return answer.Body as Readable;
  }

  private async listAll(limit: SilenceLimit): Promise<StoredObject[]> {
    const pattern = objectPattern(this.place.path);
    const found: StoredObject[] = [];
    let seen = 0;
    for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
      const page = await this.listPage(pattern.prefix, token, limit.signal);
      limit.restart();
      for (const { Key: name, Size: size = 0, LastModified: modified } of page.Contents ?? [])
        if (name !== undefined && pattern.matches(name))
          found.push({ name, size, modifiedAt: modified?.getTime() ?? 0 });
      seen += page.Contents?.length ?? 0;
      if (seen > MAX_LISTED_OBJECTS) throw storeFailures.tooMany();
      token = page.NextContinuationToken;
    }
    return found;
  }

  private async listPage(
    prefix: string,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<ListObjectsV2CommandOutput> {
    const { ListObjectsV2Command } = await import('@aws-sdk/client-s3');
    const client = await this.connect();
    return client
      .send(
        new ListObjectsV2Command({ Bucket: this.place.bucket, Prefix: prefix, ContinuationToken: token }),
        { abortSignal: signal },
      )
      .catch(refuse);
  }

  private async connect(): Promise<S3Client> {
    if (this.client) return this.client;
    // The SDK would write a warning about older releases of Node.js between the lines of the log.
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
    const { S3Client } = await import('@aws-sdk/client-s3');
    const { endpoint, region, credentials, silenceMs } = this.place;
    const config: S3ClientConfig = {
      region,
      maxAttempts: 3,
      followRegionRedirects: endpoint === undefined,
      requestHandler: {
        connectionTimeout: 10_000,
        requestTimeout: silenceMs,
        // Otherwise the SDK only writes a warning, and waits.
        throwOnRequestTimeout: true,
      },
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      ...(credentials === undefined ? {} : { credentials }),
    };
    this.client = new S3Client(config);
    return this.client;
  }
}

function refuse(error: unknown): never {
  if (error instanceof StoreFailure) throw error;
  const { name = '', $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  if (name === 'AbortError') throw error;
  if (name === 'CredentialsProviderError') throw storeFailures.unconfigured('Amazon S3');
  if (name === 'TimeoutError') throw storeFailures.slow();
  const status = $metadata?.httpStatusCode;
  throw status === undefined ? storeFailures.unreachable() : failureOfStatus(status);
}
