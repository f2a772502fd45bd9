import {
  type FileMetaData,
  type SchemaElement,
  asyncBufferFromFile,
  parquetMetadataAsync,
  parquetReadObjects,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { requireParquetFooter } from './parquet-footer.js';
import { FileProblem, MAX_COLUMNS } from './reader-messages.js';

const ROWS_PER_BATCH = 10_000;

/** Columns and rows of a Parquet file as texts; maps and structures as JSON. Decimals keep every digit. */
export async function parquetRows(
  path: string,
): Promise<{ names: string[]; rows: AsyncGenerator<(string | undefined)[]> }> {
  await requireParquetFooter(path);
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file).catch(() => {
    throw new FileProblem('the file is not a whole Parquet file');
  });
  const columns = topLevel(metadata.schema);
  if (columns.length > MAX_COLUMNS) throw new FileProblem(`the file has more than ${MAX_COLUMNS} columns`);
  const decimals = new Map(
    columns.flatMap((element) => (isDecimal(element) ? [[element.name, element.scale ?? 0] as const] : [])),
  );
  return {
    names: columns.map(({ name }) => name),
    rows: rowsOf(file, withoutDecimals(metadata), { columns, decimals }),
  };
}

async function* rowsOf(
  file: Awaited<ReturnType<typeof asyncBufferFromFile>>,
  metadata: FileMetaData,
  { columns, decimals }: { columns: SchemaElement[]; decimals: ReadonlyMap<string, number> },
): AsyncGenerator<(string | undefined)[]> {
  const count = Number(metadata.num_rows);
  for (let start = 0; start < count; start += ROWS_PER_BATCH) {
    const rows = (await parquetReadObjects({
      file,
      metadata,
      compressors,
      utf8: true,
      rowStart: start,
      rowEnd: Math.min(start + ROWS_PER_BATCH, count),
    })) as Record<string, unknown>[];
    for (const row of rows)
      yield columns.map(({ name }) => {
        const scale = decimals.get(name);
        return scale === undefined ? textOf(row[name]) : decimalText(row[name], scale);
      });
  }
}

/** The library turns decimals into floats; as plain integers or bytes they keep their digits. */
function withoutDecimals(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map((element) => {
    if (!isDecimal(element)) return element;
    const { converted_type: _converted, logical_type: _logical, ...plain } = element;
    return plain;
  });
  return { ...metadata, schema };
}

function isDecimal({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  return converted === 'DECIMAL' || logical?.type === 'DECIMAL';
}

function topLevel([root, ...elements]: readonly SchemaElement[]): SchemaElement[] {
  const found: SchemaElement[] = [];
  let at = 0;
  const skip = (): void => {
    const children = elements[at]?.num_children ?? 0;
    at += 1;
    for (let child = 0; child < children && at < elements.length; child++) skip();
  };
  for (let child = 0; child < (root?.num_children ?? 0) && at < elements.length; child++) {
    const element = elements[at];
    if (element) found.push(element);
    skip();
  }
  return found;
}

function decimalText(value: unknown, scale: number): string | undefined {
  if (value === null || value === undefined) return undefined;
  const unscaled = value instanceof Uint8Array ? signedOf(value) : BigInt(value as number | bigint);
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${unscaled < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
}

/** Two's complement, most significant byte first. */
function signedOf(bytes: Uint8Array): bigint {
  const size = BigInt(bytes.length * 8);
  const value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return BigInt.asIntN(Number(size), value);
}

function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (typeof value === 'object') return JSON.stringify(objectOf(value));
  return typeof value === 'bigint' || typeof value === 'number' ? value.toString() : JSON.stringify(value);
}

/** Maps arrive as lists of `{key, value}`. */
function objectOf(value: object): unknown {
  if (!Array.isArray(value)) return value;
  const entries = value as { key?: unknown; value?: unknown }[];
  return Object.fromEntries(entries.map(({ key, value: of }) => [String(key), of]));
}
