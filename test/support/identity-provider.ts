import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';

export interface IdentityProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** what the provider says of an account, by its login name */
  people: Record<string, Record<string, unknown>>;
  /** changes the ID token on its way; undefined leaves it alone */
  tamper: ((claims: JWTPayload, sign: Signers) => Promise<string>) | undefined;
  stop(): Promise<void>;
}

export interface Signers {
  /** with the provider's own key */
  genuine(claims: JWTPayload): Promise<string>;
  /** with another key under the same key id */
  forged(claims: JWTPayload): Promise<string>;
}

const CLIENT = { id: 'state-service', secret: 'a secret of forty or so characters, agreed' };

/** A real OpenID provider on loopback that insists on PKCE; its token endpoint can be made to lie. */
export async function anIdentityProvider(redirectUris: readonly string[]): Promise<IdentityProvider> {
  const front = createServer();
  const back = createServer();
  const issuer = await listen(front);
  const inner = await listen(back);
  const [ours, theirs] = [
    await generateKeyPair('RS256', { extractable: true }),
    await generateKeyPair('RS256'),
  ];
  const header = { alg: 'RS256', kid: 'signing' };
  const signers: Signers = {
    genuine: (claims) => new SignJWT(claims).setProtectedHeader(header).sign(ours.privateKey),
    forged: (claims) => new SignJWT(claims).setProtectedHeader(header).sign(theirs.privateKey),
  };
  const self: IdentityProvider = {
    issuer,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    people: {},
    tamper: undefined,
    stop: async () => {
      for (const server of [front, back]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: redirectUris }],
    jwks: { keys: [{ ...(await exportJWK(ours.privateKey)), kid: 'signing', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['only for tests'] },
    pkce: { required: () => true },
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...self.people[sub] }),
    }),
  });
  const handle = provider.callback();
  back.on('request', handle);
  front.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/token' && self.tamper) void lie(request, response, inner, self.tamper, signers);
    else handle(request, response);
  });
  return self;
}

async function lie(
  request: IncomingMessage,
  response: ServerResponse,
  inner: string,
  tamper: NonNullable<IdentityProvider['tamper']>,
  signers: Signers,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const answer = await fetch(`${inner}/token`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: request.headers.authorization ?? '',
    },
    body: Buffer.concat(parts).toString(),
  });
  const body = (await answer.json()) as { id_token?: string };
  const [, payload = ''] = body.id_token?.split('.') ?? [];
  if (payload) {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JWTPayload;
    body.id_token = await tamper(claims, signers);
  }
  response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A browser as far as signing in needs one: cookies by origin, redirects one at a time. */
export class Browser {
  private readonly jars = new Map<string, Map<string, string>>();

  async go(url: string, form?: Record<string, string>): Promise<Response> {
    const jar = this.jarOf(url);
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  cookie(url: string, name: string): string | undefined {
    return this.jarOf(url).get(name);
  }

  setCookie(url: string, name: string, value: string): void {
    this.jarOf(url).set(name, value);
  }

  /** Signs in at the provider and consents; answers the address that the provider sends the browser back to. */
  async signInAt(start: string, login: string, back: RegExp): Promise<string> {
    let url = start;
    for (let step = 0; step < 20; step += 1) {
      if (back.test(url)) return url;
      const answer = await this.go(url);
      const location = answer.headers.get('location');
      if (location) {
        url = new URL(location, url).href;
        continue;
      }
      const page = await answer.text();
      const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? '';
      if (!action) throw new Error(`the provider answered ${answer.status} ${page.slice(0, 300)}`);
      const posted = await this.go(new URL(action, url).href, { prompt, login, password: 'any' });
      url = new URL(posted.headers.get('location') ?? '', url).href;
    }
    throw new Error('the provider never sent the browser back');
  }

  private jarOf(url: string): Map<string, string> {
    const { origin } = new URL(url);
    const jar = this.jars.get(origin) ?? new Map<string, string>();
    this.jars.set(origin, jar);
    return jar;
  }
}
