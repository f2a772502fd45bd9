import { addAbortSignal, Readable, Transform, pipeline } from 'node:stream';
import type { KMSClient } from '@aws-sdk/client-kms';
import type { ResourceExplorer2Client } from '@aws-sdk/client-resource-explorer-2';
import type { STSClient } from '@aws-sdk/client-sts';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Clock } from '../../../platform/time/clock.js';
import { type AwsSettings, CloudFailure } from '../clouds/cloud-inventory.js';
import { failureOf } from './aws-failures.js';
import { MAX_RESPONSE_BYTES } from '../clouds/cloud-rest.js';

/** What an SDK client signs with. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  expiration?: Date;
}

export interface AwsPlace {
  /** stands for every AWS service */
  endpoint: string | undefined;
  requestTimeoutMs: number;
  /** attempts of one request, with adaptive backoff */
  maxAttempts: number;
  signal: AbortSignal;
  clock: Clock;
}

type Closable = { destroy(): void };

/** Credentials are renewed this long before they expire, as the SDK itself does. */
const RENEWAL_MS = 5 * 60_000;
const SESSION_NAME = 'infrastructure-state-service';
const DEFAULT_REGIONS: Readonly<Record<string, string>> = {
  aws: 'us-east-1',
  'aws-cn': 'cn-north-1',
  'aws-us-gov': 'us-gov-west-1',
};

/** The SDK is loaded on first use: it takes half a second, and most processes never need it. */
async function loadSdk() {
  const [explorer, sts, kms, http] = await Promise.all([
    import('@aws-sdk/client-resource-explorer-2'),
    import('@aws-sdk/client-sts'),
    import('@aws-sdk/client-kms'),
    import('@smithy/node-http-handler'),
  ]);
  return { explorer, sts, kms, http };
}
export type AwsSdk = Awaited<ReturnType<typeof loadSdk>>;

/** SDK clients of one tenant's account for the time of one scan or description. Call `destroy` at the end. */
export class AwsClients {
  private readonly open: Closable[] = [];
  private credentials: AwsCredentials | undefined;
  private renewal: Promise<AwsCredentials> | undefined;

  private constructor(
    readonly sdk: AwsSdk,
    private readonly settings: AwsSettings,
    private readonly place: AwsPlace,
  ) {}

  static async open(settings: AwsSettings, place: AwsPlace): Promise<AwsClients> {
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
    return new AwsClients(await loadSdk(), settings, place);
  }

  get now(): Date {
    return this.place.clock.now();
  }

  get partition(): string {
    return this.settings.roleArn?.split(':')[1] ?? 'aws';
  }

  /** Where indexes are asked for. */
  get homeRegion(): string {
    return this.settings.region ?? DEFAULT_REGIONS[this.partition] ?? 'us-east-1';
  }

  get endpoint(): string | undefined {
    return this.place.endpoint;
  }

  get signal(): AbortSignal {
    return this.place.signal;
  }

  explorer(region: string): ResourceExplorer2Client {
    return this.kept(new this.sdk.explorer.ResourceExplorer2Client(this.options(region)));
  }

  kms(region: string): KMSClient {
    return this.kept(new this.sdk.kms.KMSClient(this.options(region)));
  }

  /** Signed with the role's credentials, or with the server's own where the tenant may use them. */
  sts(): STSClient {
    return this.kept(new this.sdk.sts.STSClient(this.options(this.homeRegion)));
  }

  destroy(): void {
    for (const client of this.open.splice(0)) client.destroy();
  }

  /** One call of the SDK; failures name `action`. */
  async call<T>(action: string, task: (options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    try {
      return await task({ abortSignal: this.place.signal });
    } catch (error) {
      throw failureOf(error, action);
    }
  }

  /** Credentials for requests that are signed without a client of the SDK. */
  async currentCredentials(): Promise<AwsCredentials> {
    if (this.settings.roleArn === undefined) return this.sts().config.credentials();
    return this.assumedRole();
  }

  private options(region: string) {
    const { endpoint, maxAttempts } = this.place;
    return {
      region,
      maxAttempts,
      retryMode: 'adaptive',
      requestHandler: this.handler(),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(this.settings.roleArn === undefined ? {} : { credentials: () => this.assumedRole() }),
    };
  }

  private handler(): NodeHttpHandler {
    const { requestTimeoutMs, signal } = this.place;
    const handler = new this.sdk.http.NodeHttpHandler({
      connectionTimeout: Math.min(3_000, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: requestTimeoutMs,
    });
    const handle = handler.handle.bind(handler);
    handler.handle = async (request, options) => {
      const answer = await handle(request, options);
      const body: unknown = answer.response.body;
      // The SDK's own timeouts end with the head of a response.
      const stop = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
      if (body instanceof Readable) answer.response.body = addAbortSignal(stop, bounded(body));
      return answer;
    };
    return handler;
  }

  /** Callers share one request to STS, and one result until shortly before it expires. */
  private async assumedRole(): Promise<AwsCredentials> {
    const known = this.credentials;
    if (known?.expiration !== undefined && known.expiration.getTime() - this.now.getTime() > RENEWAL_MS)
      return known;
    this.renewal ??= this.assumeRole().finally(() => (this.renewal = undefined));
    return this.renewal;
  }

  private async assumeRole(): Promise<AwsCredentials> {
    const { roleArn, externalId } = this.settings;
    const { credentials: _own, ...options } = this.options(this.homeRegion);
    const client = new this.sdk.sts.STSClient(options);
    try {
      const { Credentials: found } = await this.call('sts:AssumeRole', (abort) =>
        client.send(
          new this.sdk.sts.AssumeRoleCommand({
            RoleArn: roleArn,
            ExternalId: externalId,
            RoleSessionName: SESSION_NAME,
          }),
          abort,
        ),
      );
      if (
        found?.AccessKeyId === undefined ||
        found.SecretAccessKey === undefined ||
        found.SessionToken === undefined
      )
        throw new CloudFailure('INVALID_RESPONSE', { action: 'sts:AssumeRole' });
      this.credentials = {
        ...{
          accessKeyId: found.AccessKeyId,
          secretAccessKey: found.SecretAccessKey,
          sessionToken: found.SessionToken,
        },
        ...(found.Expiration === undefined ? {} : { expiration: found.Expiration }),
      };
      return this.credentials;
    } finally {
      client.destroy();
    }
  }

  private kept<T extends Closable>(client: T): T {
    this.open.push(client);
    return client;
  }
}

export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
}

/** The same bytes, and an error after too many of them. */
function bounded(body: Readable): Readable {
  let bytes = 0;
  const limit = new Transform({
    transform(part: Buffer, _encoding, done) {
      bytes += part.length;
      if (bytes > MAX_RESPONSE_BYTES) done(new ResponseTooLarge('response exceeds the size limit'));
      else done(null, part);
    },
  });
  pipeline(body, limit, () => undefined);
  return limit;
}
