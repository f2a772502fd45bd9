import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.js';
import type { StepSpec } from '../protocol.js';
import { expanded, hide, type RunState } from '../run-state.js';
import type { StepPlace, StepResult } from './hook-step.js';
import { idTokenFor } from './id-tokens.rules.js';

const REQUEST_TIMEOUT_MS = 30_000;

/** Exchanges the CI's id token for credentials of a cloud, which are set in the environment of everything after it. */
export async function runOidc(
  spec: StepSpec,
  state: RunState,
  { environment }: StepPlace,
): Promise<StepResult> {
  const value = (name: string): string | undefined => {
    const given = spec[name];
    if (typeof given === 'number' || typeof given === 'boolean') return String(given);
    return typeof given === 'string' ? expanded(given, environment) : undefined;
  };
  const provider = value('provider') ?? 'aws';
  try {
    const variables = await credentialsOf(provider, { value, environment, state });
    for (const { name, text, isSecret } of variables) {
      if (isSecret) hide(state.masker, text, environment);
      environment[name] = text;
    }
    return { success: true, payload: { provider, text: variables.map(({ name }) => name).join('\n') } };
  } catch (error) {
    return {
      success: false,
      payload: { provider, text: error instanceof Error ? error.message : String(error) },
    };
  }
}

interface Exchange {
  value: (name: string) => string | undefined;
  environment: Readonly<Record<string, string>>;
  state: RunState;
}
interface Variable {
  name: string;
  text: string;
  isSecret: boolean;
}

function credentialsOf(provider: string, exchange: Exchange): Promise<Variable[]> {
  if (provider === 'gcp') return gcp(exchange);
  return provider === 'azure' ? azure(exchange) : aws(exchange);
}

/** GitHub hands id tokens out for an audience; GitLab put some into the job's environment. */
async function idToken({ environment, state }: Exchange, audience: string): Promise<string> {
  const url = environment['ACTIONS_ID_TOKEN_REQUEST_URL'];
  const bearer = environment['ACTIONS_ID_TOKEN_REQUEST_TOKEN'];
  let token: string;
  if (url && bearer) {
    const address = new URL(url);
    address.searchParams.set('audience', audience);
    token = (await request<{ value: string }>(address, { headers: { authorization: `Bearer ${bearer}` } }))
      .value;
  } else token = idTokenFor(environment, audience);
  hide(state.masker, token, environment);
  return token;
}

interface AwsCredentials {
  AccessKeyId: string;
  SecretAccessKey: string;
  SessionToken: string;
}

async function aws(exchange: Exchange): Promise<Variable[]> {
  const { value, environment } = exchange;
  const region = value('region') ?? 'us-east-1';
  const session = value('session_name') ?? 'infrastate';
  const duration = value('duration') ?? '3600';
  const token = await idToken(exchange, value('audience') ?? 'sts.amazonaws.com');
  const endpoint = new URL(environment['AWS_ENDPOINT_URL_STS'] ?? `https://sts.${region}.amazonaws.com/`);
  const web = await sts(endpoint, {
    Action: 'AssumeRoleWithWebIdentity',
    RoleArn: value('role_arn') ?? '',
    RoleSessionName: session,
    DurationSeconds: duration,
    WebIdentityToken: token,
  });
  let credentials = (
    web as {
      AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult: { Credentials: AwsCredentials } };
    }
  ).AssumeRoleWithWebIdentityResponse.AssumeRoleWithWebIdentityResult.Credentials;
  const assumed = value('assume_role_arn');
  if (assumed !== undefined && value('assume_role_enabled') !== 'false') {
    const form = {
      Action: 'AssumeRole',
      RoleArn: assumed,
      RoleSessionName: session,
      DurationSeconds: duration,
    };
    const answer = await sts(endpoint, form, { credentials, region });
    credentials = (answer as { AssumeRoleResponse: { AssumeRoleResult: { Credentials: AwsCredentials } } })
      .AssumeRoleResponse.AssumeRoleResult.Credentials;
  }
  return [
    secret('AWS_ACCESS_KEY_ID', credentials.AccessKeyId),
    secret('AWS_SECRET_ACCESS_KEY', credentials.SecretAccessKey),
    secret('AWS_SESSION_TOKEN', credentials.SessionToken),
    { name: 'AWS_REGION', text: region, isSecret: false },
  ];
}

async function sts(
  endpoint: URL,
  form: Record<string, string>,
  signing?: { credentials: AwsCredentials; region: string },
): Promise<unknown> {
  const body = new URLSearchParams({ ...form, Version: '2011-06-15' }).toString();
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  const signed = signing ? signatureHeaders(endpoint, body, signing) : {};
  return request(endpoint, { method: 'POST', headers: { ...headers, ...signed }, body });
}

/** AWS Signature Version 4 of a form that is posted to STS. */
function signatureHeaders(
  endpoint: URL,
  body: string,
  { credentials, region }: { credentials: AwsCredentials; region: string },
): Record<string, string> {
  const time = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${region}/sts/aws4_request`;
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const names = 'host;x-amz-date;x-amz-security-token';
  const canonical = [
    'POST',
    endpoint.pathname,
    '',
    `host:${endpoint.host}`,
    `x-amz-date:${time}`,
    `x-amz-security-token:${credentials.SessionToken}`,
    '',
    names,
    sha256(body),
  ].join('\n');
  const key = [time.slice(0, 8), region, 'sts', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${credentials.SecretAccessKey}`,
  );
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString(
    'hex',
  );
  return {
    'x-amz-date': time,
    'x-amz-security-token': credentials.SessionToken,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.AccessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** Token exchange, then the service account is impersonated. */
async function gcp(exchange: Exchange): Promise<Variable[]> {
  const { value, environment } = exchange;
  const pool = value('workload_identity_provider') ?? '';
  const audience = value('audience') ?? `https://iam.googleapis.com/${pool}`;
  const token = await idToken(exchange, audience);
  const federated = await request<{ access_token: string }>(
    new URL(environment['INFRASTATE_GCP_STS_URL'] ?? 'https://sts.googleapis.com/v1/token'),
    json({
      audience: `//iam.googleapis.com/${pool}`,
      grantType: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requestedTokenType: 'urn:ietf:params:oauth:token-type:access_token',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      subjectTokenType: 'urn:ietf:params:oauth:token-type:jwt',
      subjectToken: token,
    }),
  );
  hide(exchange.state.masker, federated.access_token, environment);
  const account = encodeURIComponent(value('service_account') ?? '');
  const base = environment['INFRASTATE_GCP_IAM_URL'] ?? 'https://iamcredentials.googleapis.com';
  const subject = value('access_token_subject');
  const { accessToken } = await request<{ accessToken: string }>(
    new URL(`/v1/projects/-/serviceAccounts/${account}:generateAccessToken`, base),
    json(
      {
        scope: ['https://www.googleapis.com/auth/cloud-platform'],
        lifetime: `${value('access_token_lifetime') ?? '3600'}s`,
        ...(subject === undefined ? {} : { subject }),
      },
      federated.access_token,
    ),
  );
  return [
    secret('GOOGLE_OAUTH_ACCESS_TOKEN', accessToken),
    secret('CLOUDSDK_AUTH_ACCESS_TOKEN', accessToken),
  ];
}

/** Azure's own tools exchange the token themselves: they get it as a file that only we can read. */
async function azure(exchange: Exchange): Promise<Variable[]> {
  const { value, state } = exchange;
  const token = await idToken(exchange, value('audience') ?? 'api://AzureADTokenExchange');
  const file = join(state.scratch, 'azure-id-token');
  writeFileSync(file, token, { mode: 0o600 });
  const plain = (name: string, text: string | undefined): Variable => ({
    name,
    text: text ?? '',
    isSecret: false,
  });
  return [
    plain('ARM_USE_OIDC', 'true'),
    plain('ARM_CLIENT_ID', value('client_id')),
    plain('ARM_TENANT_ID', value('tenant_id')),
    plain('ARM_SUBSCRIPTION_ID', value('subscription_id')),
    plain('ARM_OIDC_TOKEN_FILE_PATH', file),
    plain('AZURE_FEDERATED_TOKEN_FILE', file),
    plain('AZURE_CLIENT_ID', value('client_id')),
    plain('AZURE_TENANT_ID', value('tenant_id')),
  ];
}

function secret(name: string, text: string): Variable {
  return { name, text, isSecret: true };
}

function json(body: unknown, bearer?: string): RequestInit {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(body),
  };
}

/** A refusal shows the status only: its text may quote the token. */
async function request<T>(url: URL, init: RequestInit): Promise<T> {
  const response = await fetch(url, {
    ...init,
    redirect: 'error',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (!response.ok) throw new Failure('OIDC_REFUSED', `${url.host} answered ${response.status}`);
  return (await response.json()) as T;
}
