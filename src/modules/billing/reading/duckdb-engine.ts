import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { layoutOf } from './billing-layout.rules.js';
import type { Layout } from './column-names.rules.js';
import { readCsvHeader } from './csv-header.js';
import {
  CREATE_GATHERED,
  gatherStatement,
  type LineSource,
  problemStatement,
  quoted,
  quotedName,
  writeStatement,
} from './duckdb-statements.rules.js';
import { isLineProblem, LINE_PROBLEMS } from './line-problems.rules.js';
import { requireParquetFooter } from './parquet-footer.js';
import {
  FileProblem,
  MAX_COLUMNS,
  MAX_LINE_BYTES,
  type ReaderEngine,
  type ReaderRequest,
  type ReaderStart,
} from './reader-messages.js';

type ReadRequest = Extract<ReaderRequest, { do: 'read' }>;

/** DuckDB's share of the reader's memory; the rest is the process and what DuckDB does not count. */
const DATABASE_SHARE = 0.5;

interface OpenedFile {
  layout: Layout;
  parallel: LineSource;
  /** lines in order, numbered as `n` */
  ordered: LineSource;
  /** number in the file of the line with `n` = 1 */
  firstLine: number;
}

/** Reads with DuckDB, which may touch nothing but the folder, load no extension and change no setting. */
export class DuckDbEngine implements ReaderEngine {
  private constructor(private readonly connection: DuckDBConnection) {}

  static async start({ folder, memoryBytes }: ReaderStart): Promise<DuckDbEngine> {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const megabytes = Math.max(64, Math.floor((memoryBytes * DATABASE_SHARE) / 2 ** 20));
    const instance = await DuckDBInstance.create(':memory:', {
      threads: '2',
      memory_limit: `${megabytes}MB`,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    });
    const connection = await instance.connect();
    for (const setting of [
      `TimeZone = 'UTC'`,
      `preserve_insertion_order = false`,
      `temp_directory = ${quoted(join(folder, 'spill'))}`,
      `allowed_directories = [${quoted(`${folder}/`)}]`,
      `enable_external_access = false`,
      `lock_configuration = true`,
    ])
      await connection.run(`SET ${setting}`);
    await connection.run(CREATE_GATHERED);
    return new DuckDbEngine(connection);
  }

  async read(request: ReadRequest): Promise<number> {
    const opened =
      request.kind === 'csv' ? await this.openCsv(request.file) : await this.openParquet(request.file);
    const lines = await this.count();
    await this.run(gatherStatement(opened.parallel, opened.layout, request));
    const [bad] = await this.rows(`SELECT problem FROM gathered WHERE problem > 0 LIMIT 1`);
    if (bad) await this.refuseLine(opened, request);
    return (await this.count()) - lines;
  }

  async write(file: string): Promise<{ rows: number; months: string[] }> {
    const written = await this.run(writeStatement(file));
    const months = await this.rows(
      `SELECT DISTINCT strftime(charge_date, '%Y-%m-01') AS month FROM gathered`,
    );
    return { rows: written.rowsChanged, months: months.map(([month]) => String(month)).sort() };
  }

  private async openCsv(file: string): Promise<OpenedFile> {
    const names = await readCsvHeader(file);
    const columns = names.map((_, position) => `'c${position}': 'VARCHAR'`).join(', ');
    const options = `auto_detect = false, header = true, delim = ',', quote = '"', escape = '"', compression = 'none',
      max_line_size = ${MAX_LINE_BYTES}, columns = {${columns}}`;
    const from = (more: string) => `read_csv(${quoted(file)}, ${options}${more})`;
    const text = (column: number) => `c${column}`;
    return {
      layout: neededLayout(names),
      parallel: { from: from(''), text, json: text },
      ordered: {
        from: `(SELECT *, row_number() OVER () AS n FROM ${from(', parallel = false')})`,
        text,
        json: text,
      },
      firstLine: 2,
    };
  }

  private async openParquet(file: string): Promise<OpenedFile> {
    await requireParquetFooter(file);
    const table = `read_parquet(${quoted(file)})`;
    const described = await this.rows(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${table})`,
    );
    if (described.length > MAX_COLUMNS)
      throw new FileProblem(`the file has more than ${MAX_COLUMNS} columns`);
    const names = described.map(([name]) => String(name));
    const text = (column: number) => `CAST(${quotedName(names[column] ?? '')} AS VARCHAR)`;
    const json = (column: number) =>
      described[column]?.[1] === 'VARCHAR' || described[column]?.[1] === 'JSON'
        ? text(column)
        : `CAST(to_json(${quotedName(names[column] ?? '')}) AS VARCHAR)`;
    return {
      layout: neededLayout(names),
      parallel: { from: table, text, json },
      ordered: {
        from: `(SELECT *, file_row_number + 1 AS n FROM read_parquet(${quoted(file)}, file_row_number = true))`,
        text,
        json,
      },
      firstLine: 1,
    };
  }

  private async refuseLine({ ordered, layout, firstLine }: OpenedFile, request: ReadRequest): Promise<never> {
    const [[problem, n] = []] = await this.rows(problemStatement(ordered, layout, request));
    const number = Number(problem);
    throw new FileProblem(
      isLineProblem(number)
        ? `line ${Number(n) + firstLine - 1}: ${LINE_PROBLEMS[number]}`
        : 'a line could not be read',
    );
  }

  private async count(): Promise<number> {
    const [[lines] = []] = await this.rows(`SELECT coalesce(sum(lines), 0) FROM gathered`);
    return Number(lines);
  }

  private async rows(statement: string): Promise<unknown[][]> {
    try {
      return (await this.connection.runAndReadAll(statement)).getRowsJson();
    } catch (error) {
      throw problemOf(error);
    }
  }

  private async run(statement: string): Promise<{ rowsChanged: number }> {
    try {
      return await this.connection.run(statement);
    } catch (error) {
      throw problemOf(error);
    }
  }
}

function neededLayout(names: readonly string[]): Layout {
  const layout = layoutOf(names);
  if ('missing' in layout) throw new FileProblem(`the file has no column ${layout.missing}`);
  return layout;
}

/** DuckDB's messages quote lines of the file, so only the kind and the number of the line are taken from them. */
function problemOf(error: unknown): FileProblem {
  const { message } = error as { message: string };
  const line = /CSV Error on Line: (\d+)/.exec(message)?.[1];
  if (line !== undefined) {
    const what = /Expected Number of Columns/.test(message)
      ? 'it has more or fewer columns than the header'
      : /unterminated quote/i.test(message)
        ? 'it has a quote that is not closed'
        : /Maximum line size/i.test(message)
          ? 'it is too long'
          : /unicode|utf-8/i.test(message)
            ? 'it is not UTF-8'
            : 'it is not a CSV record';
    return new FileProblem(`line ${line}: ${what}`);
  }
  if (/Out of Memory|failed to allocate/i.test(message))
    return new FileProblem('the file needs too much memory');
  if (/overflow|out of range/i.test(message)) return new FileProblem('the sums are too large');
  return new FileProblem('the file could not be read');
}
