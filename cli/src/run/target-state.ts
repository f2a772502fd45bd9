import { type StateView, tenantStatesCreate } from '@infrastate/sdk';
import type { JsonObject } from '../configuration/block-data.rules.js';
import type { Context } from '../context/context.js';
import { Failure } from '../failure.js';
import { answer } from '../service/api-client.js';
import { isUuid } from '../service/uuid.js';
import { findState, statesOf } from '../states/state-lookup.js';
import { type BackendPlace, backendPlace } from './backend-place.rules.js';

export interface TargetOptions {
  /** name or id */
  state?: string | undefined;
  /** create it when there is none */
  create: boolean;
}

/** The state a configuration belongs to: the one that is named, else the one of its backend, else INFRASTATE_STATE. */
export async function targetState(
  context: Context,
  backend: JsonObject | undefined,
  options: TargetOptions,
): Promise<StateView> {
  if (options.state !== undefined) return named(context, options.state, { create: options.create });
  const { env } = context.streams;
  const place =
    backend === undefined
      ? undefined
      : backendPlace(backend['address'] ?? env['TF_HTTP_ADDRESS'], context.address);
  if (place) return placed(context, place, { create: options.create });
  const name = env['INFRASTATE_STATE']?.trim();
  if (name) return named(context, name, { create: options.create });
  throw new Failure(
    'NO_STATE',
    'it is unknown which state this configuration belongs to',
    'use --state, set INFRASTATE_STATE, or paste the output of infrastate backend-config',
  );
}

async function named(context: Context, name: string, { create }: { create: boolean }): Promise<StateView> {
  try {
    return await findState(context, name);
  } catch (error) {
    const isUnknown = error instanceof Failure && error.id === 'STATE_UNKNOWN';
    if (!create || !isUnknown || isUuid(name)) throw error;
    return made(context, {
      name,
      ...(context.settings.group ? { group_id: context.settings.group } : {}),
      ...(context.settings.workspace ? { workspace: context.settings.workspace } : {}),
    });
  }
}

async function placed(
  context: Context,
  place: BackendPlace,
  { create }: { create: boolean },
): Promise<StateView> {
  for await (const state of statesOf(context)) {
    if (state.group_id === place.group_id && state.workspace === place.workspace) return state;
  }
  if (create) return made(context, { name: place.group_id, ...place });
  throw new Failure(
    'STATE_UNKNOWN',
    'the address of the backend names no state of this tenant',
    '--create makes it',
  );
}

async function made(
  context: Context,
  body: { name: string; group_id?: string; workspace?: string },
): Promise<StateView> {
  const tenantId = await context.tenantId();
  return answer(tenantStatesCreate({ client: context.api(), path: { tenantId }, body }));
}
