import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/index.js';
import type { RepositoryPlace } from './changes.js';

/** What nobody asked for at that moment: it follows from the configuration. */
export type AutomaticAction = 'pull-request.autoapply' | 'pull-request.automerge' | 'drift.reconcile';

/** Records what the service does by itself. The actor is the system user of the installation. */
@Injectable()
export class AutomaticChanges {
  constructor(private readonly audit: Audit) {}

  /** `pullNumber` null: of the repository. Call it in the transaction of the change, where there is one. */
  async record(
    { installation, repository }: RepositoryPlace,
    action: AutomaticAction,
    { pullNumber, ...data }: { pullNumber: number | null } & Record<string, unknown>,
  ): Promise<void> {
    const { provider, name, systemUserId, tenantId } = installation;
    if (tenantId === null) return;
    const path = `${repository.owner}/${repository.name}`;
    await this.audit.record({
      ...(systemUserId === null
        ? {}
        : { actor: { userId: systemUserId, userName: name, credentialId: 'system' } }),
      action,
      objectType: pullNumber === null ? 'repository' : 'pull-request',
      objectId: pullNumber === null ? repository.providerId : `${path}#${pullNumber}`,
      tenantId,
      data: { provider, ...(pullNumber === null ? { repository: path } : {}), ...data },
    });
  }
}
