import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { copyRows } from '../../../platform/database/text-copy.js';

/** Links of one instance: what it asked for, and by what it can be asked for. */
export interface InstanceLinks {
  key: string;
  asked: readonly string[];
  targets: readonly string[];
}

type Role = 'a' | 't';
type LinkRow = [link: string, role: Role, key: string];

/** Table `cost_links`. */
@Injectable()
export class CostLinks {
  constructor(private readonly work: UnitOfWork) {}

  /** Of instances of a state that has no links yet. */
  async insert(stateId: string, links: readonly InstanceLinks[]): Promise<void> {
    await copyRows(
      this.work,
      'cost_links (state_id, link, role, key)',
      links.flatMap(rowsOf).map((row) => [stateId, ...row]),
    );
  }

  /** Makes these the links of the instances. */
  async replace(
    stateId: string,
    links: readonly InstanceLinks[],
    removed: readonly string[] = [],
  ): Promise<void> {
    const rows = links.flatMap(rowsOf);
    await this.work.query(
      `WITH wanted AS (SELECT * FROM unnest($2::uuid[], $3::text[], $4::uuid[]) AS w (link, role, key)),
         gone AS (DELETE FROM cost_links c WHERE c.state_id = $1 AND c.key = ANY($5::uuid[])
           AND NOT EXISTS (SELECT FROM wanted w WHERE w.key = c.key AND w.link = c.link AND w.role = c.role::text))
       INSERT INTO cost_links (state_id, link, role, key) SELECT $1, link, role::"char", key FROM wanted
       ON CONFLICT DO NOTHING`,
      [
        stateId,
        rows.map(([link]) => link),
        rows.map(([, role]) => role),
        rows.map(([, , key]) => key),
        [...links.map(({ key }) => key), ...removed],
      ],
    );
  }

  /** By what these instances could be asked for when they were priced last. */
  async targetsOf(stateId: string, keys: readonly string[]): Promise<string[]> {
    const rows = await this.work.query<{ link: string }>(
      `SELECT DISTINCT link FROM cost_links WHERE state_id = $1 AND key = ANY($2::uuid[]) AND role = 't'`,
      [stateId, keys],
    );
    return rows.map(({ link }) => link);
  }

  /** Instances that asked for one of these. */
  async askersOf(stateId: string, links: readonly string[]): Promise<string[]> {
    return (await this.keysOf(stateId, links, 'a')).map(({ key }) => key);
  }

  /** Instances that these are answered with. */
  async keysOf(
    stateId: string,
    links: readonly string[],
    role: Role,
  ): Promise<{ link: string; key: string }[]> {
    if (links.length === 0) return [];
    return this.work.query(
      `SELECT link, key FROM cost_links WHERE state_id = $1 AND link = ANY($2::uuid[]) AND role = $3::"char" ORDER BY link, key`,
      [stateId, links, role],
    );
  }
}

function rowsOf({ key, asked, targets }: InstanceLinks): LinkRow[] {
  return [
    ...asked.map((link): LinkRow => [link, 'a', key]),
    ...targets.map((link): LinkRow => [link, 't', key]),
  ];
}
