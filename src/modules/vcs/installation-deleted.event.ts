import type { Provider } from './entities/installation.entity.js';

/** An installation's row is deleted for good; whatever is keyed by (provider, installation id) goes with it. */
export class InstallationDeleted {
  constructor(
    readonly provider: Provider,
    readonly installationId: string,
  ) {}
}
