import type { HoldReason } from '../dto/overview.dto.js';

/** The run behind a hold `h`, as `a (work_manifest_id, state)`: the newest apply of its pull request, or what reconciles drift. */
export const HOLDING_RUN = `
    LEFT JOIN LATERAL (
      SELECT d.work_manifest_id, d.state FROM work_manifest_dirspaces d
       WHERE d.repository_id = h.repository_id AND d.dir = h.dir AND d.workspace = h.workspace AND d.run_type = 'apply'
         AND (d.pull_number = h.pull_number OR h.pull_number IS NULL AND d.work_manifest_id = h.work_manifest_id)
       ORDER BY d.created_at DESC LIMIT 1) a ON true`;

/** @param state of the directory in that run */
export function holdReason(state: string | null): HoldReason {
  if (state === 'queued' || state === 'running') return 'applying';
  return state === 'success' ? 'applied' : 'failed';
}
