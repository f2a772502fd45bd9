import { type StateView, tenantStatesImport, type TenantStatesImportData } from '@infrastate/sdk';
import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { Context } from '../context/context.js';
import { Failure } from '../failure.js';
import { answer } from '../service/api-client.js';

export interface StateToImport {
  name: string;
  group_id?: string;
  workspace?: string;
  tags?: Record<string, unknown>;
}

/** Sends the document in a file, or on stdin for `-`, without holding it in memory. */
export async function importState(context: Context, state: StateToImport, file: string): Promise<StateView> {
  const tenantId = await context.tenantId();
  const fromStdin = file === '-';
  const size = fromStdin ? undefined : sizeOf(file);
  const [before, after] = [Buffer.from(`${JSON.stringify(state).slice(0, -1)},"state":`), Buffer.from('}')];
  const document = fromStdin ? context.streams.stdin : createReadStream(file);
  // The description knows an object; what is sent are the bytes it consists of.
  const body: unknown = Readable.toWeb(Readable.from(joined(before, document, after)));
  return answer(
    tenantStatesImport({
      client: context.api(),
      path: { tenantId },
      body: body as TenantStatesImportData['body'],
      bodySerializer: null,
      headers: size === undefined ? {} : { 'Content-Length': String(before.length + size + after.length) },
    }),
  );
}

async function* joined(before: Buffer, document: Readable, after: Buffer): AsyncGenerator<Buffer> {
  yield before;
  yield* document as AsyncIterable<Buffer>;
  yield after;
}

function sizeOf(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw new Failure('FILE_UNREADABLE', `${file} is no file`);
  if (stat.size === 0) throw new Failure('FILE_UNREADABLE', `${file} is empty`);
  return stat.size;
}
