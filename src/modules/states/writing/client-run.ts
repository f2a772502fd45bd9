import type { Request } from 'express';
import { isStorable } from '../../../platform/database/storable-text.js';
import { httpErrors } from '../../../platform/errors/index.js';
import type { Principal } from '../../access/index.js';
import type { ClientConnections } from './client-connections.js';
import { forwardedClientOf } from './forwarded-client.rules.js';
import { isUuid } from '../../../platform/text/uuid.js';

/** How a request of the backend is told apart from others (http-backend-protocol.md, "Run"). */
export interface ClientRun {
  /** `?ID=` of a write */
  lockId: string | undefined;
  /** `tx:<id>` or `run:<id>`: what the client calls its run */
  name: string | undefined;
  /** transaction the run belongs to, when it names one */
  txId: string | undefined;
  credential: string;
  /** remote address, or what a proxy forwarded */
  address: string;
  /** the client's own connection, or the forwarded address with port; undefined when a proxy tells no port */
  connection: string | undefined;
}

const MAX_NAME_LENGTH = 200;
const RUN_NAME = /^run-(.+)$/s;

/** Prefix of connections that a proxy tells by address and port. */
export const FORWARDED = 'via:';

/** Tells the run of a backend request apart. */
export function clientRunOf(request: Request, caller: Principal, connections: ClientConnections): ClientRun {
  const lockId = nameIn(request, 'ID');
  const txId = nameIn(request, 'tx');
  const session = sessionOf(caller);
  const runId = runNameOf(request);
  const client = forwardedClientOf(headerOf(request, 'forwarded'), headerOf(request, 'x-forwarded-for'));
  const transaction = txId ?? session;
  return {
    lockId,
    name: transaction ? `tx:${transaction}` : runId && `run:${runId}`,
    txId: session ?? (txId && isUuid(txId) ? txId.toLowerCase() : undefined),
    credential: caller.credentialId,
    address: client ? client.address : (request.socket.remoteAddress ?? ''),
    connection: client
      ? client.port && `${FORWARDED}${client.address} ${client.port}`
      : connections.identify(request.socket, caller.credentialId),
  };
}

/** The name under which the writes of a run are kept. */
export function recordedName(run: ClientRun): string | undefined {
  return run.lockId === undefined ? run.name : lockName(run.lockId);
}

export function lockName(lockId: string): string {
  return `lock:${lockId}`;
}

/** The Basic user name, when it has the form `run-<id>`; any other name says nothing about the run. */
function runNameOf(request: Request): string | undefined {
  const [, encoded = ''] = /^basic +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
  const [user = ''] = Buffer.from(encoded, 'base64').toString().split(':', 1);
  const [, id] = RUN_NAME.exec(user) ?? [];
  return id !== undefined && id.length <= MAX_NAME_LENGTH && isStorable(id) ? id : undefined;
}

/** The transaction that a session token stands for: its writes belong to it, whatever the address says. */
function sessionOf(caller: Principal): string | undefined {
  const txId = caller.kind === 'tx' ? caller.claims['tx'] : undefined;
  return typeof txId === 'string' ? txId : undefined;
}

/** The address is all that a client of the backend can set, so what cannot be stored is refused here. */
function nameIn(request: Request, name: string): string | undefined {
  const value = request.query[name];
  if (typeof value !== 'string' || value === '' || value.length > MAX_NAME_LENGTH) return undefined;
  if (!isStorable(value))
    throw httpErrors.INVALID_REQUEST(`${name} contains a character that cannot be stored`);
  return value;
}

function headerOf(request: Request, name: 'forwarded' | 'x-forwarded-for'): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}
