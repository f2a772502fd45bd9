import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { HandlesEvent } from '../../platform/events/index.js';
import { Configurations } from '../configurations/index.js';
import { VersionStored } from '../states/index.js';
import { RevisionsService } from './revisions.service.js';

interface Change {
  address: string;
  op: 'a' | 'c' | 'r';
}

/**
 * Plain Terraform, an import or a restored version writes a state without saying by which configuration. What it changed
 * does not count as applied any more, so that the next plan looks at it, though no block differs.
 */
@Injectable()
export class ForeignWrites {
  constructor(
    private readonly work: UnitOfWork,
    private readonly configurations: Configurations,
    private readonly revisions: RevisionsService,
  ) {}

  @HandlesEvent(VersionStored)
  async doubt({ stateId, version, txId }: VersionStored): Promise<void> {
    const [foreign] = await this.work.query<{ is_foreign: boolean }>(
      `SELECT EXISTS (SELECT FROM state_configuration WHERE state_id = $1)
         AND NOT EXISTS (SELECT FROM transactions WHERE id = $2 AND kind = 'plan') AS is_foreign`,
      [stateId, txId],
    );
    if (!foreign?.is_foreign) return;
    const changes = await this.work.query<Change>(
      'SELECT address, op FROM state_changes WHERE state_id = $1 AND version = $2',
      [stateId, version],
    );
    const added = changes.filter(({ op }) => op === 'a').map(({ address }) => address);
    const isWhole = changes.some(({ address }) => address === '*');
    // Something that no stored block stands for is only found, and removed, by a plan of everything.
    if (isWhole || !(await this.configurations.hasAll(stateId, added))) {
      await this.configurations.clear(stateId);
      await this.revisions.clear(stateId);
      return;
    }
    const nodes = await this.configurations.doubt(
      stateId,
      changes.map(({ address }) => address),
    );
    await this.revisions.doubt(stateId, nodes);
  }
}
