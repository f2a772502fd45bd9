import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { OutputRow } from '../../documents/index.js';
import { distinctiveValues } from './remote-state.rules.js';

/** Above this many instances a value is looked for in the attributes that carry identifiers only. */
const SMALL_STATE = 5000;
const IDENTIFIED = `SELECT i.attributes ->> n AS value FROM unnest('{id,arn,self_link,url,endpoint,dns_name}'::text[]) n`;
const ANY_ATTRIBUTE = 'SELECT e.value FROM jsonb_each_text(i.attributes) e';
/** A value that more instances carry says nothing about its origin. */
const MOST_CARRIERS = 5;

/**
 * Which instances of a state its outputs come from, told by value. A state that reads the outputs finds its producers
 * here by the values it has read, so that no write ever touches rows of another state.
 */
@Injectable()
export class OutputSources {
  constructor(private readonly work: UnitOfWork) {}

  /**
   * @param outputs the complete list, or undefined when none changed
   * @param removed keys of the instances that are gone
   * @returns keys of all instances that feed an output, or undefined when nothing changed
   */
  async update(
    stateId: string,
    outputs: readonly OutputRow[] | undefined,
    removed: readonly string[],
  ): Promise<string[] | undefined> {
    if (!outputs && removed.length === 0) return undefined;
    const known = await this.work.query<{ value: string; keys: string[] }>(
      'SELECT value, keys FROM output_sources WHERE state_id = $1',
      [stateId],
    );
    const gone = new Set(removed);
    const values = outputs ? valuesOf(outputs) : known.map((row) => row.value);
    const sound = new Map(
      known.filter((row) => !row.keys.some((key) => gone.has(key))).map((row) => [row.value, row.keys]),
    );
    const unknown = values.filter((value) => !sound.has(value));
    if (unknown.length === 0 && values.length === known.length) return undefined;
    const found = await this.carriers(stateId, unknown);
    const stale = known
      .map((row) => row.value)
      .filter((value) => !sound.has(value) || !values.includes(value));
    if (stale.length > 0)
      await this.work.query('DELETE FROM output_sources WHERE state_id = $1 AND value = ANY($2::text[])', [
        stateId,
        stale,
      ]);
    if (unknown.length > 0)
      await this.work.query(
        `INSERT INTO output_sources (state_id, value, keys)
         SELECT $1, v, ARRAY(SELECT jsonb_array_elements_text(k::jsonb)::uuid) FROM unnest($2::text[], $3::text[]) AS o (v, k)`,
        [stateId, unknown, unknown.map((value) => JSON.stringify(found.get(value) ?? []))],
      );
    return [...new Set(values.flatMap((value) => sound.get(value) ?? found.get(value) ?? []))];
  }

  private async carriers(stateId: string, values: readonly string[]): Promise<Map<string, string[]>> {
    if (values.length === 0) return new Map();
    const exact = await this.search(stateId, values, IDENTIFIED);
    const rest = values.filter((value) => !exact.has(value));
    if (rest.length === 0 || !(await this.isSmall(stateId))) return exact;
    return new Map([...exact, ...(await this.search(stateId, rest, ANY_ATTRIBUTE))]);
  }

  private async isSmall(stateId: string): Promise<boolean> {
    const rows = await this.work.query('SELECT 1 FROM instances WHERE state_id = $1 LIMIT $2', [
      stateId,
      SMALL_STATE,
    ]);
    return rows.length < SMALL_STATE;
  }

  private async search(
    stateId: string,
    values: readonly string[],
    carried: string,
  ): Promise<Map<string, string[]>> {
    const rows = await this.work.query<{ value: string; keys: string[] }>(
      `SELECT c.value, array_agg(DISTINCT i.key) AS keys FROM instances i, LATERAL (${carried}) c
       WHERE i.state_id = $1 AND i.deposed IS NULL AND c.value = ANY($2)
       GROUP BY c.value HAVING count(DISTINCT i.key) <= $3`,
      [stateId, values, MOST_CARRIERS],
    );
    return new Map(rows.map((row) => [row.value, row.keys]));
  }
}

function valuesOf(outputs: readonly OutputRow[]): string[] {
  const open = outputs.filter((output) => !output.sensitive);
  return distinctiveValues(open.map((output): unknown => JSON.parse(output.value)));
}
