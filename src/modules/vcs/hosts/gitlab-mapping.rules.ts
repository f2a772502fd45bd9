import type {
  ChangedFile,
  CiRun,
  CommitStatus,
  HostPullRequest,
  HostRepository,
  RepositoryRole,
  TreeEntry,
} from './code-host.js';
import { dateAt, flagAt, idAt, numberAt, ordinalAt, textAt, wordAt } from './json-fields.js';

export const MAINTAINER = 40;
const MAX_PATH_LENGTH = 1000;
/** Mode of a submodule. */
const SUBMODULE = '160000';

/** GitLab's JSON in the words of the port; undefined for what lacks what every such object has. */
export function toRepository(json: unknown): HostRepository | undefined {
  const providerId = idAt(json, 'id');
  const fullPath = wordAt(json, 'path_with_namespace');
  // The path stands in an index.
  const isUsable = fullPath !== undefined && fullPath.length <= MAX_PATH_LENGTH;
  if (providerId === undefined || !isUsable) return undefined;
  const cut = fullPath.lastIndexOf('/');
  const webUrl = textAt(json, 'web_url') ?? '';
  const pipelinePath = wordAt(json, 'ci_config_path');
  return {
    providerId,
    owner: fullPath.slice(0, Math.max(cut, 0)),
    name: fullPath.slice(cut + 1),
    defaultBranch: wordAt(json, 'default_branch') ?? null,
    // Projects of webhooks spell it otherwise.
    cloneUrl: wordAt(json, 'http_url_to_repo') ?? wordAt(json, 'git_http_url') ?? `${webUrl}.git`,
    webUrl,
    isArchived: flagAt(json, 'archived'),
    ...(pipelinePath === undefined ? {} : { pipelinePath }),
  };
}

export function toPullRequest(json: unknown): HostPullRequest | undefined {
  const number = ordinalAt(json, 'iid');
  const sha = wordAt(json, 'sha') ?? wordAt(json, 'diff_refs', 'head_sha');
  const createdAt = dateAt(json, 'created_at');
  if (number === undefined || sha === undefined || !createdAt) return undefined;
  const state = stateOf(json);
  return {
    number,
    title: textAt(json, 'title') ?? '',
    username: textAt(json, 'author', 'username') ?? null,
    branch: textAt(json, 'source_branch') ?? '',
    sha,
    baseBranch: textAt(json, 'target_branch') ?? '',
    baseSha: baseShaOf(json),
    state,
    isDraft: flagAt(json, 'draft') || flagAt(json, 'work_in_progress'),
    isFork: idAt(json, 'source_project_id') !== idAt(json, 'target_project_id'),
    isMergeable: mergeableOf(json),
    mergedAt: dateAt(json, 'merged_at') ?? null,
    mergedSha: state === 'merged' ? (mergedShaOf(json) ?? sha) : null,
    closedAt: dateAt(json, 'closed_at') ?? null,
    createdAt,
    updatedAt: dateAt(json, 'updated_at') ?? createdAt,
  };
}

function stateOf(json: unknown): HostPullRequest['state'] {
  const state = textAt(json, 'state');
  return state === 'merged' || state === 'closed' ? state : 'open';
}

function baseShaOf(json: unknown): string {
  return textAt(json, 'diff_refs', 'start_sha') ?? textAt(json, 'diff_refs', 'base_sha') ?? '';
}

/** Undefined when the merge made no commit of its own. */
function mergedShaOf(json: unknown): string | undefined {
  return wordAt(json, 'merge_commit_sha') ?? wordAt(json, 'squash_commit_sha');
}

function mergeableOf(json: unknown): boolean | null {
  if (flagAt(json, 'has_conflicts')) return false;
  const status = textAt(json, 'merge_status');
  if (status === 'can_be_merged') return true;
  return status === 'cannot_be_merged' ? false : null;
}

export function toChangedFile(json: unknown): ChangedFile | undefined {
  const path = wordAt(json, 'new_path');
  if (path === undefined) return undefined;
  const previousPath = wordAt(json, 'old_path');
  if (flagAt(json, 'renamed_file') && previousPath !== undefined)
    return { path, previousPath, status: 'renamed' };
  if (flagAt(json, 'new_file')) return { path, status: 'added' };
  return { path, status: flagAt(json, 'deleted_file') ? 'removed' : 'modified' };
}

/** What a difference does to a tree; undefined for one that does not say what stands there now. */
export function toTreeChange(
  json: unknown,
  ref: string,
): { removedPath?: string; entry?: TreeEntry } | undefined {
  const change = toChangedFile(json);
  if (!change) return undefined;
  const { path, previousPath, status } = change;
  if (status === 'removed') return { removedPath: wordAt(json, 'old_path') ?? path };
  const mode = wordAt(json, 'b_mode');
  if (mode === undefined) return undefined;
  // GitLab does not name the object: this id stands for the file at that commit only.
  const type = mode === SUBMODULE ? 'commit' : 'blob';
  const entry: TreeEntry = { path, type, mode, id: `${ref}:${path}` };
  return previousPath === undefined ? { entry } : { removedPath: previousPath, entry };
}

export function toStatus(json: unknown): CommitStatus | undefined {
  const context = wordAt(json, 'name');
  if (context === undefined) return undefined;
  const state = textAt(json, 'status');
  const target = wordAt(json, 'target_url');
  const isFine = state === 'success' || state === 'skipped' || flagAt(json, 'allow_failure');
  const isOver = isFine || state === 'failed' || state === 'canceled';
  return {
    context,
    state: !isOver ? 'pending' : isFine ? 'success' : 'failure',
    description: textAt(json, 'description') ?? '',
    ...(target === undefined ? {} : { targetUrl: target }),
  };
}

export function toRun(json: unknown): CiRun | undefined {
  const id = idAt(json, 'id');
  const createdAt = dateAt(json, 'created_at');
  if (id === undefined || !createdAt) return undefined;
  const status = textAt(json, 'status');
  const conclusion =
    status === 'success'
      ? 'success'
      : status === 'canceled'
        ? 'cancelled'
        : status === 'failed' || status === 'skipped'
          ? 'failure'
          : null;
  return {
    id,
    webUrl: wordAt(json, 'web_url') ?? null,
    state: conclusion !== null ? 'completed' : status === 'running' ? 'running' : 'queued',
    conclusion,
    createdAt,
    headSha: wordAt(json, 'sha') ?? null,
    startedBy: wordAt(json, 'user', 'username') ?? null,
  };
}

/** GitLab's access levels: 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner. */
export function toRole(json: unknown): RepositoryRole {
  const level = numberAt(json, 'access_level') ?? 0;
  if (level >= 50) return 'admin';
  if (level >= MAINTAINER) return 'maintain';
  if (level >= 30) return 'write';
  return level >= 20 ? 'read' : 'none';
}
