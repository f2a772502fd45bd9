import { type DirspaceKey, dirspaceKey } from '../../repo-config/index.js';
import type { Provider } from '../../vcs/index.js';
import type {
  DirectoryRunView,
  HoldView,
  PlanDescriptionView,
  PullRequestDirectoryView,
  PullRequestOverviewView,
} from '../dto/overview.dto.js';
import type { StoredMistake } from '../entities/configuration-mistakes.entity.js';
import type { GateWithApprovals } from '../runs/gates.store.js';
import { holdReason } from './holding-run.js';
import type { DirectoryRunRow, HoldRow, PullRequestRow } from './pull-request-overview.queries.js';

interface Parts {
  mistakes: StoredMistake[];
  runs: readonly DirectoryRunRow[];
  applicable: ReadonlySet<DirspaceKey>;
  holds: readonly HoldRow[];
  mayRelease: boolean;
  gates: readonly GateWithApprovals[];
  descriptions: PlanDescriptionView[];
}

export function toPullRequestOverview(
  row: PullRequestRow,
  provider: Provider,
  { mistakes, runs, applicable, holds, mayRelease, gates, descriptions }: Parts,
): PullRequestOverviewView {
  return {
    repository: row.provider_id,
    owner: row.owner,
    name: row.repository_name,
    pull_number: row.number,
    ...(row.title === null ? {} : { title: row.title }),
    ...(row.username === null ? {} : { user: row.username }),
    state: row.state,
    is_draft: row.is_draft,
    is_fork: row.is_fork,
    branch: row.branch,
    base_branch: row.base_branch,
    sha: row.sha,
    ...(row.merged_at === null ? {} : { merged_at: row.merged_at.toISOString() }),
    url: `${row.web_url}/${provider === 'github' ? 'pull' : '-/merge_requests'}/${row.number}`,
    mistakes,
    directories: toDirectories(runs, applicable),
    holds: holds.map(toHoldView),
    may_release: mayRelease,
    gates: gates.map(({ token, name, allOf, anyOf, anyOfCount, approvedBy }) => ({
      token,
      ...(name === null ? {} : { name }),
      all_of: allOf,
      any_of: anyOf,
      any_of_count: anyOfCount,
      approvals: approvedBy,
    })),
    descriptions,
  };
}

function toDirectories(
  rows: readonly DirectoryRunRow[],
  applicable: ReadonlySet<DirspaceKey>,
): PullRequestDirectoryView[] {
  const found = new Map<DirspaceKey, PullRequestDirectoryView>();
  for (const row of rows) {
    const { dir, workspace } = row;
    const key = dirspaceKey(row);
    const known = found.get(key) ?? {
      dir,
      workspace,
      is_overtaken: false,
      is_applicable: applicable.has(key),
    };
    const run = toRunView(row);
    found.set(
      key,
      row.run_type === 'plan'
        ? { ...known, plan: run, is_overtaken: row.is_overtaken }
        : { ...known, apply: run },
    );
  }
  return [...found.values()].map(withoutOlderApply);
}

/** An apply of an older plan says nothing of the newest one. */
function withoutOlderApply(directory: PullRequestDirectoryView): PullRequestDirectoryView {
  const { plan, apply, ...rest } = directory;
  if (!plan || !apply || apply.created_at >= plan.created_at) return directory;
  return { ...rest, plan };
}

function toRunView(row: DirectoryRunRow): DirectoryRunView {
  return {
    work_manifest_id: row.run_id,
    state: row.state,
    hooks_failed: row.hooks_failed,
    ...(row.has_changes === null ? {} : { has_changes: row.has_changes }),
    ...(row.summary === null ? {} : { summary: row.summary }),
    ...(row.transaction_id === null ? {} : { transaction_id: row.transaction_id }),
    created_at: row.created_at.toISOString(),
  };
}

function toHoldView(row: HoldRow): HoldView {
  return {
    dir: row.dir,
    workspace: row.workspace,
    ...(row.pull_number === null ? {} : { pull_number: row.pull_number }),
    ...(row.username === null ? {} : { user: row.username }),
    created_at: row.created_at.toISOString(),
    reason: holdReason(row.run_state),
    ...(row.run_id === null ? {} : { work_manifest_id: row.run_id }),
  };
}
