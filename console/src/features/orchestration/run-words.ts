import type { WorkManifestView } from '../../platform/client';

/** What a run belongs to: its pull request, drift detection or the index of modules. */
export function originOf({ kind }: Pick<WorkManifestView, 'kind'>): string {
  if (typeof kind === 'string') return kind === 'drift' ? 'Drift detection' : 'Index of modules';
  const title = kind.pull_request_title;
  return title === undefined ? `#${kind.pull_number}` : `#${kind.pull_number} ${title}`;
}

/** One state for a run: a completed run has failed or succeeded. */
export function outcomeOf({ state, failed }: Pick<WorkManifestView, 'state' | 'failed'>): string {
  if (state !== 'completed') return state;
  return failed ? 'failure' : 'success';
}

/** Text of a step, as people read it; what has no text is shown as JSON. */
export function textOfPayload(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null) return '';
  const { plan, text, ...rest } = payload as Record<string, unknown>;
  if (typeof plan === 'string' && plan !== '') return plan;
  if (typeof text === 'string' && text !== '') return text;
  return Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2);
}
