import type { IncomingMessage } from 'node:http';
import { httpErrors } from '../../platform/errors/index.js';
import type { Principal } from './principal.js';

const callers = new WeakMap<IncomingMessage, Principal>();

export function rememberCaller(request: IncomingMessage, principal: Principal): void {
  callers.set(request, principal);
}

/** The principal the guard found for a request; middleware that logs may ask before there is one. */
export function callerIfAny(request: IncomingMessage): Principal | undefined {
  return callers.get(request);
}

export function callerOf(request: IncomingMessage): Principal {
  const principal = callers.get(request);
  if (!principal) throw httpErrors.UNAUTHENTICATED();
  return principal;
}
