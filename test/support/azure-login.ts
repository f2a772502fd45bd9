import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export const PRINCIPAL = {
  tenantId: '6f3c2a5e-0000-4000-8000-000000000001',
  clientId: '6f3c2a5e-0000-4000-8000-000000000002',
  clientSecret: 'a+secret of=the&principal',
};

/** A loopback server in the recorded shapes of Azure's login service: it checks what the service checks of an application. */
export class AzureLogin {
  readonly requests: string[] = [];
  /** what the application's secret is now */
  secret = PRINCIPAL.clientSecret;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<AzureLogin> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const login = new AzureLogin(server, `http://127.0.0.1:${address.port}`);
    server.on('request', (request, response) => {
      login.requests.push(`${request.method} ${request.url}`);
      void text(request).then((body) => {
        const { status, answer } = login.answer(request.url ?? '', new URLSearchParams(body));
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
    });
    return login;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answer(path: string, form: URLSearchParams): { status: number; answer: object } {
    if (path !== `/${PRINCIPAL.tenantId}/oauth2/v2.0/token`)
      return { status: 400, answer: { error: 'invalid_request', error_description: 'AADSTS90002' } };
    if (form.get('grant_type') !== 'client_credentials' || form.get('client_id') !== PRINCIPAL.clientId)
      return { status: 400, answer: { error: 'unauthorized_client', error_description: 'AADSTS700016' } };
    if (form.get('client_secret') !== this.secret)
      return {
        status: 401,
        answer: {
          error: 'invalid_client',
          error_description: `AADSTS7000215: Invalid client secret provided for ${PRINCIPAL.clientId}.`,
        },
      };
    const audience = /^(.*)\/\.default$/.exec(form.get('scope') ?? '')?.[1];
    return {
      status: 200,
      answer: { token_type: 'Bearer', expires_in: 3599, access_token: aToken(audience ?? 'nobody') },
    };
  }
}

/** Unsigned, as stores that only look at its claims take it. */
function aToken(audience: string): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    aud: audience,
    iss: `https://sts.windows.net/${PRINCIPAL.tenantId}/`,
    iat: now,
    nbf: now - 60,
    exp: now + 3_599,
    appid: PRINCIPAL.clientId,
  };
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.${Buffer.from('signature').toString('base64url')}`;
}
