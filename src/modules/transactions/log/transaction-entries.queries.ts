import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { SMALL_TEXT } from '../../../platform/threads/index.js';
import type { Owner } from '../../documents/index.js';
import { outputKey } from '../../states/index.js';
import { type LoggedContent, loggedContent, type StateEntry } from './logged-content.rules.js';
import type { NodeWrite } from './node-write.js';

/** An entry about configuration, variables or files. */
export interface ConfigurationEntry {
  action: string;
  objectType: string;
  nodeId: string | null;
  /** JSON text */
  data: string;
}

const FEW_ENTRIES = 1000;
/** bytes */
const MODERATE_DOCUMENTS = 64 * 1024 * 1024;

/** What a transaction's log says of one state. Entries that name no state are about its only one. */
@Injectable()
export class TransactionEntries {
  constructor(private readonly work: UnitOfWork) {}

  /** What the state is to hold. */
  async content(txId: string, owner: Owner): Promise<LoggedContent> {
    return (await this.contents([txId], owner)).get(txId) ?? loggedContent([], owner);
  }

  /** The same of several transactions; one that says nothing of the state is missing. */
  async contents(txIds: readonly string[], owner: Owner): Promise<Map<string, LoggedContent>> {
    const entries = await this.ofState<StateEntry>(txIds, owner.stateId, { ofContent: true });
    return new Map([...entries].map(([txId, list]) => [txId, loggedContent(list, owner)]));
  }

  async configuration(txId: string, stateId: string): Promise<ConfigurationEntry[]> {
    return (await this.configurations([txId], stateId)).get(txId) ?? [];
  }

  async configurations(
    txIds: readonly string[],
    stateId: string,
  ): Promise<Map<string, ConfigurationEntry[]>> {
    return this.ofState<ConfigurationEntry>(txIds, stateId, { ofContent: false });
  }

  /** Few entries over documents of a moderate size: no more work than a request may do. */
  async isSmall(txId: string): Promise<boolean> {
    return (await this.extent(txId)).isSmall;
  }

  /** How much the transaction is about; `stateId`: when it is about one state only. */
  async extent(txId: string): Promise<{ isSmall: boolean; stateId: string | undefined }> {
    const [row] = await this.work.query<{ is_small: boolean; state_id: string | null }>(
      `SELECT (SELECT (array_agg(state_id))[1] FROM transaction_states WHERE tx_id = $1 HAVING count(*) = 1) AS state_id,
         (SELECT count(*) FROM (SELECT FROM transaction_logs WHERE tx_id = $1 LIMIT $2 + 1) l) <= $2
         AND coalesce((SELECT length(state) FROM transaction_reports WHERE tx_id = $1), 0) <= $3
         AND coalesce((SELECT sum(v.size) FROM transaction_states ts JOIN states s ON s.id = ts.state_id
           JOIN state_versions v ON v.state_id = s.id AND v.version = s.version WHERE ts.tx_id = $1), 0) <= $4 AS is_small`,
      [txId, FEW_ENTRIES, SMALL_TEXT, MODERATE_DOCUMENTS],
    );
    return { isSmall: row?.is_small ?? false, stateId: row?.state_id ?? undefined };
  }

  outputWrites(content: LoggedContent, stateId: string): NodeWrite[] {
    return [...content.outputs.keys()].map((name) => ({
      stateId,
      key: outputKey(name),
      address: `output.${name}`,
    }));
  }

  private async ofState<T>(
    txIds: readonly string[],
    stateId: string,
    { ofContent }: { ofContent: boolean },
  ): Promise<Map<string, T[]>> {
    const rows = await this.work.query<T & { tx_id: string }>(
      `SELECT tx_id, action, object_type AS "objectType", node_id AS "nodeId", data::text AS data FROM transaction_logs l
       WHERE tx_id = ANY($1::uuid[]) AND starts_with(action, 'state_') = $3 AND (state_id = $2
           OR (state_id IS NULL AND (SELECT count(*) FROM transaction_states ts WHERE ts.tx_id = l.tx_id) = 1))
       ORDER BY seq`,
      [txIds, stateId, ofContent],
    );
    const entries = new Map<string, T[]>();
    for (const row of rows) {
      const list = entries.get(row.tx_id);
      if (list) list.push(row);
      else entries.set(row.tx_id, [row]);
    }
    return entries;
  }
}
