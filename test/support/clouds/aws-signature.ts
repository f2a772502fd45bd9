import { createHash, createHmac } from 'node:crypto';
import type { CloudCall } from './stand-in.js';

export interface SignedScope {
  accessKeyId: string;
  region: string;
  service: string;
}

const FORM =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Who signed, without a look at the signature. */
export function scopeOf(call: CloudCall): SignedScope | undefined {
  const [, accessKeyId = '', , region = '', service = ''] =
    FORM.exec(call.headers['authorization'] ?? '') ?? [];
  return accessKeyId === '' ? undefined : { accessKeyId, region, service };
}

/** Signature version 4, computed anew from what arrived. */
export function isSignedWith(call: CloudCall, secret: string): boolean {
  const match = FORM.exec(call.headers['authorization'] ?? '');
  const date = call.headers['x-amz-date'] ?? '';
  if (!match || !/^\d{8}T\d{6}Z$/.test(date)) return false;
  const [, , day = '', region = '', service = '', signed = '', signature] = match;
  if (!date.startsWith(day)) return false;
  const names = signed.split(';');
  if (!names.includes('host') || !names.includes('x-amz-date')) return false;
  if (call.headers['x-amz-security-token'] !== undefined && !names.includes('x-amz-security-token'))
    return false;
  const query = [...call.query].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const payload = sha256(call.body);
  const told = call.headers['x-amz-content-sha256'];
  if (told !== undefined && told !== payload) return false;
  const canonical = [
    call.method,
    call.path,
    query.join('&'),
    ...names.map((name) => `${name}:${(call.headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    signed,
    payload,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce(hmac, Buffer.from(`AWS4${secret}`));
  return hmac(key, text).toString('hex') === signature;
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
