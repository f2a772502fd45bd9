import { bodyOf } from './connect.js';
import type { Client } from './generated/client/index.js';
import type { WriteView } from './generated/types.gen.js';

/** A state by the address of its backend. */
export interface BackendPlace {
  client: Client;
  groupId: string;
  /** default `default` */
  workspace?: string;
}

/** A lock as Terraform describes it. Who holds one writes with its id. */
export interface LockDescription {
  ID: string;
  Operation?: string;
  Info?: string;
  Who?: string;
  Version?: string;
  Created?: string;
  Path?: string;
}

/** The bytes of a state's document, as they are stored. */
export async function readDocument(place: BackendPlace): Promise<Uint8Array> {
  const { client } = place;
  return new Uint8Array(await bodyOf(client.get<ArrayBuffer>({ ...target(place), parseAs: 'arrayBuffer' })));
}

/** The same as a stream, for documents that need not be held as a whole. */
export async function documentStream(place: BackendPlace): Promise<ReadableStream<Uint8Array>> {
  const { client } = place;
  return bodyOf(client.get<ReadableStream<Uint8Array>>({ ...target(place), parseAs: 'stream' }));
}

/** Writes the bytes of a document. Overlapping changes of others are refused with 409 `TX_CONFLICT`. */
export async function writeDocument(
  place: BackendPlace & { lockId?: string },
  document: Uint8Array | string,
): Promise<WriteView> {
  const query = place.lockId === undefined ? {} : { query: { ID: place.lockId } };
  const written = await bodyOf(
    place.client.post<{ 200: WriteView }>({ ...target(place), ...query, ...bytes(document) }),
  );
  return written as unknown as WriteView;
}

/** Takes the lock, or throws an `ApiError` with status 423 whose `body` is the lock of its holder. */
export async function lockState(place: BackendPlace, lock: LockDescription): Promise<void> {
  await place.client.request({ method: 'LOCK' as 'POST', ...target(place), ...bytes(JSON.stringify(lock)) });
}

/** Gives the lock back; 409 `LOCK_MISMATCH` when another run holds it. */
export async function unlockState(place: BackendPlace, lock: Pick<LockDescription, 'ID'>): Promise<void> {
  const body = bytes(JSON.stringify(lock));
  await place.client.request({ method: 'UNLOCK' as 'POST', ...target(place), ...body });
}

function target({ groupId, workspace = 'default' }: BackendPlace): {
  url: string;
  security: [{ scheme: 'bearer'; type: 'http' }];
} {
  const path = [groupId, ...(workspace === 'default' ? [] : [workspace])].map(encodeURIComponent).join('/');
  return { url: `/api/v1/states/backend/${path}`, security: [{ scheme: 'bearer', type: 'http' }] };
}

function bytes(body: Uint8Array | string): {
  body: unknown;
  bodySerializer: null;
  headers: Record<string, string>;
} {
  return { body, bodySerializer: null, headers: { 'Content-Type': 'application/json' } };
}
