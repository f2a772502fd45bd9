import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { Configurations } from '../../configurations/index.js';
import { VersionStored } from '../../states/index.js';
import { ConfigurationAccesses } from '../conflicts/configuration-accesses.store.js';
import { RevisionsService } from './revisions.service.js';

interface Change {
  address: string;
  op: 'a' | 'c' | 'r';
}

/**
 * Plain Terraform, an import or a restored version writes a state without saying by which configuration; a run that failed
 * applied a part of one. What was changed so does not count as applied any more, and the next plan looks at it, though no
 * block differs. (What a refresh found in what was only read is no such change: the plan that read it had its block.)
 */
@Injectable()
export class ForeignWrites {
  constructor(
    private readonly work: UnitOfWork,
    private readonly configurations: Configurations,
    private readonly revisions: RevisionsService,
    private readonly accesses: ConfigurationAccesses,
  ) {}

  @HandlesEvent(VersionStored)
  async doubt({ stateId, version, txId }: VersionStored): Promise<void> {
    const [state] = await this.work.query<{ is_foreign: boolean }>(
      `SELECT NOT EXISTS (SELECT FROM transactions WHERE id = $2 AND kind = 'plan') AS is_foreign
       WHERE EXISTS (SELECT FROM state_configuration WHERE state_id = $1)`,
      [stateId, txId],
    );
    if (!state) return;
    const changes = state.is_foreign
      ? await this.work.query<Change>(
          'SELECT address, op FROM state_changes WHERE state_id = $1 AND version = $2',
          [stateId, version],
        )
      : await this.failed(stateId, version);
    const addresses = changes.map(({ address }) => address);
    const added = changes.filter(({ op }) => op === 'a').map(({ address }) => address);
    const isWhole = addresses.includes('*');
    // Without a stored block, only a plan of everything finds an instance: its block may be gone before the next plan.
    if (isWhole || !(await this.configurations.hasAll(stateId, added))) {
      await this.configurations.clear(stateId);
      await this.revisions.clear(stateId);
      await this.accesses.cleared(txId, stateId);
    } else if (addresses.length > 0) {
      await this.revisions.doubt(stateId, await this.configurations.doubt(stateId, addresses));
    }
  }

  /** What runs that failed changed nevertheless. */
  private failed(stateId: string, version: number): Promise<Change[]> {
    return this.work.query<Change>(
      `SELECT c.address, c.op FROM state_changes c JOIN transaction_reports r ON r.tx_id = c.tx_id
       WHERE c.state_id = $1 AND c.version = $2 AND r.failed AND NOT EXISTS (SELECT FROM transaction_nodes n
         WHERE n.tx_id = c.tx_id AND n.state_id = c.state_id AND n.key = c.key AND n.access <> 'w')`,
      [stateId, version],
    );
  }
}
