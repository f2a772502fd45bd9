import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { layoutOf } from './billing-layout.rules.js';
import type { Layout } from './column-names.rules.js';
import { readCsvHeader } from './csv-header.js';
import { LINE_PROBLEMS } from './line-problems.rules.js';
import { parquetRows } from './parquet-rows.js';
import { plainLine, wholeAndFraction } from './plain-lines.rules.js';
import { FileProblem, MAX_LINE_BYTES, type ReaderEngine, type ReaderRequest } from './reader-messages.js';

type ReadRequest = Extract<ReaderRequest, { do: 'read' }>;
type Cells = readonly (string | undefined)[];

interface Sum {
  keys: readonly string[];
  billed: bigint;
  effective: bigint;
  lines: number;
}

/** Reads without native code, for platforms that DuckDB has no package for: the same results, several times slower. */
export class PlainEngine implements ReaderEngine {
  private readonly sums = new Map<string, Sum>();

  async read(request: ReadRequest): Promise<number> {
    if (request.kind === 'parquet') {
      const { names, rows } = await parquetRows(request.file);
      return this.addAll(rows, { layout: neededLayout(names), request, firstLine: 1 });
    }
    const names = await readCsvHeader(request.file);
    const parser = createReadStream(request.file).pipe(
      parse({ bom: true, fromLine: 1, columns: false, max_record_size: MAX_LINE_BYTES }),
    );
    return this.addAll(withoutHeader(parser), { layout: neededLayout(names), request, firstLine: 2 });
  }

  async write(file: string): Promise<{ rows: number; months: string[] }> {
    const months = new Set<string>();
    const lines = function* (sums: Iterable<Sum>): Generator<string> {
      for (const { keys, billed, effective, lines: count } of sums) {
        months.add(`${keys[0]?.slice(0, 7)}-01`);
        const values = [...keys, ...wholeAndFraction(billed), ...wholeAndFraction(effective), String(count)];
        yield `${values.map((value) => `"${value.replaceAll('"', '""')}"`).join(',')}\n`;
      }
    };
    await pipeline(Readable.from(lines(this.sums.values())), createWriteStream(file));
    return { rows: this.sums.size, months: [...months].sort() };
  }

  private async addAll(
    rows: AsyncIterable<Cells>,
    { layout, request, firstLine }: { layout: Layout; request: ReadRequest; firstLine: number },
  ): Promise<number> {
    let [number, taken] = [firstLine, 0];
    try {
      for await (const cells of rows) {
        const line = plainLine((column) => cells[column], layout, request);
        if (typeof line === 'number') throw new FileProblem(`line ${number}: ${LINE_PROBLEMS[line]}`);
        number += 1;
        if ((line.keys[0] ?? '') < request.from) continue;
        taken += 1;
        this.add(line.keys, line.billed, line.effective);
      }
    } catch (error) {
      if (error instanceof FileProblem) throw error;
      const at = (error as { lines?: unknown }).lines;
      throw new FileProblem(
        typeof at === 'number' ? `line ${at}: it is not a CSV record` : 'the file could not be read',
      );
    }
    return taken;
  }

  private add(keys: readonly string[], billed: bigint, effective: bigint): void {
    const key = JSON.stringify(keys);
    const sum = this.sums.get(key);
    if (sum) {
      sum.billed += billed;
      sum.effective += effective;
      sum.lines += 1;
    } else this.sums.set(key, { keys, billed, effective, lines: 1 });
  }
}

async function* withoutHeader(rows: AsyncIterable<unknown>): AsyncGenerator<Cells> {
  let isHeader = true;
  for await (const row of rows) {
    if (!isHeader) yield row as Cells;
    isHeader = false;
  }
}

function neededLayout(names: readonly string[]): Layout {
  const layout = layoutOf(names);
  if ('missing' in layout) throw new FileProblem(`the file has no column ${layout.missing}`);
  return layout;
}
