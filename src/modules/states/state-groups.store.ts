import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';

/** Which tenant a group of states belongs to: the one of its first state, until its last one is deleted. */
@Injectable()
export class StateGroups {
  constructor(private readonly work: UnitOfWork) {}

  /** Says whether the tenant may create a state in the group; in the caller's transaction, which creates it. */
  async claim(groupId: string, tenantId: string): Promise<boolean> {
    const [group] = await this.work.query<{ tenant_id: string }>(
      `INSERT INTO state_groups (group_id, tenant_id) VALUES ($1, $2)
       ON CONFLICT (group_id) DO UPDATE SET tenant_id = state_groups.tenant_id RETURNING tenant_id`,
      [groupId, tenantId],
    );
    return group?.tenant_id === tenantId;
  }

  /** A state of the group was deleted by the transaction at hand. */
  async release(groupId: string): Promise<void> {
    await this.work.query('SELECT FROM state_groups WHERE group_id = $1 FOR UPDATE', [groupId]);
    await this.work.query(
      'DELETE FROM state_groups WHERE group_id = $1 AND NOT EXISTS (SELECT FROM states WHERE group_id = $1)',
      [groupId],
    );
  }
}
