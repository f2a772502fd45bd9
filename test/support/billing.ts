import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestBackend } from './backend.js';
import { eventually } from './estate.js';
import { type RunningService, startService } from './service.js';

/** A line of a bill, by the columns of FOCUS. */
export type FocusLine = Readonly<Record<string, string>>;

const THIS_MONTH = new Date().toISOString().slice(0, 7);

/** A usage line of this month. */
export function aLine(values: FocusLine = {}): FocusLine {
  return {
    BilledCost: '1.00',
    BillingCurrency: 'USD',
    ChargePeriodStart: `${THIS_MONTH}-01T00:00:00Z`,
    ResourceId: `i-${randomUUID().replaceAll('-', '').slice(0, 17)}`,
    ChargeCategory: 'Usage',
    ProviderName: 'AWS',
    ServiceName: 'Amazon Elastic Compute Cloud',
    ...values,
  };
}

/** CSV with a column for every name of the lines. */
export function focusCsv(lines: readonly FocusLine[]): string {
  const names = [...new Set(lines.flatMap((line) => Object.keys(line)))];
  return csvOf([names, ...lines.map((line) => names.map((name) => line[name] ?? ''))]);
}

export function csvOf(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
}

/** A folder that `file://` sources lie below. */
export class BillFolder {
  private constructor(readonly root: string) {}

  static async create(): Promise<BillFolder> {
    return new BillFolder(await mkdtemp(join(tmpdir(), 'bills-')));
  }

  /** Answers the address of the file. */
  async write(path: string, content: string | Buffer): Promise<string> {
    const file = join(this.root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    return `file://${file}`;
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

export interface Source {
  id: string;
  last_status?: string;
  last_error?: string;
  last_row_count?: number;
  last_synced_at?: string;
  [more: string]: unknown;
}

/** The API and a worker with costs switched on, and a folder for bills. */
export class BillingEstate {
  private constructor(
    readonly backend: TestBackend,
    readonly worker: RunningService,
    readonly folder: BillFolder,
  ) {}

  static async create(
    start: (env: Record<string, string>) => Promise<TestBackend>,
    env: Record<string, string> = {},
  ): Promise<BillingEstate> {
    const folder = await BillFolder.create();
    const settings = {
      SERVICE_COST_ENABLED: 'true',
      SERVICE_COST_PORT: '0',
      SERVICE_BILLING_FILE_ROOT: folder.root,
      SERVICE_BILLING_SYNC_HOURS: '0',
      ...env,
    };
    const backend = await start(settings);
    const worker = await startService({ role: 'worker', database: backend.service.database, env: settings });
    return new BillingEstate(backend, worker, folder);
  }

  async stop(): Promise<void> {
    await this.worker.stop();
    await this.backend.stop();
    await this.folder.remove();
  }

  async api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.backend.api(method, path, body === undefined ? {} : { body });
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.bytes.toString()}`);
    return (answer.bytes.length === 0 ? undefined : answer.json()) as T;
  }

  async aSource(tenantId: string, uri: string, more: Record<string, unknown> = {}): Promise<Source> {
    const body = { provider: 'aws', source_uri: uri, ...more };
    return this.api<Source>('POST', `/tenants/${tenantId}/billing-sources`, body);
  }

  async source(tenantId: string, id: string): Promise<Source> {
    const { results } = await this.api<{ results: Source[] }>('GET', `/tenants/${tenantId}/billing-sources`);
    const found = results.find((source) => source.id === id);
    if (!found) throw new Error('the source is gone');
    return found;
  }

  /** Syncs, waits for the end of the task, and answers the source and the task. */
  async sync(
    tenantId: string,
    id: string,
    body: Record<string, unknown> = {},
  ): Promise<Source & { task: { state: string; error?: string } }> {
    const { task } = await this.api<{ task: { id: string } }>(
      'POST',
      `/tenants/${tenantId}/billing-sources/${id}/sync`,
      body,
    );
    const ended = await eventually('the sync', async () => {
      const now = await this.api<{ state: string; error?: string }>('GET', `/tasks/${task.id}`);
      return ['completed', 'failed', 'aborted'].includes(now.state) ? now : undefined;
    });
    return { ...(await this.source(tenantId, id)), task: ended };
  }

  /** A tenant with one source of this file, synced. */
  async loaded(content: string | Buffer, { name = 'bill.csv', provider = 'aws' } = {}) {
    const tenantId = await this.backend.aTenant();
    const uri = await this.folder.write(`${tenantId}/${name}`, content);
    const { id } = await this.aSource(tenantId, uri, { provider });
    return { tenantId, source: await this.sync(tenantId, id) };
  }
}
