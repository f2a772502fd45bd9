import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';

interface OutputRow {
  name: string;
  type: string | null;
  value: string | null;
  sensitive: boolean;
}

/** The outputs of a state's current document. */
@Injectable()
export class OutputQueries {
  constructor(private readonly work: UnitOfWork) {}

  /** JSON text of the list, so that no number loses a digit. The value of a sensitive output is left out. */
  async list(stateId: string): Promise<string> {
    const rows = await this.work.query<OutputRow>(
      `SELECT name, type::text, CASE WHEN NOT sensitive THEN value::text END AS value, sensitive
       FROM outputs WHERE state_id = $1 ORDER BY name COLLATE "C"`,
      [stateId],
    );
    return `[${rows.map(textOf).join(',')}]`;
  }
}

function textOf({ name, type, value, sensitive }: OutputRow): string {
  const shown = sensitive ? '' : `"value":${value ?? 'null'},`;
  return `{"name":${JSON.stringify(name)},"type":${type ?? 'null'},${shown}"sensitive":${sensitive}}`;
}
