import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Request } from 'express';
import { isStorable } from '../../platform/database/storable-text.js';
import { httpErrors } from '../../platform/errors/index.js';
import type { Principal } from '../access/index.js';
import type { ClientRun } from './client-bases.store.js';

const LONGEST_NAME = 200;
/** An IPv6 address with zone and port, with room; an index entry must not be longer than PostgreSQL's pages allow. */
const LONGEST_ADDRESS = 200;

const connections = new WeakMap<Socket, string>();

/** Tells the run of a backend request apart (http-backend-protocol.md, "Run"). */
export function clientRunOf(request: Request, caller: Principal): ClientRun {
  const lockId = nameIn(request, 'ID');
  const txId = nameIn(request, 'tx');
  const forwarded = request.headers['x-forwarded-for'] ?? request.headers['forwarded'];
  const address =
    forwarded === undefined ? (request.socket.remoteAddress ?? '') : clientOf(String(forwarded));
  return {
    name: txId ? `tx:${txId}` : lockId ? `lock:${lockId}` : undefined,
    txId: sessionOf(caller) ?? (txId && UUID.test(txId) ? txId.toLowerCase() : undefined),
    credential: caller.credentialId,
    address,
    // The connections of a proxy are its own, not the client's.
    connection: forwarded === undefined ? connectionOf(request.socket) : `via:${address}`,
    direct: forwarded === undefined,
  };
}

/** The first of the addresses that proxies have listed: those after it are proxies', and may differ from request to request. */
function clientOf(forwarded: string): string {
  return ((forwarded.split(',')[0] ?? '').split(';')[0]?.trim() ?? '').slice(0, LONGEST_ADDRESS);
}

/** The transaction that a session token stands for: its writes belong to it, whatever the address says. */
function sessionOf(caller: Principal): string | undefined {
  const txId = caller.kind === 'tx' ? caller.claims['tx'] : undefined;
  return typeof txId === 'string' ? txId : undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The address is the whole of what a client of the backend can set, so what cannot be kept is refused here. */
function nameIn(request: Request, name: string): string | undefined {
  const value = request.query[name];
  if (typeof value !== 'string' || value === '' || value.length > LONGEST_NAME) return undefined;
  if (!isStorable(value)) throw httpErrors.INVALID_REQUEST(`${name} holds a character that cannot be stored`);
  return value;
}

function connectionOf(socket: Socket): string {
  const known = connections.get(socket);
  if (known) return known;
  const id = randomUUID();
  connections.set(socket, id);
  return id;
}
