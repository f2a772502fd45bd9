import type { Provider } from '../entities/installation.entity.js';

/** The installation that a request to the provider is made for; its credential and its place in the queue. */
export interface HostInstallation {
  /** ours */
  id: string;
  provider: Provider;
  /** the provider's own */
  installationId: string;
  /** login of the account, path of the group */
  name: string;
}

/** A repository as requests name it. */
export interface HostRepositoryRef {
  /** the provider's own id */
  providerId: string;
  owner: string;
  name: string;
}

export interface HostRepository extends HostRepositoryRef {
  /** null: the repository is empty */
  defaultBranch: string | null;
  cloneUrl: string;
  webUrl: string;
  isArchived: boolean;
  /** GitLab's `ci_config_path`, where a project does not use the default one */
  pipelinePath?: string;
}

/** `mode` is git's: 100644, 100755, 120000 (a link), 160000 (a submodule), 040000. */
export interface TreeEntry {
  path: string;
  type: 'blob' | 'tree' | 'commit';
  mode: string;
  /** object id; of a file it identifies the content */
  id: string;
}

/** `isTruncated`: the provider did not list everything. */
export interface HostTree {
  entries: TreeEntry[];
  isTruncated: boolean;
}

/** A tree of the same repository that was read before. */
export interface KnownTree {
  /** of its commit */
  sha: string;
  tree: HostTree;
}

export interface ChangedFile {
  path: string;
  /** of a renamed file */
  previousPath?: string;
  status: 'added' | 'modified' | 'removed' | 'renamed';
}

export interface ChangedFiles {
  files: ChangedFile[];
  isTruncated: boolean;
}

export interface Comparison extends ChangedFiles {
  mergeBaseSha: string;
}

export interface HostPullRequest {
  number: number;
  title: string;
  username: string | null;
  branch: string;
  sha: string;
  baseBranch: string;
  baseSha: string;
  state: 'open' | 'closed' | 'merged';
  isDraft: boolean;
  /** the head lies in another repository */
  isFork: boolean;
  /** null while the provider computes it */
  isMergeable: boolean | null;
  mergedAt: Date | null;
  mergedSha: string | null;
  closedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface HostComment {
  username: string;
  body: string;
  /** undefined where the provider does not say */
  createdAt: Date | undefined;
}

/** A comment of this service; `createdAt` is by the provider's clock. */
export interface WrittenComment {
  id: string;
  createdAt: Date | undefined;
}

export interface HostReview {
  username: string;
  state: 'approved' | 'changes-requested' | 'commented' | 'dismissed';
  /** commit that was reviewed; null where the provider does not say */
  sha: string | null;
  submittedAt: Date | null;
}

export type StatusState = 'pending' | 'success' | 'failure';

export interface CommitStatus {
  context: string;
  state: StatusState;
  /** cut to what the provider takes */
  description: string;
  targetUrl?: string;
}

/** What somebody may do in a repository, the provider's own levels mapped onto one scale. */
export const REPOSITORY_ROLES = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;
export type RepositoryRole = (typeof REPOSITORY_ROLES)[number];

export interface DispatchRequest {
  /** file name of the workflow, for GitHub */
  workflow: string;
  /** branch whose head runs */
  ref: string;
  inputs: Readonly<Record<string, string>>;
}

/**
 * `missing`: the workflow is not there; `inputs`: an input is undeclared or lacks a default; `refused`: anything else
 * that will not become true by asking again. `reason` holds the provider's words.
 */
export type DispatchResult =
  | { result: 'dispatched'; runId: string | null; webUrl: string | null }
  | { result: 'missing' | 'inputs' | 'refused'; reason: string };

export interface CiRun {
  id: string;
  webUrl: string | null;
  state: 'queued' | 'running' | 'completed';
  conclusion: 'success' | 'failure' | 'cancelled' | null;
  createdAt: Date;
  /** commit whose workflow file it runs; null: the provider does not say */
  headSha: string | null;
  /** account; null: the provider does not say */
  startedBy: string | null;
}

export interface CloneCredentials {
  cloneUrl: string;
  username: string;
  password: string;
}

/** One page of a list; the last one has no `next`. */
export interface HostPage<Item> {
  items: Item[];
  /** pages in all, where the provider says so */
  pages: number | null;
}

export type CommentReaction = 'eyes' | '+1' | 'confused';

export interface HostIssue {
  number: number;
  title: string;
  body: string;
}

/** `outdated`: the head is another commit by now. `reason` holds the provider's words. */
export type MergeResult = { result: 'merged' | 'outdated' } | { result: 'refused'; reason: string };

/** Who is asked for a review. */
export interface Reviewers {
  usernames: readonly string[];
  /** slugs */
  teams: readonly string[];
}

/** Where a request to the provider is made: an installation and one of its repositories. */
export interface HostPlace {
  installation: HostInstallation;
  repository: HostRepositoryRef;
}

/**
 * A code host. Reads answer undefined for what the provider does not have (or does not show). Every method throws
 * `PROVIDER_UNAVAILABLE` when the provider does not answer within the time limit, and `PROVIDER_REFUSED` for a refusal
 * that no caller expects. `signal` ends the waiting for rate limits and retries.
 */
export interface CodeHost {
  readonly provider: Provider;
  /** characters that one comment may have */
  readonly maxCommentLength: number;

  /** Every repository of the installation, page by page. */
  listRepositories(
    installation: HostInstallation,
    signal?: AbortSignal,
  ): AsyncGenerator<HostPage<HostRepository>>;
  /** By the provider's id, so that a rename is followed. */
  findRepository(
    installation: HostInstallation,
    providerId: string,
    signal?: AbortSignal,
  ): Promise<HostRepository | undefined>;
  /** As `findRepository`, only while it belongs to the installation: public repositories are readable for everybody. */
  findOwnRepository(
    installation: HostInstallation,
    providerId: string,
    signal?: AbortSignal,
  ): Promise<HostRepository | undefined>;
  /** The whole tree of a commit or branch; with a `known` one, a host may ask for what differs from that only. */
  readTree(
    place: HostPlace,
    ref: string,
    known?: KnownTree,
    signal?: AbortSignal,
  ): Promise<HostTree | undefined>;
  readFile(
    place: HostPlace,
    file: { path: string; ref: string },
    signal?: AbortSignal,
  ): Promise<Buffer | undefined>;
  /** Head commit of a branch. */
  findBranch(place: HostPlace, branch: string, signal?: AbortSignal): Promise<{ sha: string } | undefined>;
  compare(
    place: HostPlace,
    range: { base: string; head: string },
    signal?: AbortSignal,
  ): Promise<Comparison | undefined>;

  /** `awaitMergeable`: asks again for some seconds while the provider computes whether it can be merged. */
  findPullRequest(
    place: HostPlace,
    number: number,
    options?: { awaitMergeable?: boolean },
    signal?: AbortSignal,
  ): Promise<HostPullRequest | undefined>;
  listChangedFiles(place: HostPlace, number: number, signal?: AbortSignal): Promise<ChangedFiles>;
  /** Without those of the service's own account, which are no independent approvals. */
  listReviews(place: HostPlace, number: number, signal?: AbortSignal): Promise<HostReview[]>;
  /** Whether the service itself speaks as this user. */
  isOwnAccount(installation: HostInstallation, username: string, signal?: AbortSignal): Promise<boolean>;
  /** Whether this user is the service's own account and no person, whose access token it may have. */
  isOwnBot(installation: HostInstallation, username: string, signal?: AbortSignal): Promise<boolean>;
  /** Who made the commit the head of the branch last; undefined where the provider does not say. */
  findPusher(
    place: HostPlace,
    head: { branch: string; sha: string },
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  /** Those who were asked before stay asked; whom the provider does not take is left out. GitLab asks no groups. */
  requestReviewers(place: HostPlace, number: number, reviewers: Reviewers): Promise<void>;
  /** `sha`: only when the head is still this commit. */
  mergePullRequest(
    place: HostPlace,
    number: number,
    options: { sha: string; deletesBranch: boolean },
  ): Promise<MergeResult>;

  /** A comment as it stands now; undefined when it was deleted, or never written there. */
  findComment(
    place: HostPlace,
    comment: { number: number; id: string },
    signal?: AbortSignal,
  ): Promise<HostComment | undefined>;
  /**
   * A comment of this service itself whose text holds a mark, written since a moment: whether a request whose answer was
   * lost arrived. Comments of others that hold the mark do not count.
   */
  findCommentWith(
    place: HostPlace,
    number: number,
    query: { mark: string; since: Date },
    signal?: AbortSignal,
  ): Promise<WrittenComment | undefined>;
  /** Longer texts are refused by the caller, not cut here. */
  createComment(place: HostPlace, number: number, text: string): Promise<WrittenComment>;
  /** Does nothing when somebody deleted the comment. */
  updateComment(place: HostPlace, comment: { number: number; id: string }, text: string): Promise<void>;
  addReaction(
    place: HostPlace,
    comment: { number: number; id: string },
    reaction: CommentReaction,
  ): Promise<void>;
  /** Idempotent: a status that stands already is no error. */
  setStatus(place: HostPlace, sha: string, status: CommitStatus): Promise<void>;
  /** The newest status or check of each context on a commit, without the jobs of CI runs that this service dispatched. */
  listStatuses(place: HostPlace, sha: string, signal?: AbortSignal): Promise<CommitStatus[]>;

  findRole(place: HostPlace, username: string, signal?: AbortSignal): Promise<RepositoryRole>;
  isTeamMember(
    installation: HostInstallation,
    member: { team: string; username: string },
    signal?: AbortSignal,
  ): Promise<boolean>;

  /** Sent once: an answer that was lost is not asked for again (`listRuns` finds what was started). */
  dispatch(place: HostPlace, request: DispatchRequest): Promise<DispatchResult>;
  /** Runs of a workflow on a branch since a moment that this service has started, newest first. */
  listRuns(
    place: HostPlace,
    query: { workflow: string; ref: string; since: Date },
    signal?: AbortSignal,
  ): Promise<CiRun[]>;
  findRun(place: HostPlace, runId: string, signal?: AbortSignal): Promise<CiRun | undefined>;
  cancelRun(place: HostPlace, runId: string): Promise<void>;

  /** For one checkout: a credential that ends within the hour where the provider has such. */
  readCloneCredentials(place: HostPlace): Promise<CloneCredentials>;

  listOpenIssues(place: HostPlace, label: string): Promise<HostIssue[]>;
  createIssue(place: HostPlace, issue: { title: string; body: string; label: string }): Promise<number>;
  closeIssue(place: HostPlace, number: number): Promise<void>;
}
