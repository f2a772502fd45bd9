import type { ServerMetadata } from 'openid-client';

const PATIENCE_MS = 10_000;

export interface TokenAnswer {
  access_token: string;
  refresh_token?: string;
  id_token?: string;
}

export interface CodeExchange {
  metadata: ServerMetadata & { token_endpoint: string };
  clientId: string;
  clientSecret: string;
  redirectUrl: string;
  code: string;
  verifier: string;
}

/** Swaps an authorization code for tokens, with PKCE and the client authentication that the provider announces. */
export async function exchangeCode(exchange: CodeExchange): Promise<TokenAnswer> {
  const { metadata, clientId, clientSecret, redirectUrl, code, verifier } = exchange;
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUrl,
    code_verifier: verifier,
  });
  const headers = new Headers({ Accept: 'application/json' });
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  if (methods.includes('client_secret_basic')) {
    // RFC 6749 2.3.1: both halves are form-encoded before they are joined.
    const pair = [clientId, clientSecret].map((part) => encodeURIComponent(part)).join(':');
    headers.set('Authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  } else {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret);
  }
  const answer = await fetch(metadata.token_endpoint, {
    method: 'POST',
    headers,
    body: form,
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const body: unknown = await answer.json();
  if (!answer.ok || !isTokenAnswer(body)) throw new Error(`the token endpoint answered ${answer.status}`);
  return body;
}

function isTokenAnswer(body: unknown): body is TokenAnswer {
  return (
    typeof body === 'object' &&
    body !== null &&
    'access_token' in body &&
    typeof body.access_token === 'string'
  );
}
