import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Masker } from '../masking.rules.js';
import type { RunState } from '../run-state.js';
import { runOidc } from './oidc.hook.js';

interface Seen {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Signature Version 4 as STS checks it, written down a second time. */
function signatureOf(seen: Seen | undefined, secret: string, region: string): string {
  const { headers = {}, body = '' } = seen ?? {};
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const names = ['host', 'x-amz-date', 'x-amz-security-token'];
  const canonical = [
    'POST',
    '/',
    '',
    ...names.map((name) => `${name}:${String(headers[name])}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n');
  const time = String(headers['x-amz-date']);
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/sts/aws4_request`;
  let key: Buffer | string = `AWS4${secret}`;
  for (const part of [day, region, 'sts', 'aws4_request'])
    key = createHmac('sha256', key).update(part).digest();
  return createHmac('sha256', key)
    .update(['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n'))
    .digest('hex');
}

describe('oidc', () => {
  let server: Server;
  let base: string;
  let scratch: string;
  let seen: Seen[];
  let refusal: number | undefined;
  let environment: Record<string, string>;
  let masker: Masker;

  beforeEach(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'oidc-'));
    seen = [];
    refusal = undefined;
    masker = new Masker();
    server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const path = request.url ?? '';
        seen.push({ path, headers: request.headers, body });
        if (refusal !== undefined)
          return void response.writeHead(refusal).end('the token was id-token-of-ci');
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answerOf(path, body)));
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    environment = {
      INFRASTATE_ID_TOKEN: 'id-token-of-ci',
      AWS_ENDPOINT_URL_STS: `${base}/`,
      INFRASTATE_GCP_STS_URL: `${base}/v1/token`,
      INFRASTATE_GCP_IAM_URL: base,
      ACCOUNT: '123456789012',
    };
  });
  afterEach(() => {
    server.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  function answerOf(path: string, body: string): unknown {
    if (path.startsWith('/id-token')) return { value: 'id-token-of-github' };
    if (path === '/v1/token') return { access_token: 'federated-token' };
    if (path.endsWith(':generateAccessToken')) return { accessToken: 'google-access-token' };
    const action = new URLSearchParams(body).get('Action') ?? '';
    const Credentials = {
      AccessKeyId: `key-of-${action}`,
      SecretAccessKey: `secret-of-${action}`,
      SessionToken: `session-of-${action}`,
    };
    return { [`${action}Response`]: { [`${action}Result`]: { Credentials } } };
  }

  const run = (spec: Record<string, unknown>) =>
    runOidc({ type: 'oidc', ...spec }, { scratch, masker } as unknown as RunState, {
      cwd: scratch,
      environment,
      handedOn: new Set(),
      scope: { type: 'run', flow: 'hooks', subflow: 'pre' },
      hasSucceeded: true,
    });
  const form = (n: number) => Object.fromEntries(new URLSearchParams(seen[n]?.body));

  describe('for aws', () => {
    const role = 'arn:aws:iam::${ACCOUNT}:role/ci';

    it('exchanges the token with every default', async () => {
      expect(await run({ role_arn: role })).toMatchObject({ success: true, payload: { provider: 'aws' } });
      expect(form(0)).toEqual({
        Action: 'AssumeRoleWithWebIdentity',
        Version: '2011-06-15',
        RoleArn: 'arn:aws:iam::123456789012:role/ci',
        RoleSessionName: 'infrastate',
        DurationSeconds: '3600',
        WebIdentityToken: 'id-token-of-ci',
      });
      expect(seen).toHaveLength(1);
      expect(environment).toMatchObject({
        AWS_ACCESS_KEY_ID: 'key-of-AssumeRoleWithWebIdentity',
        AWS_SECRET_ACCESS_KEY: 'secret-of-AssumeRoleWithWebIdentity',
        AWS_SESSION_TOKEN: 'session-of-AssumeRoleWithWebIdentity',
        AWS_REGION: 'us-east-1',
      });
    });

    it('assumes a second role with a signed request, and keeps to the first when that is switched off', async () => {
      const second = {
        role_arn: role,
        assume_role_arn: 'arn:second',
        region: 'eu-west-1',
        session_name: 'me',
        duration: 900,
      };
      expect((await run(second)).success).toBe(true);
      expect(form(1)).toEqual({
        Action: 'AssumeRole',
        Version: '2011-06-15',
        RoleArn: 'arn:second',
        RoleSessionName: 'me',
        DurationSeconds: '900',
      });
      const [, assumed] = seen;
      const signature = signatureOf(assumed, 'secret-of-AssumeRoleWithWebIdentity', 'eu-west-1');
      expect(assumed?.headers.authorization).toContain(`Signature=${signature}`);
      expect(assumed?.headers['x-amz-security-token']).toBe('session-of-AssumeRoleWithWebIdentity');
      expect(environment).toMatchObject({ AWS_ACCESS_KEY_ID: 'key-of-AssumeRole', AWS_REGION: 'eu-west-1' });
      seen.length = 0;
      await run({ ...second, assume_role_enabled: false });
      expect(seen).toHaveLength(1);
      expect(environment['AWS_ACCESS_KEY_ID']).toBe('key-of-AssumeRoleWithWebIdentity');
    });

    it("asks GitHub for a token of the audience, with the job's own credential", async () => {
      environment['ACTIONS_ID_TOKEN_REQUEST_URL'] = `${base}/id-token?api=2`;
      environment['ACTIONS_ID_TOKEN_REQUEST_TOKEN'] = 'job-credential';
      await run({ role_arn: role });
      expect(seen[0]?.path).toBe('/id-token?api=2&audience=sts.amazonaws.com');
      expect(seen[0]?.headers.authorization).toBe('Bearer job-credential');
      expect(form(1)['WebIdentityToken']).toBe('id-token-of-github');
      seen.length = 0;
      await run({ role_arn: role, audience: 'mine' });
      expect(seen[0]?.path).toBe('/id-token?api=2&audience=mine');
    });
  });

  it('the OIDC hook for gcp exchanges the token and acts as the service account', async () => {
    const pool = 'projects/1/locations/global/workloadIdentityPools/p/providers/ci';
    environment['ACTIONS_ID_TOKEN_REQUEST_URL'] = `${base}/id-token`;
    environment['ACTIONS_ID_TOKEN_REQUEST_TOKEN'] = 'job-credential';
    const spec = { provider: 'gcp', service_account: 'me@x.iam', workload_identity_provider: pool };
    expect((await run(spec)).success).toBe(true);
    expect(new URL(seen[0]?.path ?? '', base).searchParams.get('audience')).toBe(
      `https://iam.googleapis.com/${pool}`,
    );
    expect(JSON.parse(seen[1]?.body ?? '')).toMatchObject({
      audience: `//iam.googleapis.com/${pool}`,
      subjectToken: 'id-token-of-github',
      subjectTokenType: 'urn:ietf:params:oauth:token-type:jwt',
    });
    expect(seen[2]?.path).toBe('/v1/projects/-/serviceAccounts/me%40x.iam:generateAccessToken');
    expect(seen[2]?.headers.authorization).toBe('Bearer federated-token');
    expect(JSON.parse(seen[2]?.body ?? '')).toEqual({
      scope: ['https://www.googleapis.com/auth/cloud-platform'],
      lifetime: '3600s',
    });
    expect(environment['GOOGLE_OAUTH_ACCESS_TOKEN']).toBe('google-access-token');
    await run({ ...spec, access_token_lifetime: 600, access_token_subject: 'you@x', audience: 'other' });
    expect(new URL(seen[3]?.path ?? '', base).searchParams.get('audience')).toBe('other');
    expect(JSON.parse(seen[5]?.body ?? '')).toMatchObject({ lifetime: '600s', subject: 'you@x' });
  });

  it('the OIDC hook for azure leaves the exchange to its tools, with the token in a private file', async () => {
    environment['ACTIONS_ID_TOKEN_REQUEST_URL'] = `${base}/id-token`;
    environment['ACTIONS_ID_TOKEN_REQUEST_TOKEN'] = 'job-credential';
    const spec = { provider: 'azure', client_id: 'c', tenant_id: 't', subscription_id: 's' };
    expect((await run(spec)).success).toBe(true);
    expect(new URL(seen[0]?.path ?? '', base).searchParams.get('audience')).toBe(
      'api://AzureADTokenExchange',
    );
    const file = environment['ARM_OIDC_TOKEN_FILE_PATH'] ?? '';
    expect(readFileSync(file, 'utf8')).toBe('id-token-of-github');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(environment).toMatchObject({
      ARM_USE_OIDC: 'true',
      ARM_CLIENT_ID: 'c',
      ARM_TENANT_ID: 't',
      ARM_SUBSCRIPTION_ID: 's',
      AZURE_FEDERATED_TOKEN_FILE: file,
    });
    await run({ ...spec, audience: 'other' });
    expect(seen[1]?.path).toContain('audience=other');
  });

  it('hides every token that it was given, and says of a refusal nothing but its status', async () => {
    await run({ role_arn: 'r' });
    await run({ provider: 'gcp', service_account: 'x', workload_identity_provider: 'p' });
    for (const secret of [
      'id-token-of-ci',
      'secret-of-AssumeRoleWithWebIdentity',
      'session-of-AssumeRoleWithWebIdentity',
      'federated-token',
      'google-access-token',
    ])
      expect(masker.mask(`<${secret}>`)).toBe('<***>');
    refusal = 403;
    const refused = await run({ role_arn: 'r' });
    expect(refused).toEqual({
      success: false,
      payload: { provider: 'aws', text: `${new URL(base).host} answered 403` },
    });
  });

  it('fails and says what is missing when the job has no token', async () => {
    delete environment['INFRASTATE_ID_TOKEN'];
    const { success, payload } = await run({ role_arn: 'r' });
    expect(success).toBe(false);
    expect(payload['text']).toContain('INFRASTATE_ID_TOKEN');
    expect(seen).toEqual([]);
  });

  describe('with the id tokens of a job of GitLab', () => {
    const jwt = (aud: unknown) =>
      ['{"alg":"RS256"}', JSON.stringify({ aud }), 'signature']
        .map((part) => Buffer.from(part).toString('base64url'))
        .join('.');
    const pool = 'projects/1/locations/global/workloadIdentityPools/p/providers/gitlab';
    const tokens = {
      INFRASTATE_ID_TOKEN: jwt('sts.amazonaws.com'),
      INFRASTATE_ID_TOKEN_AZURE: jwt('api://AzureADTokenExchange'),
      INFRASTATE_ID_TOKEN_GCP: jwt([`https://iam.googleapis.com/${pool}`, 'another']),
    };
    const gcp = { provider: 'gcp', service_account: 'a', workload_identity_provider: pool };

    it.each([
      ['aws', { role_arn: 'r' }, tokens.INFRASTATE_ID_TOKEN],
      ['gcp', gcp, tokens.INFRASTATE_ID_TOKEN_GCP],
    ])('gives %s the one of its audience', async (_, spec, token) => {
      Object.assign(environment, tokens);
      expect((await run(spec)).success).toBe(true);
      expect(decodeURIComponent(seen[0]?.body ?? '')).toContain(token);
    });

    it('gives azure the one of its audience', async () => {
      Object.assign(environment, tokens);
      await run({ provider: 'azure', client_id: 'c', tenant_id: 't', subscription_id: 's' });
      expect(readFileSync(environment['ARM_OIDC_TOKEN_FILE_PATH'] ?? '', 'utf8')).toBe(
        tokens.INFRASTATE_ID_TOKEN_AZURE,
      );
    });

    it('asks nobody and says what to change when none is for the audience', async () => {
      Object.assign(environment, { INFRASTATE_ID_TOKEN: tokens.INFRASTATE_ID_TOKEN });
      const { success, payload } = await run({ ...gcp, audience: 'mine' });
      expect([success, seen]).toEqual([false, []]);
      expect(payload['text']).toBe(
        "no id token of the job is for the audience mine (INFRASTATE_ID_TOKEN is for sts.amazonaws.com); add one below id_tokens of the job in the pipeline file, such as INFRASTATE_ID_TOKEN_OTHER: { aud: 'mine' }, or set audience of the hook",
      );
    });
  });
});
