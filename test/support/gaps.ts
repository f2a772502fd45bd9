import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { aBackend, type Answer, type TestBackend } from './backend.js';
import { AwsCloud, SERVER_KEY } from './clouds/aws-cloud.js';
import { eventually } from './estate.js';
import { type RunningService, startService } from './service.js';

export interface GapResult {
  status?: string;
  error?: { code: string; message: string; action?: string };
  summary: {
    total_aws_resources: number;
    total_cloud_resources: number;
    managed_by_service: Record<string, number>;
    unmanaged: number;
    phantom_filtered: number;
  };
  unmanaged_resources: {
    id: string;
    arn?: string;
    resource_type: string;
    supported: boolean;
    name?: string;
    tags?: Record<string, string>;
  }[];
  fetched_at: number;
  from_cache: boolean;
  task_id?: string;
}

/** The service with a worker, and a stand-in for AWS that it talks to. */
export class GapSuite {
  private constructor(
    readonly backend: TestBackend,
    readonly worker: RunningService,
    readonly aws: AwsCloud,
    readonly env: Record<string, string>,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<GapSuite> {
    const aws = await new AwsCloud().start();
    const all = {
      SERVICE_AWS_ENDPOINT_URL: aws.url,
      SERVICE_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      SERVICE_GAPS_FRESH_SECONDS: '0',
      ...SERVER_KEY,
      ...env,
    };
    const backend = await aBackend({ env: all });
    const worker = await startService({ role: 'worker', database: backend.service.database, env: all });
    return new GapSuite(backend, worker, aws, all);
  }

  async stop(): Promise<void> {
    await this.worker.stop();
    await this.backend.stop();
    await this.aws.stop();
  }

  path(rest: string, tenantId = this.backend.tenantId): string {
    return `/tenants/${tenantId}/gaps${rest}`;
  }

  config(body: unknown, tenantId = this.backend.tenantId): Promise<Answer> {
    return this.backend.api('PUT', this.path('/config', tenantId), { body });
  }

  async externalId(tenantId = this.backend.tenantId): Promise<string> {
    const answer = await this.backend.api('GET', this.path('/config?provider=aws', tenantId));
    return (answer.json() as { external_id: string }).external_id;
  }

  async ask(
    provider: string,
    source = 'cache',
    tenantId = this.backend.tenantId,
  ): Promise<{ status: number; body: GapResult }> {
    const answer = await this.backend.api(
      'GET',
      this.path(`?provider=${provider}&source=${source}`, tenantId),
    );
    return { status: answer.status, body: answer.json() as GapResult };
  }

  /** Scans anew and answers the result. */
  async scanned(provider: string, tenantId = this.backend.tenantId): Promise<GapResult> {
    const first = await this.ask(provider, 'no-cache', tenantId);
    if (first.status !== 202)
      throw new Error(`expected a scan, got ${first.status} ${JSON.stringify(first.body)}`);
    const scan = await eventually('the scan', async () => {
      const { rows } = await this.backend.service.pool.query<{ status: string; error: unknown }>(
        'SELECT status, error FROM gap_scans WHERE tenant_id = $1 AND provider = $2',
        [tenantId, provider],
      );
      return rows[0]?.status === 'running' ? undefined : rows[0];
    });
    if (scan.status !== 'completed') throw new Error(`the scan failed: ${JSON.stringify(scan.error)}`);
    return (await this.ask(provider, 'cache', tenantId)).body;
  }
}

/** A service account's key file. */
export function aServiceAccountKey(): { key: Record<string, string>; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return {
    key: {
      ...{
        type: 'service_account',
        project_id: 'my-project',
        private_key_id: 'key-1',
        private_key: privateKey,
      },
      client_email: 'reader@my-project.iam.gserviceaccount.com',
      token_uri: 'http://169.254.169.254/steal',
    },
    publicKey,
  };
}
