import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { Events } from '../../platform/events/index.js';
import { Administration, type Principal } from '../access/index.js';
import { Audit } from '../audit/index.js';
import { StateEntity } from './entities/state.entity.js';
import { StateDeleted } from './state-deleted.event.js';
import { StateGroups } from './state-groups.store.js';
import { AcceptedVersions } from './writing/accepted-versions.service.js';

/** Deleting states. */
@Injectable()
export class StateDeletion {
  constructor(
    private readonly work: UnitOfWork,
    private readonly groups: StateGroups,
    private readonly versions: AcceptedVersions,
    private readonly administration: Administration,
    private readonly audit: Audit,
    private readonly events: Events,
  ) {}

  /** Foreign keys and the trigger of the table take everything of the state with it. */
  async delete(caller: Principal, stateId: string): Promise<void> {
    await this.work.run(async () => {
      await this.groups.hold(stateId);
      const { id, tenantId, name, groupId, workspace } = await this.versions.lockState(stateId);
      await this.administration.confirmCapability(caller, 'admin', { tenantId, stateId: id });
      await this.events.publish(new StateDeleted(id, tenantId));
      await this.work.manager.delete(StateEntity, { id: stateId });
      await this.groups.release(groupId);
      await this.audit.record({
        actor: caller,
        action: 'state.delete',
        objectType: 'state',
        objectId: stateId,
        tenantId,
        data: { name, group_id: groupId, workspace },
      });
    });
  }
}
