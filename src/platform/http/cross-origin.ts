import type { IncomingHttpHeaders } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { defineErrors } from '../errors/index.js';

const crossOriginErrors = defineErrors({
  CROSS_ORIGIN: [
    403,
    'requests of a browser that use the session cookie must come from a page of this service',
  ],
});

export interface OriginPolicy {
  /** address that people browse */
  uiBase: string;
  /** origins that CORS allows */
  allowed: readonly string[];
  /** whether the request's credential is one that browsers send by themselves */
  usesCookie: (headers: IncomingHttpHeaders) => boolean;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** They begin a session, or act for whoever has one: asked for whatever credential comes along. */
const SIGN_IN_PATHS = /^\/api\/v1\/(login\/password|setup\/admin|invitations\/accept)\/?$/i;

/**
 * Refuses what another site makes a browser send with the session cookie, before anything of the request is read. A
 * request without `Origin` and `Sec-Fetch-Site` is no browser's and passes.
 */
export function refuseCrossOrigin(
  policy: OriginPolicy,
): (request: Request, response: Response, next: NextFunction) => void {
  return (request, response, next) => {
    const { method, headers } = request;
    const isGuarded =
      !SAFE_METHODS.has(method) &&
      (policy.usesCookie(headers) || (method === 'POST' && SIGN_IN_PATHS.test(request.path)));
    if (!isGuarded || isSameOrigin(headers, policy)) return next();
    const { status, id, message } = crossOriginErrors.CROSS_ORIGIN();
    response.status(status).set('Cache-Control', 'no-store').json({ id, data: message });
  };
}

/** Whether a request comes from the service's own pages, from an allowed origin, or from no browser at all. */
export function isSameOrigin(
  { origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders,
  { uiBase, allowed }: Pick<OriginPolicy, 'uiBase' | 'allowed'>,
): boolean {
  if (origin !== undefined && allowed.some((one) => originOf(one) === originOf(origin))) return true;
  // Where a browser says itself how the request came about, an origin that looks right does not outweigh it.
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  const sender = originOf(origin);
  return sender !== undefined && (sender === originOf(uiBase) || isOwnHost(sender, host));
}

/** The scheme is not compared: a proxy may have ended TLS. */
function isOwnHost(origin: string, host: string | undefined): boolean {
  const { protocol, host: sender } = new URL(origin);
  return host !== undefined && originOf(`${protocol}//${host}`) === `${protocol}//${sender}`;
}

/** Undefined for what is no web origin, `null` included. */
function originOf(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}
