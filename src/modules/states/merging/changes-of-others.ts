import type { UnitOfWork } from '../../../platform/database/index.js';

/** What somebody committed to one instance, output or check result; one row may stand for everything. */
export interface OthersChange {
  key: string;
  tx_id: string;
}

interface LoggedChange extends OthersChange {
  run_id: string;
  /** the last one */
  version: number;
}

/** The change log of a state, read once as far back as one decision looks. */
export class ChangesOfOthers {
  private since = Number.POSITIVE_INFINITY;
  private changes: LoggedChange[] = [];

  constructor(
    private readonly work: UnitOfWork,
    private readonly stateId: string,
  ) {}

  /** Before several questions: the oldest version that one of them is about. */
  async readSince(version: number): Promise<void> {
    if (version >= this.since) return;
    this.changes = await this.work.query<LoggedChange>(
      `SELECT key, tx_id, run_id, max(version) AS version FROM state_changes WHERE state_id = $1 AND version > $2 GROUP BY key, tx_id, run_id`,
      [this.stateId, version],
    );
    this.since = version;
  }

  /** Everything committed after a version, but for what a run wrote itself. */
  async after(version: number, ownRun: string | undefined): Promise<OthersChange[]> {
    await this.readSince(version);
    return this.changes.filter((change) => change.version > version && change.run_id !== ownRun);
  }
}
