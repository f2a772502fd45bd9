import { Injectable } from '@nestjs/common';
import { InstallationQueries } from '../installations/installations.queries.js';
import type { WaitingDelivery } from './deliveries.store.js';
import { GithubDeliveries } from './github-deliveries.js';
import { GitlabDeliveries } from './gitlab-deliveries.js';
import type { HandledAs } from './handled-as.js';

/** What a delivery means, by its provider. A delivery is a hint: what matters is asked of the provider. */
@Injectable()
export class DeliveryHandlers {
  constructor(
    private readonly installations: InstallationQueries,
    private readonly github: GithubDeliveries,
    private readonly gitlab: GitlabDeliveries,
  ) {}

  async handle(delivery: WaitingDelivery, body: Buffer | undefined, signal: AbortSignal): Promise<HandledAs> {
    if (!body) return 'ignored';
    const payload: unknown = JSON.parse(body.toString().replace(/^\ufeff/, ''));
    const { id, event, action, was_pending: wasPending, received_at: receivedAt } = delivery;
    if (delivery.provider === 'github') {
      const installationId = delivery.provider_installation_id;
      if (installationId === null) return 'ignored';
      return this.github.handle({ id, receivedAt, event, action, payload, installationId }, signal);
    }
    const installation =
      delivery.installation_id && (await this.installations.find(delivery.installation_id));
    if (!installation) return 'ignored';
    return this.gitlab.handle({ id, receivedAt, event, action, payload, installation, wasPending }, signal);
  }
}
