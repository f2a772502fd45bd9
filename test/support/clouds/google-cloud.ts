import { importSPKI, jwtVerify } from 'jose';
import { type CloudAnswer, type CloudCall, type Fault, StandIn } from './stand-in.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Google's token endpoint and Cloud Asset Inventory. Assertions are verified; tokens expire. */
export class GoogleCloud extends StandIn {
  /** scope → assets */
  readonly assets = new Map<string, Record<string, unknown>[]>();
  /** who may search what */
  readonly accounts: { email: string; publicKey: string; scope: string }[] = [];
  tokenLifetimeMs = 3_600_000;
  private readonly tokens = new Map<string, { scope: string; expiresAt: number }>();

  protected actionOf({ path }: CloudCall): string {
    return path === '/token' ? 'token' : 'search';
  }

  protected refusal({ status, type = 'INTERNAL', headers }: Extract<Fault, { kind: 'status' }>): CloudAnswer {
    return {
      status,
      headers: { ...JSON_TYPE, ...headers },
      body: JSON.stringify({ error: { code: status, status: type, message: 'no' } }),
    };
  }

  protected async answer(call: CloudCall): Promise<CloudAnswer> {
    if (call.path === '/token') return this.token(call);
    const token = this.tokens.get((call.headers['authorization'] ?? '').replace(/^Bearer /, ''));
    if (!token || token.expiresAt < Date.now())
      return this.refusal({ kind: 'status', status: 401, type: 'UNAUTHENTICATED' });
    const scope = /^\/v1\/(.+):searchAllResources$/.exec(call.path)?.[1] ?? '';
    if (scope !== token.scope)
      return this.refusal({ kind: 'status', status: 403, type: 'PERMISSION_DENIED' });
    const rows = Number(call.query.get('pageSize'));
    if (!(rows >= 1 && rows <= 500))
      return this.refusal({ kind: 'status', status: 400, type: 'INVALID_ARGUMENT' });
    if (this.isExpired(call.query.get('pageToken')))
      return this.refusal({ kind: 'status', status: 400, type: 'INVALID_ARGUMENT' });
    const from = Number(Buffer.from(call.query.get('pageToken') ?? '', 'base64').toString() || 0);
    const all = this.assets.get(scope) ?? [];
    const more = from + rows < all.length;
    const nextPageToken = Buffer.from(String(from + rows)).toString('base64');
    return json({ results: all.slice(from, from + rows), ...(more ? { nextPageToken } : {}) });
  }

  private async token({ body }: CloudCall): Promise<CloudAnswer> {
    const form = new URLSearchParams(body);
    const isGrant = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    for (const { email, publicKey, scope } of isGrant ? this.accounts : []) {
      try {
        await jwtVerify(form.get('assertion') ?? '', await importSPKI(publicKey, 'RS256'), {
          ...{
            issuer: email,
            audience: 'https://oauth2.googleapis.com/token',
            algorithms: ['RS256'],
            maxTokenAge: '1h',
          },
        });
      } catch {
        continue;
      }
      const text = `ya29.${Math.random().toString(36).slice(2)}${this.tokens.size}`;
      this.tokens.set(text, { scope, expiresAt: Date.now() + this.tokenLifetimeMs });
      return json({
        access_token: text,
        expires_in: Math.ceil(this.tokenLifetimeMs / 1_000),
        token_type: 'Bearer',
      });
    }
    return {
      status: 400,
      headers: JSON_TYPE,
      body: JSON.stringify({ error: 'invalid_grant', error_description: 'no' }),
    };
  }
}

function json(value: unknown): CloudAnswer {
  return { status: 200, headers: JSON_TYPE, body: JSON.stringify(value) };
}
