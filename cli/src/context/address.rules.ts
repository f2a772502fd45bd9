import { UsageFailure } from '../failure.js';

/** `https://state.example.com` from what people paste: with or without `/api/v1`, with or without a slash at the end. */
export function parseAddress(text: string): string {
  const url = urlOf(text.trim());
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new UsageFailure('the address of the service must begin with https:// or http://');
  if (url.username || url.password)
    throw new UsageFailure('the address of the service must not contain credentials');
  if (url.search || url.hash)
    throw new UsageFailure('the address of the service must not have a query or fragment');
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}`;
}

/** Whether what is sent there can be read on the way. */
export function isExposed(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

function urlOf(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new UsageFailure('the address of the service must be a URL such as https://state.example.com');
  }
}
