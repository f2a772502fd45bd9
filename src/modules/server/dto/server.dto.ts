/** What runs here. */
export class ServerVersionView {
  /** version of the server */
  version: string;
  /** version of the schema that clients write when they create a transaction */
  state_schema_version: number;
}

/** Whether one part of the service is switched on. */
export class FlagView {
  enabled: boolean;
}

/** Parts of the service that an installation may have switched off. */
export class ServerCapabilitiesView {
  costs: FlagView;
  security: FlagView;
  /** whether endpoints of dedicated installations can be reached */
  dedicated: FlagView;
  /** where the installation of the code-hosting app starts; absent when none is configured */
  app_url?: string;
  /** the same address */
  github_app_url?: string;
}

/** The first code-hosting provider. */
export class FirstProviderView {
  api_base_url: string;
  app_client_id: string;
  /** where the app is installed from; absent while the provider does not say it */
  app_url?: string;
  web_base_url: string;
}

/** The group-based code-hosting provider. */
export class GroupProviderView {
  api_base_url: string;
  app_id: string;
  redirect_url: string;
  web_base_url: string;
}

/** The app of the first code-hosting provider. */
export class ClientIdView {
  client_id: string;
}

/** Code-hosting providers; each is present only when it is configured. */
export class ServerConfigView {
  github?: FirstProviderView;
  gitlab?: GroupProviderView;
}
