import type { DirspaceView, StepOutputView, WorkManifestView } from '../dto/work-manifest.dto.js';

/** Columns that dirspaces and work manifests share, as the lists select them. */
export const RUN_COLUMNS = `m.id, m.base_branch, m.base_ref, m.branch, m.branch_ref, m.created_at, m.completed_at, m.environment,
  m.kind, m.pull_number, m.pull_title, m.owner, m.repo, m.run_id, m.run_type, m.tag_query, m.username`;

export interface RunRow {
  id: string;
  base_branch: string;
  base_ref: string;
  branch: string;
  branch_ref: string;
  created_at: Date;
  completed_at: Date | null;
  environment: string | null;
  kind: string;
  pull_number: number | null;
  pull_title: string | null;
  owner: string;
  repo: string;
  run_id: string | null;
  run_type: string;
  tag_query: string;
  username: string | null;
}

export interface DirspaceRow extends RunRow {
  dir: string;
  workspace: string;
  dirspace_state: string;
}

export interface WorkManifestRow extends RunRow {
  repo_id: string;
  state: string;
  failed: boolean;
  error_id: string | null;
  error_data: string | null;
  dirspaces: { dir: string; workspace: string; success: boolean | null }[];
}

export interface OutputRow {
  idx: number;
  created_at: Date;
  step: string;
  state: string;
  ignore_errors: boolean;
  scope: string;
  dir: string | null;
  workspace: string | null;
  flow: string | null;
  subflow: string | null;
  payload?: unknown;
}

type RunFields = Omit<DirspaceView, 'dir' | 'workspace' | 'state'>;

function toRunFields(row: RunRow): RunFields {
  return {
    id: row.id,
    base_branch: row.base_branch,
    base_ref: row.base_ref,
    branch: row.branch,
    branch_ref: row.branch_ref,
    created_at: row.created_at.toISOString(),
    ...(row.completed_at ? { completed_at: row.completed_at.toISOString() } : {}),
    ...(row.environment === null ? {} : { environment: row.environment }),
    kind: kindOf(row),
    owner: row.owner,
    repo: row.repo,
    ...(row.run_id === null ? {} : { run_id: row.run_id }),
    run_type: row.run_type,
    tag_query: row.tag_query,
    ...(row.username === null ? {} : { user: row.username }),
  };
}

function kindOf({ kind, pull_number, pull_title }: RunRow): unknown {
  if (kind !== 'pull_request') return kind;
  return { pull_number, ...(pull_title === null ? {} : { pull_request_title: pull_title }) };
}

export function toDirspaceView(row: DirspaceRow): DirspaceView {
  return { ...toRunFields(row), dir: row.dir, workspace: row.workspace, state: row.dirspace_state };
}

export function toWorkManifestView(row: WorkManifestRow): WorkManifestView {
  return {
    ...toRunFields(row),
    repo_id: row.repo_id,
    state: row.state,
    failed: row.failed,
    dirspaces: row.dirspaces.map(({ dir, workspace, success }) => ({
      dir,
      workspace,
      ...(success === null ? {} : { success }),
    })),
    ...(row.error_id === null ? {} : { error: { id: row.error_id, data: row.error_data ?? '' } }),
  };
}

export function toStepView(row: OutputRow): StepOutputView {
  return {
    idx: row.idx,
    created_at: row.created_at.toISOString(),
    step: row.step,
    state: row.state,
    ignore_errors: row.ignore_errors,
    scope:
      row.scope === 'dirspace'
        ? { type: 'dirspace', dir: row.dir ?? '', workspace: row.workspace ?? '' }
        : { type: 'run', flow: row.flow ?? '', subflow: row.subflow ?? '' },
    ...(row.payload === undefined ? {} : { payload: row.payload }),
  };
}
