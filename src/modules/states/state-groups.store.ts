import { Injectable } from '@nestjs/common';
import { Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import type { StateEntity } from './entities/state.entity.js';

/** A state that was never written. */
export type NewState = Pick<StateEntity, 'tenantId' | 'name' | 'groupId' | 'workspace'>;

/** Which tenant a group of states belongs to: the one of its first state, until its last one is deleted. */
@Injectable()
export class StateGroups {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
  ) {}

  /** Whose group it is, with the name of its first state; undefined when it has none. */
  async find(groupId: string): Promise<Pick<NewState, 'tenantId' | 'name'> | undefined> {
    const [group] = await this.work.query<Pick<NewState, 'tenantId' | 'name'>>(
      `SELECT coalesce(g.tenant_id, s.tenant_id) AS "tenantId", s.name FROM states s LEFT JOIN state_groups g USING (group_id)
       WHERE s.group_id = $1 ORDER BY s.created_at, s.id LIMIT 1`,
      [groupId],
    );
    return group;
  }

  /** The only way a state comes to be; in the caller's transaction, which is to end when it was not added. */
  async addState({
    id,
    tenantId,
    name,
    groupId,
    workspace,
  }: NewState & { id: string }): Promise<'added' | 'group taken' | 'workspace taken'> {
    if (!(await this.claim(groupId, tenantId))) return 'group taken';
    const rows = await this.work.query<{ id: string }>(
      `INSERT INTO states (id, tenant_id, name, group_id, workspace, lineage) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (group_id, workspace) DO NOTHING RETURNING id`,
      [id, tenantId, name, groupId, workspace, this.secrets.uuid()],
    );
    return rows.length > 0 ? 'added' : 'workspace taken';
  }

  /** Says whether the tenant may create a state in the group. */
  private async claim(groupId: string, tenantId: string): Promise<boolean> {
    const [group] = await this.work.query<{ tenant_id: string }>(
      `INSERT INTO state_groups (group_id, tenant_id) VALUES ($1, $2)
       ON CONFLICT (group_id) DO UPDATE SET tenant_id = state_groups.tenant_id RETURNING tenant_id`,
      [groupId, tenantId],
    );
    return group?.tenant_id === tenantId;
  }

  /** Before a state of it is locked to be deleted: who adds one takes the group first, too, and then meets the state. */
  async hold(stateId: string): Promise<void> {
    await this.work.query(
      'SELECT FROM state_groups WHERE group_id = (SELECT group_id FROM states WHERE id = $1) FOR UPDATE',
      [stateId],
    );
  }

  /** A state of the group, which is held, was deleted by the transaction at hand. */
  async release(groupId: string): Promise<void> {
    await this.work.query(
      'DELETE FROM state_groups WHERE group_id = $1 AND NOT EXISTS (SELECT FROM states WHERE group_id = $1)',
      [groupId],
    );
  }
}
