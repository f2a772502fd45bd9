import { z } from 'zod';
import { parseEncryptionKeys } from '../crypto/encryption-keys.js';
import { codeHostingSettings } from './code-hosting-settings.js';
import { costSettings } from './cost-settings.js';
import { byteSize, count, flag, onUnlessOff, parsedWith, port } from './setting-types.js';

/** Every variable the service reads. The README's table and `.env.example` list the same keys (a test compares). */
export const environmentSchema = z
  .object({
    SERVICE_UI_BASE: z.url().describe('public base URL of the service, used in links and cookies'),
    SERVICE_CONSOLE: flag.default(true).describe('serves the browser console'),
    DB_HOST: z.string().min(1).describe('PostgreSQL host'),
    DB_PORT: port(5432, 1).describe('PostgreSQL port'),
    DB_USER: z.string().min(1).describe('PostgreSQL role; it should not be a superuser'),
    DB_PASS: z.string().min(1).describe('password of that role'),
    DB_NAME: z.string().min(1).describe('PostgreSQL database'),
    DB_PREPARED_STATEMENTS: flag
      .default(true)
      .describe('set false behind PgBouncer with transaction pooling'),
    DB_POOL_SIZE: count(10, 2).describe('maximum connections of each process'),
    SERVICE_HOST: z
      .string()
      .optional()
      .describe('address that both ports listen on; default: every interface (127.0.0.1 with `npm start`)'),
    SERVICE_PORT: port(8080).describe('port of the API'),
    SERVICE_INTERNAL_PORT: port(9090).describe(
      'internal port: /metrics, and the health probes of a worker; 0 picks a free port',
    ),
    SERVICE_REDIS_URL: z
      .string()
      .regex(/^rediss?:\/\/./, 'it starts with redis:// or rediss://')
      .optional()
      .describe('Redis for queues and rate limits; without it both use PostgreSQL'),
    SERVICE_QUEUES: z
      .string()
      .default('*')
      .describe('queues a worker consumes, comma-separated; * for all, whose names it logs at start'),
    SERVICE_DATA_DIR: z.string().default('.data').describe('directory of the database that `npm start` runs'),
    SERVICE_LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
      .default('info')
      .describe('log level'),
    SERVICE_CLIENT_MAX_BODY_SIZE: byteSize('512m').describe('maximum size of a state document'),
    SERVICE_JSON_MAX_BODY_SIZE: byteSize('1m').describe(
      'maximum JSON body of other routes (log entries and revisions 32m, runner reports 64m)',
    ),
    SERVICE_MAX_CONNECTIONS: count(4096, 16).describe(
      'maximum concurrent client connections of each process',
    ),
    SERVICE_CORS_ORIGINS: z
      .string()
      .default('')
      .describe('origins allowed by CORS, comma-separated; empty for none'),
    SERVICE_STATE_VERSIONS_KEEP: count(0).describe(
      'number of versions to keep for each state; submissions older than the oldest of them are deleted too; 0 keeps all',
    ),
    SERVICE_STATE_VERSIONS_MAX_AGE_DAYS: count(0).describe(
      'age in days after which an old version is deleted; 0 keeps all',
    ),
    SERVICE_PLAN_MAX_IDLE_DAYS: count(30).describe(
      'days without activity after which a plan is aborted; 0 keeps all',
    ),
    SERVICE_TASKS_MAX_AGE_DAYS: count(0).describe(
      'days after which a finished task and its result are deleted; 0 keeps all',
    ),
    SERVICE_LOCK_MAX_AGE_SECONDS: count(86_400, 1).describe(
      'seconds after which a state lock counts as abandoned',
    ),
    SERVICE_INGEST_THREADS: count(2, 1).describe('number of threads that parse state documents'),
    SERVICE_LOGIN_RATE_PER_ACCOUNT: count(10, 1).describe(
      'password logins per minute for one account from one address; ten times this from all addresses',
    ),
    SERVICE_LOGIN_RATE_PER_ADDRESS: count(60, 1).describe('password logins per minute from one address'),
    SERVICE_SETUP_TOKEN: z
      .string()
      .optional()
      .describe('secret required to create the first administrator; without it anyone can'),
    SERVICE_SETUP_RATE_PER_ADDRESS: count(60, 1).describe('setup attempts per minute from one address'),
    SERVICE_INVITE_RATE_PER_ADDRESS: count(60, 1).describe(
      'invitation previews and acceptances per minute from one address',
    ),
    SERVICE_INVITE_LIFETIME_SECONDS: count(604_800, 1).describe('seconds until an invitation expires'),
    SERVICE_INVITE_COOLDOWN_SECONDS: count(60).describe(
      'minimum seconds between two mails of one invitation',
    ),
    SERVICE_INVITES_PER_INVITER_HOUR: count(20, 1).describe('maximum invitations per inviter and hour'),
    SERVICE_INVITES_PER_TENANT_DAY: count(100, 1).describe('maximum invitations per tenant and day'),
    SERVICE_SMTP_URL: z
      .string()
      .optional()
      .describe('mail server, smtp:// or smtps://; without it no mail is sent'),
    SERVICE_SMTP_FROM: z
      .string()
      .optional()
      .describe('sender of mails; default noreply at the host of SERVICE_UI_BASE'),
    SERVICE_OAUTH_TYPE: z
      .enum(['google', 'oidc', 'idp_a'])
      .transform((type) => (type === 'idp_a' ? 'google' : type))
      .optional()
      .describe('single sign-on provider, google or oidc; without it people sign in with a password'),
    SERVICE_OAUTH_CLIENT_ID: z.string().optional().describe('client id registered at the provider'),
    SERVICE_OAUTH_CLIENT_SECRET: z.string().optional().describe('client secret registered at the provider'),
    SERVICE_OAUTH_OIDC_ISSUER_URL: z
      .url()
      .optional()
      .describe(
        'issuer URL of the provider if `SERVICE_OAUTH_TYPE` is `oidc`; if it is `google`, set this only in tests',
      ),
    SERVICE_OAUTH_EMAIL_DOMAIN: z.string().default('*').describe('email domain that may sign in; * for all'),
    SERVICE_OAUTH_DISPLAY_NAME: z.string().optional().describe('label of the login button'),
    SERVICE_OAUTH_REDIRECT_BASE: z
      .url()
      .optional()
      .describe('base URL the provider redirects to; default http://localhost:<port>'),
    SERVICE_OAUTH_COOKIE_SECRET: z
      .string()
      .refine(
        (secret) => [16, 24, 32].includes(Buffer.byteLength(secret)),
        'it must have 16, 24 or 32 ASCII characters',
      )
      .optional()
      .describe(
        'key that encrypts sign-ins in progress, the same on every replica; without it the replicas share a key in the database',
      ),
    SERVICE_OAUTH_SCOPES: z.string().default('email profile').describe('scopes requested besides openid'),
    SERVICE_OAUTH_GROUPS_CLAIM: z
      .string()
      .default('groups')
      .describe('claim that holds the groups for group rules'),
    SERVICE_MQL_POOL_SIZE: count(4, 1).describe(
      'maximum connections of each process for SQL queries (MQL is the SQL query API)',
    ),
    SERVICE_MQL_TIMEOUT_SECONDS: count(10, 1).describe('timeout of one SQL query in seconds'),
    SERVICE_MQL_MAX_RESULT_SIZE: byteSize('32m').describe('maximum result size of one SQL query in bytes'),
    SERVICE_SIGNING_KEY_MAX_AGE_DAYS: count(90).describe(
      'days after which the signing key is rotated; 0 disables rotation',
    ),
    SERVICE_ENCRYPTION_KEYS: z
      .string()
      .transform(parsedWith(parseEncryptionKeys))
      .optional()
      .describe(
        'keys that encrypt secrets in the database, the same on every replica: id:key pairs with a key of 32 bytes in base64, comma-separated; ' +
          'the first encrypts, all decrypt; without it signing keys are stored unencrypted',
      ),
    SERVICE_EDITION: z
      .enum(['community', 'enterprise'])
      .default('community')
      .describe('`community` or `enterprise`; enterprise enables refresh tokens'),
    SERVICE_TRUST_PROXY: z
      .string()
      .default('')
      .describe('trusted proxies (for X-Forwarded-For): addresses and subnets, a number of hops, or true'),
    SERVICE_KV_MAX_DATA_SIZE: byteSize('1m').describe('maximum size of the data of one key-value record'),
    SERVICE_RUN_START_SECONDS: count(3600, 1).describe(
      'seconds after which a run ends if no runner has started it',
    ),
    SERVICE_RUN_LOST_SECONDS: count(120, 1).describe('seconds without a heartbeat after which a run ends'),
    SERVICE_RUN_MAX_SECONDS: count(21_600, 1).describe('maximum duration of a run in seconds'),
    SERVICE_RUNS_PER_INSTALLATION: count(20, 1).describe('maximum concurrent runs of one installation'),
    ...costSettings,
    SERVICE_SECURITY: onUnlessOff
      .default(true)
      .describe('turns on security scanning; 0, false, no or off turn it off'),
    SERVICE_SECURITY_HISTORY_DAYS: count(1100).describe(
      'days until a resolved finding is deleted; 0 keeps all',
    ),
    SERVICE_GAPS_AMBIENT_TENANTS: z
      .string()
      .default('')
      .describe("tenants that may use the server's own cloud identity: ids, comma-separated, or all"),
    SERVICE_GAPS_FRESH_SECONDS: count(60).describe(
      'seconds before a cloud scan or a check of its settings may be repeated',
    ),
    SERVICE_AWS_ENDPOINT_URL: z.url().optional().describe('address used in place of every AWS service'),
    SERVICE_GCP_ENDPOINT_URL: z
      .url()
      .optional()
      .describe("address used in place of Google's token and Cloud Asset services"),
    SERVICE_AZURE_ENDPOINT_URL: z
      .url()
      .optional()
      .describe('address used in place of the login and management services of Azure'),
    AWS_REGION: z
      .string()
      .regex(/^[a-z]{2}(?:-[a-z]+)+-\d+$/)
      .optional()
      .describe(
        'region in which AWS scans with the identity of the server start to look for Resource Explorer indexes; the AWS SDK reads this variable too',
      ),
    SERVICE_GCP_SCOPE: z
      .string()
      .optional()
      .describe('scope of Google Cloud scans with the identity of the server, such as projects/my-project'),
    GOOGLE_APPLICATION_CREDENTIALS: z
      .string()
      .optional()
      .describe('file with the service account key of the server'),
    SERVICE_AZURE_SUBSCRIPTIONS: z
      .string()
      .optional()
      .describe('subscriptions of Azure scans with the identity of the server: UUIDs, comma-separated'),
    AZURE_TENANT_ID: z
      .string()
      .optional()
      .describe("id of the directory (tenant) of the server's Azure application"),
    AZURE_CLIENT_ID: z.string().optional().describe("client id of the server's Azure application"),
    AZURE_CLIENT_SECRET: z.string().optional().describe('client secret of that application'),
    ...codeHostingSettings,
  })
  .superRefine((values, context) => {
    const pairs = [
      ['SERVICE_GITHUB_APP_ID', 'SERVICE_GITHUB_APP_PEM'],
      ['SERVICE_GITHUB_APP_CLIENT_ID', 'SERVICE_GITHUB_APP_CLIENT_SECRET'],
      ['SERVICE_GITLAB_APP_ID', 'SERVICE_GITLAB_APP_SECRET'],
    ] as const;
    for (const pair of pairs) {
      const missing = pair.filter((key) => values[key] === undefined);
      if (missing.length === 1) context.addIssue({ code: 'custom', path: missing, message: 'is required' });
    }
    if (values.SERVICE_ORCHESTRATION_ENABLED && !values.SERVICE_ENCRYPTION_KEYS)
      context.addIssue({ code: 'custom', path: ['SERVICE_ENCRYPTION_KEYS'], message: 'is required' });
  })
  .superRefine((values, context) => {
    if (!values.SERVICE_OAUTH_TYPE) return;
    const needed = ['SERVICE_OAUTH_CLIENT_ID', 'SERVICE_OAUTH_CLIENT_SECRET'] as const;
    const ofOidc = values.SERVICE_OAUTH_TYPE === 'oidc' ? (['SERVICE_OAUTH_OIDC_ISSUER_URL'] as const) : [];
    for (const key of [...needed, ...ofOidc]) {
      if (values[key] === undefined)
        context.addIssue({ code: 'custom', path: [key], message: 'is required' });
    }
    const issuer = values.SERVICE_OAUTH_OIDC_ISSUER_URL;
    // What is left over from another provider must not speak for Google.
    if (values.SERVICE_OAUTH_TYPE === 'google' && issuer !== undefined && !isOnLoopback(issuer))
      context.addIssue({
        code: 'custom',
        path: ['SERVICE_OAUTH_OIDC_ISSUER_URL'],
        message: 'google is its own issuer',
      });
  });

function isOnLoopback(address: string): boolean {
  const { hostname, username } = new URL(address);
  return username === '' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}

/** The validated environment; inject it by class. */
export class Config {
  constructor(readonly values: z.infer<typeof environmentSchema>) {}

  get<K extends keyof z.infer<typeof environmentSchema>>(key: K): z.infer<typeof environmentSchema>[K] {
    return this.values[key];
  }
}

/** Throws one error that names every missing or malformed key, never a value. */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(present);
  if (parsed.success) return new Config(parsed.data);
  const reasons = parsed.error.issues.map((issue) => {
    const key = String(issue.path[0]);
    return present[key] === undefined ? `${key} is required` : `${key} is invalid: ${issue.message}`;
  });
  throw new ConfigurationError(`configuration error: ${reasons.join('; ')}`);
}

/** Variables with the service's prefix that it does not read: most likely misspelt. */
export function unknownVariables(environment: NodeJS.ProcessEnv): string[] {
  const known = new Set(Object.keys(environmentSchema.shape));
  return Object.keys(environment)
    .filter((name) => name.startsWith('SERVICE_') && !known.has(name))
    .sort();
}

export class ConfigurationError extends Error {}
