import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { isUuid } from '../../../platform/text/uuid.js';
import { AccessDecisions, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import type { LinkedInstallation } from '../../vcs/index.js';
import { orchestrationErrors } from '../orchestration.errors.js';
import { type Dirspace, Holds } from '../runs/holds.store.js';
import { RunTransactions } from '../runs/run-transactions.js';
import { Runs } from '../runs/runs.store.js';

/** Ends the holds of drift runs that were aborted after they began: somebody has looked at what they did. */
@Injectable()
export class DriftReleases {
  constructor(
    private readonly runs: Runs,
    private readonly holds: Holds,
    private readonly work: UnitOfWork,
    private readonly access: AccessDecisions,
    private readonly audit: Audit,
    private readonly transactions: RunTransactions,
  ) {}

  mayRelease(caller: Principal, { tenantId }: LinkedInstallation): boolean {
    return this.access.may(caller, 'commit', { tenantId });
  }

  /** Answers the directories; none when the run holds nothing, for example because it was released before. */
  async release(caller: Principal, installation: LinkedInstallation, id: string): Promise<Dirspace[]> {
    if (!this.mayRelease(caller, installation)) throw httpErrors.FORBIDDEN();
    const run = isUuid(id) ? await this.runs.find(id.toLowerCase()) : undefined;
    if (run?.installationId !== installation.id) throw orchestrationErrors.WORK_MANIFEST_NOT_FOUND();
    if (run.state === 'queued' || run.state === 'running') throw orchestrationErrors.RUN_UNDER_WAY();
    return this.work.run(async () => {
      const released = await this.holds.releaseReconcile(run.id);
      await this.transactions.giveUpCommits(run.repositoryId, released);
      if (released.length > 0)
        await this.audit.record({
          actor: caller,
          action: 'drift.release',
          objectType: 'run',
          objectId: run.id,
          tenantId: installation.tenantId,
          data: { repository: `${run.owner}/${run.repo}`, dirspaces: released },
        });
      return released;
    });
  }
}
