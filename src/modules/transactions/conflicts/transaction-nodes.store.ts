import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import type { StateContent } from '../../documents/index.js';
import { EVERYTHING, outputKey, stateErrors } from '../../states/index.js';
import type { NodeWrite } from '../log/node-write.js';
import { TransactionEnded } from '../transaction-ended.event.js';

/** A transaction in the way and a state it shares; `key` and `address` of a node they meet in, if there is one. */
export interface Meeting {
  tx_id: string;
  state_id: string;
  key: string | null;
  address: string | null;
}

const MAX_MEETINGS = 10_000;

/** What a runner was given of an instance or output. */
export interface GivenNode {
  key: string;
  address: string;
  /** read as context, written, or data that is only looked up */
  access: 'r' | 'w' | 'd';
  givenHash: string | null;
}

/**
 * What active transactions read and will write. Two of them conflict when one writes what the other reads or writes
 * (docs/adr/0007): the first to commit wins, and one that is committing counts as committed.
 */
@Injectable()
export class TransactionNodes {
  constructor(private readonly work: UnitOfWork) {}

  /** A runner gets this much of a state, as of `version`. Replaces what an earlier bundle gave, and what was planned with it. */
  async given(
    txId: string,
    stateId: string,
    version: number,
    content: Pick<StateContent, 'instances' | 'outputs'>,
  ): Promise<void> {
    await this.work.query('DELETE FROM transaction_nodes WHERE tx_id = $1 AND state_id = $2', [
      txId,
      stateId,
    ]);
    await this.work.query(
      `INSERT INTO transaction_states (tx_id, state_id, base_version) VALUES ($1, $2, $3)
       ON CONFLICT (tx_id, state_id) DO UPDATE SET base_version = EXCLUDED.base_version`,
      [txId, stateId, version],
    );
    const instances = [...content.instances.values()].map(({ node }) => ({
      key: node.key,
      access: node.mode === 'data' ? 'd' : 'r',
      address: node.address,
      hash: node.hash,
    }));
    const outputs = [...content.outputs].map(([name, text]) => ({
      key: outputKey(name),
      access: 'r',
      address: `output.${name}`,
      hash: outputHash(text),
    }));
    const rows = [...instances, ...outputs];
    await this.work.query(
      `INSERT INTO transaction_nodes (tx_id, state_id, key, access, address, given_hash)
       SELECT $1, $2, k, a::"char", d, h FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) AS r (k, a, d, h)`,
      [
        txId,
        stateId,
        rows.map((row) => row.key),
        rows.map((row) => row.access),
        rows.map((row) => storableText(row.address)),
        rows.map((row) => row.hash),
      ],
    );
  }

  /** What the runner of the transaction was given, by state. */
  async ofState(txId: string, stateId: string): Promise<Map<string, GivenNode>> {
    const rows = await this.work.query<GivenNode>(
      `SELECT key, address, access, given_hash AS "givenHash" FROM transaction_nodes WHERE tx_id = $1 AND state_id = $2`,
      [txId, stateId],
    );
    return new Map(rows.map((row) => [row.key, row]));
  }

  /** What the transaction is known to write in a state. */
  async writesOf(txId: string, stateId: string): Promise<NodeWrite[]> {
    return this.work.query<NodeWrite>(
      `SELECT state_id AS "stateId", key, address FROM transaction_nodes
       WHERE tx_id = $1 AND state_id = $2 AND access = 'w'`,
      [txId, stateId],
    );
  }

  /** A new plan: what an earlier one was going to write is only read again. */
  async forgetWrites(txId: string): Promise<void> {
    await this.work.query(
      "DELETE FROM transaction_nodes WHERE tx_id = $1 AND access = 'w' AND given_hash IS NULL",
      [txId],
    );
    await this.work.query("UPDATE transaction_nodes SET access = 'r' WHERE tx_id = $1 AND access = 'w'", [
      txId,
    ]);
  }

  async addWrites(txId: string, writes: readonly NodeWrite[]): Promise<void> {
    const distinct = [...new Map(writes.map((write) => [`${write.stateId} ${write.key}`, write])).values()];
    await this.work.query(
      `INSERT INTO transaction_nodes (tx_id, state_id, key, access, address)
       SELECT $1, s, k, 'w', a FROM unnest($2::uuid[], $3::uuid[], $4::text[]) AS r (s, k, a)
       ON CONFLICT (tx_id, state_id, key) DO UPDATE SET access = 'w'`,
      [
        txId,
        distinct.map((write) => write.stateId),
        distinct.map((write) => write.key),
        distinct.map((write) => storableText(write.address)),
      ],
    );
  }

  /** Nothing is written any more by what was aborted or could not be planned; a failed commit may be tried again. */
  @HandlesEvent(TransactionEnded)
  async ended({ txIds, state }: TransactionEnded): Promise<void> {
    if (state === 'aborted' || state === 'failed') await this.forget(txIds);
  }

  async forget(txIds: readonly string[]): Promise<void> {
    await this.work.query('DELETE FROM transaction_nodes WHERE tx_id = ANY($1::uuid[])', [txIds]);
  }

  /**
   * The transactions in the way of each of `txIds`, in order of their ids; those that nobody is in the way of are missing.
   * The rows of their states are locked, so that none is overlooked that commits at the same time.
   */
  async conflicts(txIds: readonly string[]): Promise<Map<string, string[]>> {
    const rows = await this.work.prepared<{ tx_id: string; others: string[] }>(CONFLICTS, [
      txIds,
      EVERYTHING,
    ]);
    return new Map(rows.map((row) => [row.tx_id, row.others]));
  }

  async requireNoConflicts(txId: string): Promise<void> {
    const others = (await this.conflicts([txId])).get(txId);
    if (others) throw stateErrors.TX_CONFLICT(others.join(','));
  }

  /**
   * The same for transactions that only write, and only this state, whose row is locked: what they write is not noted, for
   * they end with the database transaction at hand.
   */
  async conflictsOfWrites(
    stateId: string,
    writes: ReadonlyMap<string, readonly NodeWrite[]>,
  ): Promise<Map<string, string[]>> {
    const rows = [...writes].flatMap(([txId, list]) => list.map(({ key }) => ({ txId, key })));
    const found = await this.work.prepared<{ tx_id: string; others: string[] }>(CONFLICTS_OF_WRITES, [
      [...writes.keys()],
      EVERYTHING,
      stateId,
      rows.map(({ txId }) => txId),
      rows.map(({ key }) => key),
    ]);
    return new Map(found.map((row) => [row.tx_id, row.others]));
  }

  /** What each of some transactions in the way has in common with this one: states they share, with what they meet in. */
  async meetings(txId: string, others: readonly string[]): Promise<Meeting[]> {
    return this.work.query<Meeting>(MEETINGS, [[txId], others, MAX_MEETINGS]);
  }

  /** Keys of a state that others changed after what the transaction stands on, with the transaction that did. */
  async changedByOthers(txId: string, stateId: string): Promise<Map<string, string>> {
    const rows = await this.work.query<{ key: string; tx_id: string }>(
      `WITH bases AS MATERIALIZED (${BASES}) SELECT c.key, c.tx_id FROM bases b
         CROSS JOIN LATERAL (${CHANGED_SINCE}) c WHERE b.state_id = $2`,
      [[txId], stateId],
    );
    return new Map(rows.map((row) => [row.key, row.tx_id]));
  }

  async stateIds(txId: string): Promise<string[]> {
    const rows = await this.work.query<{ state_id: string }>(
      'SELECT state_id FROM transaction_states WHERE tx_id = $1 ORDER BY state_id',
      [txId],
    );
    return rows.map((row) => row.state_id);
  }

  /** Locks the rows of the transaction's states, always in the same order. */
  async lockStates(txId: string): Promise<string[]> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT id FROM states WHERE id IN (SELECT state_id FROM transaction_states WHERE tx_id = $1)
       ORDER BY id FOR NO KEY UPDATE`,
      [txId],
    );
    return rows.map((row) => row.id);
  }
}

/**
 * The version of each state that the transaction stands on: what its bundle was read from, else the newest one that was
 * committed when it was created. Versions are committed in their order, so the newest visible one is soon found. Ids of
 * database transactions begin anew when a database is restored; a version that is a day older needs none.
 */
const BASES = `SELECT ts.tx_id, ts.state_id, coalesce(ts.base_version, (
    SELECT v.version FROM state_versions v WHERE v.state_id = ts.state_id AND (v.xid IS NULL OR t.snapshot IS NULL
        OR pg_visible_in_snapshot(v.xid, t.snapshot) OR v.created_at < t.created_at - interval '1 day')
      ORDER BY v.version DESC LIMIT 1), 0) AS version
  FROM transaction_states ts JOIN transactions t ON t.id = ts.tx_id WHERE ts.tx_id = ANY($1::uuid[])`;

/** By the index of the log: the versions above the base, however many there are below it. */
const CHANGED_SINCE = `SELECT key, tx_id FROM state_changes
  WHERE state_id = b.state_id AND version > b.version AND tx_id <> b.tx_id OFFSET 0`;

/** Of what another transaction did to the configuration: what is not in the snapshot was not seen. */
const APPLIED_SINCE = `(other.applied_at > configured.created_at - interval '1 day'
            AND NOT pg_visible_in_snapshot(other.applied, configured.snapshot))`;

/** Looked up for each that was met: how many are committing elsewhere in the installation is no concern of this one. */
const IS_COMMITTING = "(SELECT state FROM transactions WHERE id = other.tx_id) = 'committing'";

/**
 * Who is in the way, in the order of the unions:
 *  1. who has changed a node that this transaction reads or writes, after the version it stands on;
 *  2. the same, where one of the two changes stands for every node;
 *  3. who is committing and writes a node that this one reads or writes, or reads one that it writes;
 *  4. the same, where what is committing stands for every node;
 *  5. the same, where this transaction's write stands for every node;
 *  6. who has changed (or is committing a change of) a block of configuration that this one reads or changes otherwise;
 *  7. the same, where the other's change stands for the whole configuration.
 * Every join by key is a look into an index (`OFFSET 0` keeps it one): how many rows there are to look for is only known when
 * the statement runs, and joins planned for a few compare each of ten thousand with each. So what stands for every node
 * has its own branches.
 */
const CONFLICTS = {
  name: 'conflicts-of-transactions',
  text: `WITH mine AS MATERIALIZED (SELECT tx_id, state_id, key, access FROM transaction_nodes
      WHERE tx_id = ANY($1::uuid[]) AND access <> 'd'),
    touched AS MATERIALIZED (SELECT tx_id, state_id, bool_or(access = 'w') AS writes, bool_or(key = $2::uuid) AS everything
      FROM mine GROUP BY tx_id, state_id),
    bases AS MATERIALIZED (${BASES}),
    changed AS MATERIALIZED (SELECT b.tx_id AS mine, b.state_id, c.key, c.tx_id
      FROM bases b CROSS JOIN LATERAL (${CHANGED_SINCE}) c),
    configured AS MATERIALIZED (SELECT ts.tx_id, ts.state_id, t.created_at, coalesce(ts.base_snapshot, t.snapshot) AS snapshot
      FROM transaction_states ts JOIN transactions t ON t.id = ts.tx_id WHERE ts.tx_id = ANY($1::uuid[])),
    met AS (SELECT changed.mine AS tx_id, changed.tx_id AS other FROM changed
        CROSS JOIN LATERAL (SELECT FROM transaction_nodes WHERE tx_id = changed.mine AND state_id = changed.state_id
          AND key = changed.key AND access <> 'd' OFFSET 0) mine
      UNION
      SELECT touched.tx_id, changed.tx_id FROM touched
        JOIN changed ON changed.mine = touched.tx_id AND changed.state_id = touched.state_id
          AND (changed.key = $2::uuid OR touched.everything)
      UNION
      SELECT mine.tx_id, other.tx_id FROM mine CROSS JOIN LATERAL (SELECT tx_id, access FROM transaction_nodes
          WHERE state_id = mine.state_id AND key = mine.key AND tx_id <> mine.tx_id AND access <> 'd' OFFSET 0) other
        WHERE (mine.access = 'w' OR other.access = 'w') AND ${IS_COMMITTING}
      UNION
      SELECT touched.tx_id, other.tx_id FROM touched CROSS JOIN LATERAL (SELECT tx_id, access FROM transaction_nodes
          WHERE state_id = touched.state_id AND key = $2::uuid AND tx_id <> touched.tx_id AND access <> 'd' OFFSET 0) other
        WHERE (touched.writes OR other.access = 'w') AND ${IS_COMMITTING}
      UNION
      SELECT touched.tx_id, other.tx_id FROM touched JOIN transaction_nodes other ON other.state_id = touched.state_id
          AND other.tx_id <> touched.tx_id
        JOIN transactions t ON t.id = other.tx_id AND t.state = 'committing'
        WHERE touched.everything
      UNION
      SELECT configured.tx_id, other.tx_id FROM configured
        CROSS JOIN LATERAL (SELECT key, access, hash FROM configuration_accesses
          WHERE tx_id = configured.tx_id AND state_id = configured.state_id OFFSET 0) mine
        CROSS JOIN LATERAL (SELECT tx_id, access, hash, applied, applied_at FROM configuration_accesses
          WHERE state_id = configured.state_id AND key = mine.key AND tx_id <> configured.tx_id OFFSET 0) other
        JOIN transactions o ON o.id = other.tx_id
        WHERE (mine.access = 'w' OR other.access = 'w')
          AND NOT (mine.access = 'w' AND other.access = 'w' AND mine.hash IS NOT DISTINCT FROM other.hash)
          AND (o.state = 'committing' OR ${APPLIED_SINCE})
      UNION
      SELECT configured.tx_id, other.tx_id FROM configured
        CROSS JOIN LATERAL (SELECT tx_id, applied, applied_at FROM configuration_accesses
          WHERE state_id = configured.state_id AND key = $2::uuid AND tx_id <> configured.tx_id OFFSET 0) other
        JOIN transactions o ON o.id = other.tx_id
        WHERE (o.state = 'committing' OR ${APPLIED_SINCE})
          AND EXISTS (SELECT FROM configuration_accesses WHERE tx_id = configured.tx_id AND state_id = configured.state_id
            AND access = 'r'))
  SELECT tx_id, array_agg(other ORDER BY other) AS others FROM met GROUP BY tx_id`,
};

/** Of transactions that are known to be in the way: nodes that both have, and the states that both have. */
const MEETINGS = `WITH bases AS MATERIALIZED (${BASES}),
    changed AS MATERIALIZED (SELECT c.tx_id, b.state_id, c.key, c.address FROM bases b CROSS JOIN LATERAL (
      SELECT tx_id, key, address FROM state_changes
      WHERE state_id = b.state_id AND version > b.version AND tx_id = ANY($2::uuid[]) OFFSET 0) c)
  SELECT tx_id, state_id, key, address FROM (
    SELECT c.tx_id, c.state_id, c.key, c.address FROM changed c JOIN transaction_nodes mine
        ON mine.tx_id = ($1::uuid[])[1] AND mine.state_id = c.state_id AND mine.key = c.key AND mine.access <> 'd'
    UNION
    SELECT other.tx_id, other.state_id, other.key, other.address FROM transaction_nodes other JOIN transaction_nodes mine
        ON mine.tx_id = ($1::uuid[])[1] AND mine.state_id = other.state_id AND mine.key = other.key AND mine.access <> 'd'
      WHERE other.tx_id = ANY($2::uuid[]) AND other.access <> 'd' AND (mine.access = 'w' OR other.access = 'w')
    UNION
    SELECT other.tx_id, other.state_id, NULL, NULL FROM transaction_states other JOIN transaction_states mine
        ON mine.tx_id = ($1::uuid[])[1] AND mine.state_id = other.state_id WHERE other.tx_id = ANY($2::uuid[])) met
  ORDER BY tx_id, state_id, address LIMIT $3`;

/** The first four of these, for writes that come as parameters. */
const CONFLICTS_OF_WRITES = {
  name: 'conflicts-of-writes',
  text: `WITH mine AS MATERIALIZED (SELECT tx_id, key FROM unnest($4::uuid[], $5::uuid[]) AS r (tx_id, key)),
    bases AS MATERIALIZED (${BASES}),
    changed AS MATERIALIZED (SELECT key, version, tx_id FROM state_changes
      WHERE state_id = $3 AND version > (SELECT min(version) FROM bases)),
    met AS (SELECT mine.tx_id, changed.tx_id AS other FROM mine JOIN bases b ON b.tx_id = mine.tx_id
        JOIN changed ON changed.key = mine.key AND changed.version > b.version AND changed.tx_id <> mine.tx_id
      UNION
      SELECT b.tx_id, changed.tx_id FROM bases b JOIN changed ON changed.key = $2::uuid AND changed.version > b.version
      UNION
      SELECT mine.tx_id, other.tx_id FROM mine CROSS JOIN LATERAL (SELECT tx_id FROM transaction_nodes
          WHERE state_id = $3 AND key = mine.key AND access <> 'd' OFFSET 0) other
        WHERE ${IS_COMMITTING}
      UNION
      SELECT mine.tx_id, other.tx_id FROM (SELECT DISTINCT tx_id FROM mine) mine
        CROSS JOIN (SELECT tx_id FROM transaction_nodes WHERE state_id = $3 AND key = $2::uuid AND access <> 'd') other
        WHERE ${IS_COMMITTING})
  SELECT tx_id, array_agg(other ORDER BY other) AS others FROM met GROUP BY tx_id`,
};

/** Hash of an output's JSON text. */
export function outputHash(text: string): string {
  return hash('sha256', text, 'base64');
}
