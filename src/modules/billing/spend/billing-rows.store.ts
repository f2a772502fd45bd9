import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { from as copyFrom } from 'pg-copy-streams';
import { UnitOfWork } from '../../../platform/database/index.js';
import { GATHERED_COLUMNS } from '../reading/reader-messages.js';

/** Services whose resource ids are plain bucket names: that a line is theirs decides how the id is looked up. */
const BUCKET_SERVICES = `'^(amazon ?s3|amazon simple storage service|s3)$'`;
const COPY_LOAD = String.raw`COPY billing_load (${GATHERED_COLUMNS.join(', ')}) FROM STDIN (FORMAT csv, NULL '\N')`;
const MONTH = /^\d{4}-\d\d-01$/;

export interface LoadedRows {
  sourceId: string;
  tenantId: string;
  /** `YYYY-MM-DD`: rows from here on are replaced */
  from: string;
  /** CSV of `GATHERED_COLUMNS` */
  file: string;
}

/** Tables `billing_rows` and `billed_resources`. */
@Injectable()
export class BillingRows {
  constructor(private readonly work: UnitOfWork) {}

  /**
   * Makes the partitions of these months. In a transaction of its own and before the load: a new partition keeps
   * readers of the table out until the commit.
   */
  async createPartitions(months: readonly string[]): Promise<void> {
    for (const month of months) {
      if (!MONTH.test(month)) throw new Error('a month must look like YYYY-MM-01');
      const name = `billing_rows_${month.slice(0, 4)}_${month.slice(5, 7)}`;
      const [known] = await this.work.query<{ name: string | null }>('SELECT to_regclass($1) AS name', [
        name,
      ]);
      if (known?.name !== null) continue;
      const next = new Date(`${month}T00:00:00Z`);
      next.setUTCMonth(next.getUTCMonth() + 1);
      await this.work.query(
        `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF billing_rows
         FOR VALUES FROM ('${month}') TO ('${next.toISOString().slice(0, 10)}')`,
      );
    }
  }

  /** Replaces the rows of the window; inside of `run`. */
  async replace({ sourceId, tenantId, from, file }: LoadedRows): Promise<void> {
    await this.work.query(
      `CREATE TEMPORARY TABLE billing_load (charge_date date, provider text, account_id text, billing_period text,
         resource_id text, resource_type text, service_name text, region_id text, charge_category text, currency text, tags jsonb,
         billed_whole numeric, billed_fraction numeric, effective_whole numeric, effective_fraction numeric, line_count bigint)
       ON COMMIT DROP`,
    );
    const client = await this.work.client();
    await pipeline(createReadStream(file), client.query(copyFrom(COPY_LOAD)));
    await this.work.query('DELETE FROM billing_rows WHERE source_id = $1 AND charge_date >= $2', [
      sourceId,
      from,
    ]);
    await this.work.query(
      `INSERT INTO billing_rows (source_id, tenant_id, provider, account_id, charge_date, billing_period, resource_id, resource_type,
         service_name, region_id, charge_category, currency, billed_cost, effective_cost, line_count, tags)
       SELECT $1, $2, provider, account_id, charge_date, coalesce(nullif(billing_period, ''), to_char(charge_date, 'YYYY-MM')),
         resource_id, resource_type, service_name, region_id, charge_category, currency,
         trim_scale(billed_whole + billed_fraction), trim_scale(effective_whole + effective_fraction), line_count, tags
       FROM billing_load`,
      [sourceId, tenantId],
    );
  }

  /** Makes the sums by resource again. Matches of resources that are still billed stay. */
  async sumUp(sourceId: string): Promise<void> {
    await this.work.query(
      `INSERT INTO billed_resources AS b (source_id, tenant_id, provider, resource_id, currency, billed_cost, line_count, first_date,
         last_date, region_id, resource_type, service_name, summed_at)
       SELECT source_id, tenant_id, provider, resource_id, currency, sum(billed_cost), sum(line_count), min(charge_date),
         max(charge_date), max(region_id), max(resource_type),
         coalesce(min(service_name) FILTER (WHERE service_name ~* ${BUCKET_SERVICES}), max(service_name)), now()
       FROM billing_rows WHERE source_id = $1 GROUP BY source_id, tenant_id, provider, resource_id, currency
       ON CONFLICT (source_id, provider, currency, resource_hash) DO UPDATE SET
         billed_cost = excluded.billed_cost, line_count = excluded.line_count, first_date = excluded.first_date,
         last_date = excluded.last_date, region_id = excluded.region_id, resource_type = excluded.resource_type,
         service_name = excluded.service_name, summed_at = excluded.summed_at`,
      [sourceId],
    );
    await this.work.query('DELETE FROM billed_resources WHERE source_id = $1 AND summed_at <> now()', [
      sourceId,
    ]);
  }
}
