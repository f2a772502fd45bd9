import { z } from 'zod';

const flag = z
  .string()
  .transform((v) => ['1', 'true', 'yes', 'on'].includes(v.toLowerCase()))
  .pipe(z.boolean());
const count = (fallback: number, min = 0) => z.coerce.number().int().min(min).default(fallback);

const BYTE_UNITS: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** `512m` → bytes; units k, m and g are binary. Source: interface.md section 8 (`SERVICE_CLIENT_MAX_BODY_SIZE`). */
export function parseByteSize(text: string): number {
  const match = /^(\d+)\s*([kmg]?)b?$/i.exec(text.trim());
  const unit = match ? BYTE_UNITS[(match[2] ?? '').toLowerCase()] : undefined;
  if (!match || unit === undefined) throw new Error(`"${text}" is not a size such as 512m`);
  return Number(match[1]) * unit;
}

const byteSize = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((v, ctx) => {
      try {
        return parseByteSize(v);
      } catch (error) {
        ctx.addIssue({ code: 'custom', message: (error as Error).message });
        return z.NEVER;
      }
    });

/** Every variable the service reads. The README's table and `.env.example` list the same keys (a test compares). */
export const environmentSchema = z.object({
  SERVICE_UI_BASE: z.url().describe('address users browse, for links and cookies'),
  DB_HOST: z.string().min(1).describe('PostgreSQL host'),
  DB_PORT: count(5432, 1).describe('PostgreSQL port'),
  DB_USER: z.string().min(1).describe('PostgreSQL role; it must not be a superuser'),
  DB_PASS: z.string().min(1).describe('password of that role'),
  DB_NAME: z.string().min(1).describe('PostgreSQL database'),
  DB_POOL_SIZE: count(10, 2).describe('connections each process may hold'),
  SERVICE_PORT: count(8080).describe('port of the API'),
  SERVICE_INTERNAL_PORT: count(9090).describe(
    'port of /metrics and, for a worker, its health; 0 picks a free one',
  ),
  SERVICE_REDIS_URL: z.string().optional().describe('Redis for queues; without it they run on PostgreSQL'),
  SERVICE_QUEUES: z.string().default('*').describe('queues a worker consumes, comma separated; * is all'),
  SERVICE_DATA_DIR: z.string().default('.data').describe('where `npm start` keeps its database'),
  SERVICE_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('log level'),
  SERVICE_CLIENT_MAX_BODY_SIZE: byteSize('512m').describe('largest state document accepted'),
  SERVICE_JSON_MAX_BODY_SIZE: byteSize('1m').describe('largest JSON body of every other route'),
  SERVICE_CORS_ORIGINS: z
    .string()
    .default('')
    .describe('origins allowed by CORS, comma separated; empty is none'),
  SERVICE_STATE_VERSIONS_KEEP: count(0).describe('versions kept of each state; 0 keeps all'),
  SERVICE_STATE_VERSIONS_MAX_AGE_DAYS: count(0).describe(
    'age in days after which an old version goes; 0 keeps all',
  ),
  SERVICE_LOCK_MAX_AGE_SECONDS: count(86_400, 1).describe('age after which a state lock counts as abandoned'),
  SERVICE_INGEST_THREADS: count(1, 1).describe('threads that read state documents'),
  SERVICE_LOGIN_RATE_PER_ACCOUNT: count(10, 1).describe('password logins a minute for one account'),
  SERVICE_LOGIN_RATE_PER_ADDRESS: count(60, 1).describe('password logins a minute from one address'),
  SERVICE_EDITION: z
    .enum(['community', 'enterprise'])
    .default('community')
    .describe('enterprise turns refresh tokens on'),
  SERVICE_TRUST_PROXY: z
    .string()
    .default('')
    .describe('addresses of proxies whose X-Forwarded-* is believed'),
  SERVICE_COST_ENABLED: flag.default(false).describe('cost estimation'),
  SERVICE_SECURITY: flag.default(false).describe('security scanning'),
  SERVICE_ORCHESTRATION_ENABLED: flag.default(false).describe('code-hosting orchestration'),
});

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

export class ConfigurationError extends Error {}
