export interface CommentOptions {
  username?: string;
  id?: number;
  isEdit?: boolean;
  isBot?: boolean;
  isApp?: boolean;
  /** as the provider says; it may be delivered later */
  writtenAt?: Date;
}

/** A repository of a code host's stand-in that is connected to a tenant of the service, as tests of runs see it. */
export interface HostedRepository {
  readonly provider: 'github' | 'gitlab';
  readonly owner: string;
  readonly name: string;
  /** Commits onto a branch, which begins at the default branch; answers the commit. `null` removes a file. */
  commit(branch: string, files: Record<string, string | null>): string;
  sha(branch: string): string;
  /** Opens a pull request and sends its webhook; answers its number. */
  open(
    branch: string,
    files: Record<string, string | null>,
    options?: { author?: string; isDraft?: boolean; isFork?: boolean; base?: string; deliveryId?: string },
  ): Promise<number>;
  /** Sends a webhook about a pull request as it stands. */
  announce(
    number: number,
    change: 'opened' | 'updated',
    options?: { deliveryId?: string; sender?: string },
  ): Promise<void>;
  /** Somebody chooses another branch that it is to be merged into. */
  retarget(number: number, base: string): Promise<void>;
  /** Pushes a commit onto the branch of a pull request. `toldAs`: the webhook names somebody else. */
  push(number: number, push: HostedPush): Promise<void>;
  /** Who approves the head as it stands, and nobody else. */
  approvals(number: number, usernames: readonly string[]): void;
  setDraft(number: number, isDraft: boolean): void;
  /** A status of another service on a commit. */
  setStatus(sha: string, context: string, state: 'pending' | 'success' | 'failure'): void;
  /** Reactions to a comment, as the provider names them. */
  reactions(commentId: number): string[];
  comment(number: number, text: string, options?: CommentOptions): Promise<void>;
  /** Merges at the host itself. */
  merge(number: number): Promise<void>;
  close(number: number): Promise<void>;
  /** Opens a closed pull request again. A delivery with a known id is sent once more. */
  reopen(number: number, options?: { deliveryId?: string }): Promise<void>;
  /** The default branch moved. */
  pushed(): Promise<void>;
  jobFailed(runId: string): Promise<void>;
  /** A job of a CI run was cancelled, whatever the others do. */
  jobCancelled(runId: string): Promise<void>;
  /** Somebody cancelled a CI run. `isTold`: its webhook arrives. */
  cancelJob(runId: string, options: { isTold: boolean }): Promise<void>;
  setRole(username: string, role: 'read' | 'write' | 'admin'): void;
  /** What the service started, in order. */
  dispatches(): HostedDispatch[];
  /** Texts of the service, in order. */
  comments(number?: number): string[];
  /** The newest status of each context. */
  statuses(sha: string): Record<string, HostedStatus>;
  isMerged(number: number): boolean;
  openIssues(): { number: number; title: string; body: string }[];
}

export interface HostedStatus {
  state: string;
  description: string;
  targetUrl: string | undefined;
}

export interface HostedPush {
  branch: string;
  files: Record<string, string | null>;
  username: string;
  toldAs?: string;
}

export interface HostedDispatch {
  runId: string;
  ref: string;
  workflow: string | undefined;
  inputs: Record<string, string>;
  /** what the CI sets in the environment of its job */
  env: Record<string, string>;
}

/** The workflow file of the documentation, as far as the stand-in looks at it. */
export const WORKFLOW =
  'on: {workflow_dispatch: {inputs: {work_token: {}, api_base_url: {}, environment: {}, runs_on: {}}}}\n';
