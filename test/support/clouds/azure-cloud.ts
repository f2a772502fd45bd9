import { type CloudAnswer, type CloudCall, type Fault, StandIn } from './stand-in.js';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

export interface AzureDirectory {
  id: string;
  clientId: string;
  secret: string;
  /** subscription → resources */
  subscriptions: Map<string, Record<string, unknown>[]>;
}

/** The login and management services of Azure: client credentials and Resource Graph. */
export class AzureCloud extends StandIn {
  readonly directories: AzureDirectory[] = [];
  private readonly tokens = new Map<string, AzureDirectory>();

  protected actionOf({ path }: CloudCall): string {
    return path.endsWith('/oauth2/v2.0/token') ? 'token' : 'query';
  }

  protected refusal({
    status,
    type = 'InternalError',
    headers,
  }: Extract<Fault, { kind: 'status' }>): CloudAnswer {
    return {
      status,
      headers: { ...JSON_TYPE, ...headers },
      body: JSON.stringify({ error: { code: type, message: 'no' } }),
    };
  }

  protected answer(call: CloudCall): CloudAnswer {
    if (this.actionOf(call) === 'token') return this.token(call);
    const directory = this.tokens.get((call.headers['authorization'] ?? '').replace(/^Bearer /, ''));
    if (!directory) return this.refusal({ kind: 'status', status: 401, type: 'InvalidAuthenticationToken' });
    if (call.method !== 'POST' || call.query.get('api-version') !== '2022-10-01')
      return this.refusal({ kind: 'status', status: 400, type: 'BadRequest' });
    const { subscriptions, query, options } = JSON.parse(call.body) as {
      subscriptions: string[];
      query: string;
      options: { $top: number; $skipToken?: string; resultFormat: string };
    };
    if (!subscriptions.every((id) => directory.subscriptions.has(id)))
      return this.refusal({ kind: 'status', status: 403, type: 'AuthorizationFailed' });
    if (options.$top > 1_000 || options.resultFormat !== 'objectArray')
      return this.refusal({ kind: 'status', status: 400, type: 'BadRequest' });
    if (this.isExpired(options.$skipToken))
      return this.refusal({ kind: 'status', status: 400, type: 'BadRequest' });
    const wantsGroups = query.startsWith('ResourceContainers');
    const all = subscriptions
      .flatMap((id) => directory.subscriptions.get(id) ?? [])
      .filter(({ type }) => String(type).startsWith('microsoft.resources/') === wantsGroups)
      .sort((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));
    const from = Number(options.$skipToken ?? 0);
    const data = all.slice(from, from + options.$top);
    const next = from + data.length;
    return json({
      ...{ totalRecords: all.length, count: data.length, data, resultTruncated: 'false' },
      ...(next < all.length ? { $skipToken: String(next) } : {}),
    });
  }

  private token({ path, body }: CloudCall): CloudAnswer {
    const form = new URLSearchParams(body);
    const directory = this.directories.find(
      ({ id, clientId, secret }) =>
        path === `/${id}/oauth2/v2.0/token` &&
        form.get('client_id') === clientId &&
        form.get('client_secret') === secret,
    );
    if (!directory || form.get('grant_type') !== 'client_credentials')
      return {
        status: 401,
        headers: JSON_TYPE,
        body: JSON.stringify({ error: 'invalid_client', error_description: 'no' }),
      };
    const text = `token-${this.tokens.size}`;
    this.tokens.set(text, directory);
    return json({ access_token: text, expires_in: 3_599, token_type: 'Bearer' });
  }
}

function json(value: unknown): CloudAnswer {
  return { status: 200, headers: JSON_TYPE, body: JSON.stringify(value) };
}
