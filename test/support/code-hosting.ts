import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { GithubStandIn } from './code-hosts/github-stand-in.js';
import { GitlabStandIn } from './code-hosts/gitlab-stand-in.js';
import { type Person, startGenerous } from './identity.js';
import type { RunningService, ServiceOptions } from './service.js';

export interface CodeHosting {
  github: GithubStandIn;
  gitlab: GitlabStandIn;
  api: RunningService;
  worker: RunningService;
  env: Record<string, string>;
  stop(): Promise<void>;
}

export const encryptionKeys = (): string => `test:${randomBytes(32).toString('base64')}`;

/** Both stand-ins, an API and a worker that know them. */
export async function startCodeHosting(options: ServiceOptions = {}): Promise<CodeHosting> {
  const github = await new GithubStandIn().start();
  const gitlab = await new GitlabStandIn().start();
  const env = {
    SERVICE_ORCHESTRATION_ENABLED: 'true',
    SERVICE_ENCRYPTION_KEYS: encryptionKeys(),
    ...github.environment,
    ...gitlab.environment,
    ...options.env,
  };
  const api = await startGenerous({ ...options, env });
  // Runners and links reach the API, not the worker.
  const worker = await startGenerous({
    role: 'worker',
    database: api.database,
    env: { ...env, SERVICE_API_BASE: api.url, SERVICE_UI_BASE: api.url },
  });
  return {
    github,
    gitlab,
    api,
    worker,
    env,
    stop: async () => {
      await worker.stop();
      await api.stop();
      await github.stop();
      await gitlab.stop();
    },
  };
}

/** A browser that is signed in: keeps cookies by their path, and follows redirects one at a time. */
export class Browser {
  private readonly cookies = new Map<string, { value: string; path: string }>();

  constructor(
    private readonly service: { url: string },
    person: Pick<Person, 'token'>,
  ) {
    this.cookies.set('session', { value: person.token, path: '/' });
  }

  /** Names of the cookies that a path is sent. */
  cookieNames(path: string): string[] {
    return [...this.cookies].filter(([, { path: scope }]) => path.startsWith(scope)).map(([name]) => name);
  }

  valueOf(name: string): string | undefined {
    return this.cookies.get(name)?.value;
  }

  give(name: string, value: string, path = '/'): void {
    this.cookies.set(name, { value, path });
  }

  async send(
    method: string,
    address: string,
    body?: unknown,
  ): Promise<{ status: number; location: string; body: Record<string, unknown>; setCookies: string[] }> {
    const url = new URL(address, this.service.url);
    const isOwn = url.origin === this.service.url;
    const answer = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        ...(isOwn ? { Cookie: this.header(url.pathname) } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const setCookies = answer.headers.getSetCookie();
    for (const line of setCookies) this.keep(line);
    const text = await answer.text();
    const parsed = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
    return {
      status: answer.status,
      location: answer.headers.get('location') ?? '',
      body: parsed,
      setCookies,
    };
  }

  /** Begins at this service, goes to the provider, and comes back; answers where the browser ends up. */
  async walk(start: string): Promise<string> {
    const atProvider = (await this.send('GET', start)).location;
    const back = (await this.send('GET', atProvider)).location;
    return (await this.send('GET', back)).location;
  }

  private header(path: string): string {
    return [...this.cookies]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  private keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? '/';
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, { value: decodeURIComponent(value), path });
  }
}

/** Waits until a look answers something; the suite's own limit ends a wait in vain. */
export async function eventually<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await delay(50);
  }
}

/** Until no delivery waits. */
export async function allProcessed({ pool }: Pick<RunningService, 'pool'>): Promise<void> {
  await eventually(async () => {
    const { rows } = await pool.query<{ n: string }>(
      `SELECT count(*) AS n FROM webhook_deliveries WHERE state = 'received'`,
    );
    return rows[0]?.n === '0';
  });
}
