import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import type { Owner } from '../documents/index.js';
import { outputKey } from '../states/index.js';
import { type LoggedContent, loggedContent, type StateEntry } from './logged-content.rules.js';
import type { NodeWrite } from './transaction-nodes.store.js';

/** An entry about configuration, variables or files. */
export interface ConfigurationEntry {
  action: string;
  objectType: string;
  nodeId: string | null;
  /** JSON text */
  data: string;
}

/** What a transaction's log says of one state. Entries that name no state are about its only one. */
@Injectable()
export class TransactionEntries {
  constructor(private readonly work: UnitOfWork) {}

  /** What the state is to hold. */
  async content(txId: string, owner: Owner): Promise<LoggedContent> {
    return loggedContent(await this.ofState<StateEntry>(txId, owner.stateId, true), owner);
  }

  async configuration(txId: string, stateId: string): Promise<ConfigurationEntry[]> {
    return this.ofState<ConfigurationEntry>(txId, stateId, false);
  }

  outputWrites(content: LoggedContent, stateId: string): NodeWrite[] {
    return [...content.outputs.keys()].map((name) => ({
      stateId,
      key: outputKey(name),
      address: `output.${name}`,
    }));
  }

  private async ofState<T>(txId: string, stateId: string, ofContent: boolean): Promise<T[]> {
    return this.work.query<T>(
      `SELECT action, object_type AS "objectType", node_id AS "nodeId", data::text AS data FROM transaction_logs
       WHERE tx_id = $1 AND starts_with(action, 'state_') = $3 AND (state_id = $2
           OR (state_id IS NULL AND (SELECT count(*) FROM transaction_states WHERE tx_id = $1) = 1))
       ORDER BY seq`,
      [txId, stateId, ofContent],
    );
  }
}
