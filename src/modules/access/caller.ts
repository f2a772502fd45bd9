import type { IncomingMessage } from 'node:http';
import { httpErrors } from '../../platform/errors/index.js';
import type { Principal } from './principal.js';
import type { ScopedRow } from './scope-resolvers.js';

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

const rows = new WeakMap<IncomingMessage, ScopedRow>();

export function rememberEntered(request: IncomingMessage, row: ScopedRow): void {
  rows.set(request, row);
}

/** The row that the guard let the caller see. */
export function enteredRow(request: IncomingMessage): ScopedRow {
  const row = rows.get(request);
  if (!row) throw new Error('the route declares no scope');
  return row;
}
