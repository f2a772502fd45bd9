import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import type { InstanceMeta } from '../documents/index.js';
import { StateLinkEntity } from './entities/graph.entities.js';
import { remoteStateReference } from './remote-state.rules.js';

/** Above this many instances only `id` and `arn` are searched for an output's value. */
const SMALL_STATE = 5000;
/** A value that more instances carry says nothing about its origin. */
const MOST_CARRIERS = 5;

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
    for (const meta of written) {
      const reference = meta.remoteState === undefined ? undefined : remoteStateReference(meta.remoteState);
      if (!reference) continue;
      const { groupId, workspace, values } = reference;
      const link = {
        consumerStateId: stateId,
        consumerKey: meta.key,
        consumerAddress: meta.address,
        groupId,
        workspace,
        values,
      };
      await this.work.manager.insert(StateLinkEntity, {
        ...link,
        producerKeys: await this.feeding(groupId, workspace, values),
      });
    }
  }

  /** The producer's outputs changed: its instances may feed other values now. */
  async refreshProducer(stateId: string): Promise<void> {
    const links = await this.work.query<{
      consumer_state_id: string;
      consumer_key: string;
      group_id: string;
      workspace: string;
      values: string[];
    }>(
      `SELECT l.consumer_state_id, l.consumer_key, l.group_id, l.workspace, l.values FROM state_links l
       JOIN states s ON s.group_id = l.group_id AND s.workspace = l.workspace WHERE s.id = $1
       ORDER BY l.consumer_state_id, l.consumer_key FOR UPDATE OF l`,
      [stateId],
    );
    for (const link of links) {
      await this.work.query(
        'UPDATE state_links SET producer_keys = $3 WHERE consumer_state_id = $1 AND consumer_key = $2',
        [
          link.consumer_state_id,
          link.consumer_key,
          await this.feeding(link.group_id, link.workspace, link.values),
        ],
      );
    }
  }

  /** Instances that carry every one of the values between them; null when a value has no distinctive carrier. */
  private async feeding(
    groupId: string,
    workspace: string,
    values: readonly string[],
  ): Promise<string[] | null> {
    if (values.length === 0) return null;
    const rows = await this.work.query<{ value: string; keys: string[] }>(
      `WITH producer AS (SELECT s.id, coalesce((g.stats->>'instances')::int, 0) AS size FROM states s LEFT JOIN state_graphs g ON g.state_id = s.id
                         WHERE s.group_id = $1 AND s.workspace = $2),
            carried AS (
              SELECT i.key, v.value FROM producer p JOIN instances i ON i.state_id = p.id,
                LATERAL (SELECT DISTINCT e.value FROM jsonb_each_text(i.attributes) e WHERE e.value = ANY($3)) v WHERE p.size <= $4
              UNION ALL
              SELECT i.key, v.value FROM producer p JOIN instances i ON i.state_id = p.id,
                LATERAL (SELECT DISTINCT value FROM (VALUES (i.attributes->>'id'), (i.attributes->>'arn')) c (value) WHERE value = ANY($3)) v WHERE p.size > $4)
       SELECT value, array_agg(key) AS keys FROM carried GROUP BY value HAVING count(*) <= $5`,
      [groupId, workspace, values, SMALL_STATE, MOST_CARRIERS],
    );
    if (rows.length < values.length) return null;
    return [...new Set(rows.flatMap((row) => row.keys))];
  }
}
