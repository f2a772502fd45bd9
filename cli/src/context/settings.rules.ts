import { parseAddress } from './address.rules.js';
import type { Credentials, StoredCredential } from './credentials.store.js';
import { parseTag, parseTags } from './tags.rules.js';

/** What every command may be told besides its own options. */
export interface GlobalFlags {
  apiBase?: string;
  tenant?: string;
  workspace?: string;
  group?: string;
  tag?: string[];
  json?: boolean;
}

export interface Settings {
  /** of the service, without `/api/v1`; undefined before the first login */
  address: string | undefined;
  apiKey: string | undefined;
  /** name or id */
  tenant: string | undefined;
  /** undefined when nobody named one, which is not the same as `default` where a state is looked for */
  workspace: string | undefined;
  /** id of the group of a state */
  group: string | undefined;
  /** of transactions this run begins */
  tags: Record<string, unknown>;
}

/** A flag beats the environment, which beats what `login` stored. A stored key goes to the service it was made for only. */
export function resolveSettings(
  flags: GlobalFlags,
  env: Readonly<Record<string, string | undefined>>,
  credentials: Credentials,
): Settings {
  const named = flags.apiBase ?? given(env['INFRASTATE_API_BASE']);
  const address = named === undefined ? credentials.current : parseAddress(named);
  const stored: StoredCredential | undefined =
    address === undefined ? undefined : credentials.services[address];
  const apiKey = given(env['INFRASTATE_API_KEY']);
  return {
    address,
    apiKey: apiKey ?? stored?.api_key,
    tenant: flags.tenant ?? given(env['INFRASTATE_TENANT_ID']) ?? (apiKey ? undefined : stored?.tenant),
    workspace: flags.workspace ?? given(env['INFRASTATE_WORKSPACE']),
    group: flags.group,
    tags: {
      ...parseTags(env['INFRASTATE_TX_TAGS'] ?? ''),
      ...Object.fromEntries((flags.tag ?? []).map(parseTag)),
    },
  };
}

/** A variable that is set to nothing is not set. */
function given(value: string | undefined): string | undefined {
  return value?.trim() ? value.trim() : undefined;
}
