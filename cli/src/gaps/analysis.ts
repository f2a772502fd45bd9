import { setTimeout as delay } from 'node:timers/promises';
import {
  gapsAnalyze,
  type GapAnalysisView,
  type GapPendingView,
  type GapResourceView,
  tasksGet,
} from '@infrastate/sdk';
import type { Context } from '../context/context.js';
import { Failure } from '../failure.js';
import { table } from '../output/table.rules.js';
import { answer } from '../service/api-client.js';
import { providerOf, type ProviderOptions } from './provider.js';

export interface AnalyzeOptions extends ProviderOptions {
  refresh?: boolean;
  region?: string;
  type?: string;
}

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
const GROWTH = 1.5;

/** The result, after the scan that it needs. */
export async function analyzed(context: Context, options: AnalyzeOptions): Promise<GapAnalysisView> {
  const provider = providerOf(options);
  const tenantId = await context.tenantId();
  const ask = (source: 'cache' | 'no-cache'): Promise<GapAnalysisView | GapPendingView> =>
    answer<GapAnalysisView | GapPendingView>(
      gapsAnalyze({ client: context.api(), path: { tenantId }, query: { provider, source } }),
    );
  let found = await ask(options.refresh === true ? 'no-cache' : 'cache');
  let shown = '';
  for (let pause = FIRST_PAUSE_MS; 'status' in found; pause = Math.min(pause * GROWTH, MAX_PAUSE_MS)) {
    if (found.status === 'failed') throw failureOf(found);
    const progress = await progressOf(context, found.task_id);
    if (progress.text !== shown) context.output.printNote(progress.text);
    shown = progress.text;
    if (!progress.hasEnded) await delay(pause);
    // The task has ended: what is stored now is its result, so nothing is scanned twice.
    found = await ask(progress.hasEnded ? 'cache' : options.refresh === true ? 'no-cache' : 'cache');
  }
  if (found.error)
    context.output.printNote(
      `the last scan failed: ${found.error.message}; this is the result of an older one`,
    );
  return found;
}

async function progressOf(
  context: Context,
  taskId: string | undefined,
): Promise<{ text: string; hasEnded: boolean }> {
  if (taskId === undefined) return { text: 'scanning…', hasEnded: false };
  const task = await answer(tasksGet({ client: context.api(), path: { taskId } }));
  const hasEnded = task.state !== 'pending' && task.state !== 'running';
  const message = task.progress?.message;
  return { text: message ? `scanning: ${message}` : 'scanning…', hasEnded };
}

function failureOf({ error }: GapPendingView): Failure {
  const detail = [error?.action, error?.cloud_code].filter((text) => text !== undefined).join(', ');
  return new Failure(
    error?.code ?? 'SCAN_FAILED',
    `the scan failed: ${error?.message ?? 'unknown'}${detail === '' ? '' : ` (${detail})`}`,
    'run infrastate gaps config to see what is missing',
  );
}

/** Those that the options ask for. */
export function chosen(
  resources: readonly GapResourceView[],
  { region, type }: AnalyzeOptions,
): GapResourceView[] {
  const form =
    type === undefined ? undefined : new RegExp(`^${type.split('*').map(literal).join('.*')}$`, 'i');
  return resources.filter(
    (resource) =>
      (region === undefined || resource.region === region) && (form?.test(resource.resource_type) ?? true),
  );
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** A table for each service, and a line of totals. */
export function grouped(
  { summary }: GapAnalysisView,
  resources: readonly GapResourceView[],
  width: number | undefined,
): string {
  const byService = new Map<string, GapResourceView[]>();
  for (const resource of resources)
    byService.set(resource.service, [...(byService.get(resource.service) ?? []), resource]);
  const parts = [...byService].map(([service, rows]) => {
    const cells = rows.map((row) => [
      row.resource_type,
      row.region ?? 'global',
      row.supported ? 'yes' : 'no',
      row.arn ?? row.id ?? '',
    ]);
    return `${service} (${rows.length})\n${table(['TYPE', 'REGION', 'IMPORT', 'ID'], cells, width)}`;
  });
  const { total_cloud_resources: total, unmanaged, phantom_filtered: phantoms } = summary;
  const managed = total - unmanaged - phantoms;
  return [
    ...parts,
    `${total} resources: ${managed} managed, ${unmanaged} unmanaged, ${phantoms} made by the cloud`,
  ].join('\n\n');
}
