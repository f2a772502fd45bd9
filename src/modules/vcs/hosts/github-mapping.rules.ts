import {
  type ChangedFile,
  type CiRun,
  type CommitStatus,
  type HostPullRequest,
  type HostRepository,
  type HostReview,
  REPOSITORY_ROLES,
  type RepositoryRole,
  type StatusState,
  type TreeEntry,
} from './code-host.js';
import { dateAt, flagAt, idAt, objectAt, ordinalAt, textAt, wordAt } from './json-fields.js';

const MAX_NAME_LENGTH = 255;

/** GitHub's JSON in the words of the port; undefined for what lacks what every such object has. */
export function toRepository(json: unknown): HostRepository | undefined {
  const providerId = idAt(json, 'id');
  const name = wordAt(json, 'name');
  const owner = wordAt(json, 'owner', 'login') ?? wordAt(json, 'full_name')?.split('/')[0];
  if (providerId === undefined || name === undefined || owner === undefined) return undefined;
  // Both stand in an index.
  if (name.length > MAX_NAME_LENGTH || owner.length > MAX_NAME_LENGTH) return undefined;
  const webUrl = textAt(json, 'html_url') ?? '';
  return {
    providerId,
    owner,
    name,
    defaultBranch: wordAt(json, 'default_branch') ?? null,
    cloneUrl: textAt(json, 'clone_url') ?? `${webUrl}.git`,
    webUrl,
    isArchived: flagAt(json, 'archived'),
  };
}

export function toPullRequest(json: unknown): HostPullRequest | undefined {
  const number = ordinalAt(json, 'number');
  const sha = wordAt(json, 'head', 'sha');
  const baseSha = wordAt(json, 'base', 'sha');
  const createdAt = dateAt(json, 'created_at');
  if (number === undefined || sha === undefined || baseSha === undefined || !createdAt) return undefined;
  const state = stateOf(json);
  return {
    number,
    title: textAt(json, 'title') ?? '',
    username: textAt(json, 'user', 'login') ?? null,
    branch: textAt(json, 'head', 'ref') ?? '',
    sha,
    baseBranch: textAt(json, 'base', 'ref') ?? '',
    baseSha,
    state,
    isDraft: flagAt(json, 'draft'),
    // The repository of a deleted fork is null.
    isFork: idAt(json, 'head', 'repo', 'id') !== idAt(json, 'base', 'repo', 'id'),
    isMergeable: mergeableOf(json),
    mergedAt: dateAt(json, 'merged_at') ?? null,
    mergedSha: state === 'merged' ? (wordAt(json, 'merge_commit_sha') ?? null) : null,
    closedAt: dateAt(json, 'closed_at') ?? null,
    createdAt,
    updatedAt: dateAt(json, 'updated_at') ?? createdAt,
  };
}

function stateOf(json: unknown): HostPullRequest['state'] {
  // Lists leave `merged` out.
  if (flagAt(json, 'merged') || dateAt(json, 'merged_at') !== undefined) return 'merged';
  return textAt(json, 'state') === 'open' ? 'open' : 'closed';
}

/** Null while the host has not computed it. */
function mergeableOf(json: unknown): boolean | null {
  const mergeable = objectAt(json)?.['mergeable'];
  return typeof mergeable === 'boolean' ? mergeable : null;
}

export function toChangedFile(json: unknown): ChangedFile | undefined {
  const path = wordAt(json, 'filename');
  if (path === undefined) return undefined;
  const previousPath = wordAt(json, 'previous_filename');
  const status = textAt(json, 'status');
  if (status === 'renamed' && previousPath !== undefined) return { path, previousPath, status };
  return { path, status: status === 'added' || status === 'removed' ? status : 'modified' };
}

export function toTreeEntry(json: unknown): TreeEntry | undefined {
  const path = wordAt(json, 'path');
  const type = textAt(json, 'type');
  if (path === undefined || (type !== 'blob' && type !== 'tree' && type !== 'commit')) return undefined;
  return {
    path,
    type,
    mode: textAt(json, 'mode') ?? '100644',
    id: textAt(json, 'sha') ?? textAt(json, 'id') ?? '',
  };
}

const REVIEW_STATES: Readonly<Record<string, HostReview['state']>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes-requested',
  DISMISSED: 'dismissed',
};

export function toReview(json: unknown): HostReview | undefined {
  const username = wordAt(json, 'user', 'login');
  if (username === undefined) return undefined;
  return {
    username,
    state: REVIEW_STATES[textAt(json, 'state') ?? ''] ?? 'commented',
    sha: wordAt(json, 'commit_id') ?? null,
    submittedAt: dateAt(json, 'submitted_at') ?? null,
  };
}

export function toStatus(json: unknown): CommitStatus | undefined {
  const context = wordAt(json, 'context');
  if (context === undefined) return undefined;
  return {
    context,
    state: statusStateOf(textAt(json, 'state')),
    description: textAt(json, 'description') ?? '',
    ...targetOf(wordAt(json, 'target_url')),
  };
}

export function toRun(json: unknown): CiRun | undefined {
  const id = idAt(json, 'id');
  const createdAt = dateAt(json, 'created_at');
  if (id === undefined || !createdAt) return undefined;
  const status = textAt(json, 'status');
  const conclusion = textAt(json, 'conclusion');
  return {
    id,
    webUrl: wordAt(json, 'html_url') ?? null,
    state: status === 'completed' ? 'completed' : status === 'in_progress' ? 'running' : 'queued',
    conclusion:
      status !== 'completed'
        ? null
        : conclusion === 'success' || conclusion === 'cancelled'
          ? conclusion
          : 'failure',
    createdAt,
    headSha: wordAt(json, 'head_sha') ?? null,
    startedBy: wordAt(json, 'actor', 'login') ?? null,
  };
}

export function toRole(json: unknown): RepositoryRole {
  const known = (name: string | undefined): RepositoryRole | undefined =>
    REPOSITORY_ROLES.find((role) => role === name);
  // A role of the organization's own: what it is based on stands in `permission`.
  return known(textAt(json, 'role_name')) ?? known(textAt(json, 'permission')) ?? 'none';
}

function statusStateOf(state: string | undefined): StatusState {
  return state === 'success' ? 'success' : state === 'pending' ? 'pending' : 'failure';
}

function targetOf(address: string | undefined): { targetUrl?: string } {
  return address === undefined ? {} : { targetUrl: address };
}

/** Whether the app wrote a comment. Its text does not tell: everybody can copy what the service has written before. */
export function isWrittenByApp(comment: unknown, app: unknown): boolean {
  if (textAt(comment, 'user', 'type') !== 'Bot') return false;
  // Older servers name the bot only.
  const via = objectAt(comment, 'performed_via_github_app');
  const [field, own] = via
    ? [idAt(via, 'id'), idAt(app, 'id')]
    : [wordAt(comment, 'user', 'login'), botOf(wordAt(app, 'slug'))];
  return own !== undefined && field === own;
}

export function botOf(slug: string | undefined): string | undefined {
  return slug === undefined ? undefined : `${slug}[bot]`;
}

/** Nobody else may have such a name. */
export function isBotName(username: string): boolean {
  return username.endsWith('[bot]');
}

export function isNameOfApp(username: string, app: unknown): boolean {
  return username === botOf(wordAt(app, 'slug'));
}
