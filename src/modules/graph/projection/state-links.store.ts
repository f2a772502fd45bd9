import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import type { InstanceMeta } from '../../documents/index.js';
import { remoteStateReference } from './remote-state.rules.js';

/** Links of a consumer's `terraform_remote_state` to the state it reads. */
@Injectable()
export class StateLinks {
  constructor(private readonly work: UnitOfWork) {}

  async update(stateId: string, written: readonly InstanceMeta[], removed: readonly string[]): Promise<void> {
    const stale = [...removed, ...written.map((meta) => meta.key)];
    if (stale.length > 0)
      await this.work.query(
        'DELETE FROM state_links WHERE consumer_state_id = $1 AND consumer_key = ANY($2::uuid[])',
        [stateId, stale],
      );
    const links = written.flatMap((meta) => {
      const reference = meta.remoteState === undefined ? undefined : remoteStateReference(meta.remoteState);
      return reference ? [{ key: meta.key, address: storableText(meta.address), ...reference }] : [];
    });
    if (links.length === 0) return;
    await this.work.query(
      `INSERT INTO state_links (consumer_state_id, consumer_key, consumer_address, group_id, workspace, values)
       SELECT $1, k, a, g, w, ARRAY(SELECT jsonb_array_elements_text(v::jsonb))
       FROM unnest($2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[]) AS l (k, a, g, w, v)`,
      [
        stateId,
        links.map((link) => link.key),
        links.map((link) => link.address),
        links.map((link) => link.groupId),
        links.map((link) => link.workspace),
        links.map((link) => JSON.stringify(link.values)),
      ],
    );
  }
}
