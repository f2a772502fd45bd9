import { createHash, createHmac } from 'node:crypto';
import { failureOf } from './aws-failures.js';
import type { AwsClients, AwsCredentials } from './aws-clients.js';
import { readBounded } from '../clouds/cloud-rest.js';

const VERSION = '2016-11-15';
const REQUEST_TIMEOUT_MS = 20_000;

/**
 * One call of EC2's query protocol, answered as XML. Written by hand because the client of EC2 takes 60 MB of memory and
 * a second of every thread to load, for seven calls.
 */
export async function queryEc2(
  clients: AwsClients,
  region: string,
  parameters: Readonly<Record<string, string>>,
): Promise<string> {
  const action = `ec2:${parameters['Action'] ?? ''}`;
  return clients.call(action, async ({ abortSignal }) => {
    const suffix = clients.partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
    const url = new URL('/', clients.endpoint ?? `https://ec2.${region}.${suffix}`);
    const body = new URLSearchParams({ ...parameters, Version: VERSION }).toString();
    const headers = signedHeaders({
      url,
      body,
      region,
      now: clients.now,
      credentials: await clients.currentCredentials(),
    });
    const signal = AbortSignal.any([abortSignal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    const text = await readBounded(answer);
    if (answer.status === 200) return text;
    const name = /<Code>([\w.]{1,80})<\/Code>/.exec(text)?.[1] ?? 'Error';
    throw failureOf({ name, $metadata: { httpStatusCode: answer.status } }, action);
  });
}

interface Signed {
  url: URL;
  body: string;
  region: string;
  now: Date;
  credentials: AwsCredentials;
}

/** Signature version 4 of a form that is posted to EC2. */
function signedHeaders({ url, body, region, now, credentials }: Signed): Record<string, string> {
  const date = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    host: url.host,
    'x-amz-date': date,
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const signed = names.join(';');
  const canonical = [
    'POST',
    url.pathname,
    '',
    ...names.map((name) => `${name}:${headers[name] ?? ''}`),
    '',
    signed,
    sha256(body),
  ].join('\n');
  const scope = `${date.slice(0, 8)}/${region}/ec2/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = ['ec2', 'aws4_request'].reduce(
    hmac,
    hmac(hmac(Buffer.from(`AWS4${credentials.secretAccessKey}`), date.slice(0, 8)), region),
  );
  const signature = hmac(key, text).toString('hex');
  const { host: _host, ...sent } = headers;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
