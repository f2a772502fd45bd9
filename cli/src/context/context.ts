import { type TenantView, tenantsListOfCaller } from '@infrastate/sdk';
import { Failure } from '../failure.js';
import { Output } from '../output/output.js';
import { isUuid } from '../service/uuid.js';
import { answer, type ApiClient, createApiClient } from '../service/api-client.js';
import type { Repeat } from '../service/patient-fetch.js';
import type { Streams } from '../streams.js';
import { CredentialsStore } from './credentials.store.js';
import { type GlobalFlags, resolveSettings, type Settings } from './settings.rules.js';
import { chooseTenant } from './tenant.rules.js';

/** What a command works with: who asks, where, for which tenant, and how to say what came of it. */
export class Context {
  private readonly clients = new Map<Repeat, ApiClient>();
  private chosen: Promise<TenantView> | undefined;

  constructor(
    readonly settings: Settings,
    readonly output: Output,
    readonly credentials: CredentialsStore,
    readonly streams: Streams,
  ) {}

  /** Address of the service without `/api/v1`. */
  get address(): string {
    if (this.settings.address === undefined)
      throw new Failure(
        'NO_ADDRESS',
        'no service is known',
        'run infrastate login, or set INFRASTATE_API_BASE',
      );
    return this.settings.address;
  }

  get apiKey(): string {
    const { address } = this;
    if (this.settings.apiKey === undefined)
      throw new Failure(
        'NOT_SIGNED_IN',
        `no key for ${address}`,
        'run infrastate login, or set INFRASTATE_API_KEY',
      );
    return this.settings.apiKey;
  }

  /**
   * Client of the service as the caller. `all` waits out a busy service for every method: for POSTs that may arrive
   * twice without harm.
   */
  api(repeat: Repeat = 'safe'): ApiClient {
    const known = this.clients.get(repeat);
    if (known) return known;
    const { address, apiKey, output } = this;
    const client = createApiClient({ address, apiKey, repeat, waiting: (text) => output.printNote(text) });
    this.clients.set(repeat, client);
    return client;
  }

  /** Its id; nobody is asked when the id was given. */
  async tenantId(): Promise<string> {
    const { tenant } = this.settings;
    return tenant !== undefined && isUuid(tenant) ? tenant.toLowerCase() : (await this.tenant()).id;
  }

  /** The tenant that was named, or the only one there is. */
  tenant(): Promise<TenantView> {
    this.chosen ??= answer(tenantsListOfCaller({ client: this.api() })).then(({ results }) =>
      chooseTenant(results, this.settings.tenant),
    );
    return this.chosen;
  }
}

export function openContext(flags: GlobalFlags, streams: Streams): Context {
  const credentials = new CredentialsStore(streams.env);
  const settings = resolveSettings(flags, streams.env, credentials.read());
  return new Context(settings, new Output(streams, flags.json === true), credentials, streams);
}
