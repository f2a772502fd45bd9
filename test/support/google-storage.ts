import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { importSPKI, jwtVerify } from 'jose';

const PAGE_SIZE = 2;
const ACCOUNT = 'reader@project.iam.gserviceaccount.com';

/**
 * A loopback server in the recorded shapes of Google's JSON API for storage and of its token endpoint. It checks what
 * Google checks: the signature, audience and scope of the assertion, and the access token of each call.
 */
export class GoogleStorage {
  readonly objects = new Map<string, Buffer>();
  readonly requests: string[] = [];
  /** status that storage calls are answered with instead */
  refusal: number | undefined;
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<GoogleStorage> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const storage = new GoogleStorage(server, `http://127.0.0.1:${address.port}`);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      storage.answer(request, response).catch(() => response.writeHead(500).end());
    });
    return storage;
  }

  /** Writes the key file of the service account, as the console of Google offers it. */
  async writeKeyFile(path: string): Promise<void> {
    const key = {
      type: 'service_account',
      project_id: 'project',
      private_key_id: 'key-1',
      private_key: this.keys.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      client_email: ACCOUNT,
      client_id: '1',
      token_uri: `${this.url}/token`,
    };
    await writeFile(path, JSON.stringify(key));
  }

  async stop(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    this.requests.push(`${request.method} ${url.pathname}`);
    const json = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (url.pathname === '/token') {
      const form = new URLSearchParams(await text(request));
      const isValid = await this.isValidAssertion(form.get('assertion') ?? '');
      if (!isValid) return json(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' });
      return json(200, { access_token: 'granted', expires_in: 3599, token_type: 'Bearer' });
    }
    if (request.headers.authorization !== 'Bearer granted')
      return json(401, { error: { code: 401, message: 'Invalid Credentials' } });
    if (this.refusal !== undefined)
      return json(this.refusal, { error: { code: this.refusal, message: `secret of ${ACCOUNT}` } });
    const [, bucket = '', name] = /^\/storage\/v1\/b\/([^/]+)\/o(?:\/(.+))?$/.exec(url.pathname) ?? [];
    if (bucket !== 'bills')
      return json(404, { error: { code: 404, message: 'The specified bucket does not exist.' } });
    if (name !== undefined) {
      const content = this.objects.get(decodeURIComponent(name));
      if (!content || url.searchParams.get('alt') !== 'media') return json(404, {});
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(content);
      return;
    }
    const prefix = url.searchParams.get('prefix') ?? '';
    const names = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const from = Number(url.searchParams.get('pageToken') ?? 0);
    json(200, {
      items: names.slice(from, from + PAGE_SIZE).map((key) => ({
        name: key,
        size: String(this.objects.get(key)?.length),
        updated: '2026-01-02T03:04:05.678Z',
      })),
      ...(from + PAGE_SIZE < names.length ? { nextPageToken: String(from + PAGE_SIZE) } : {}),
    });
  }

  private async isValidAssertion(assertion: string): Promise<boolean> {
    const pem = this.keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    return jwtVerify(assertion, await importSPKI(pem, 'RS256'), {
      issuer: ACCOUNT,
      audience: `${this.url}/token`,
      requiredClaims: ['exp', 'iat'],
    }).then(
      ({ payload }) => payload['scope'] === 'https://www.googleapis.com/auth/devstorage.read_only',
      () => false,
    );
  }
}
