import { RowSpool } from './row-spool.js';

/**
 * A row as JSON text, and the values it is ordered by, then `true` or `false`: whether the row before has them too; null
 * when a page cannot begin at such values.
 */
export interface QueryRow {
  row: string;
  keys: (string | null)[] | null;
}

/** One page of rows, gathered as they come from the database. */
export class QueryPage {
  readonly rows = new RowSpool();
  /** rows shown */
  count = 0;
  /** a row came beyond those of the page */
  more = false;
  /** values the last row is ordered by, and how many rows at the end of the page have them */
  lastKeys: (string | null)[] | undefined;
  ties = 0;

  constructor(private readonly limit: number) {}

  /** Takes all rows; whoever made the page disposes of them. */
  async fill(rows: AsyncIterable<QueryRow> | readonly QueryRow[]): Promise<void> {
    for await (const row of rows) await this.add(row);
    await this.rows.complete();
  }

  private async add({ row, keys }: QueryRow): Promise<void> {
    if (this.count === this.limit) {
      this.more = true;
      return;
    }
    this.ties = keys?.at(-1) === 'true' ? this.ties + 1 : 1;
    this.lastKeys = keys?.slice(0, -1);
    this.count++;
    await this.rows.add(row);
  }
}
