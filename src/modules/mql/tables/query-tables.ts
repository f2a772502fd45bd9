import { Injectable } from '@nestjs/common';
import { coreTables } from './core-tables.js';
import { historyTables } from './history-tables.js';
import { instanceTables } from './instance-tables.js';
import type { QueryTable } from './query-table.js';

/**
 * Every table that SQL queries can read. A module adds its own with one call in `onModuleInit`:
 * `constructor(tables: QueryTables) { tables.add([...]) }`; nothing here is edited for that.
 */
@Injectable()
export class QueryTables {
  private readonly tables = new Map<string, QueryTable>();

  constructor() {
    this.add([...coreTables, ...instanceTables, ...historyTables]);
  }

  add(tables: readonly QueryTable[]): void {
    for (const table of tables) {
      if (!/^[a-z][a-z0-9_]*$/.test(table.name)) throw new Error(`"${table.name}" is not a valid table name`);
      if (this.tables.has(table.name)) throw new Error(`two modules bring the table ${table.name}`);
      this.tables.set(table.name, table);
    }
  }

  get all(): ReadonlyMap<string, QueryTable> {
    return this.tables;
  }
}
