import { merge, wholeSeconds } from '../code-hosts/github-repository-routes.js';
import type { GithubPull, GithubRepository, GithubStandIn } from '../code-hosts/github-stand-in.js';
import type {
  CommentOptions,
  HostedDispatch,
  HostedPush,
  HostedRepository,
  HostedStatus,
} from './hosted-repository.js';

interface Service {
  url: string;
}

export class HostedGithubRepository implements HostedRepository {
  readonly provider = 'github';

  constructor(
    readonly host: GithubStandIn,
    readonly repository: GithubRepository,
    private readonly service: Service,
    /** until no delivery waits */
    private readonly processed: () => Promise<void>,
  ) {}

  get owner(): string {
    return this.repository.owner;
  }

  get name(): string {
    return this.repository.name;
  }

  commit(branch: string, files: Record<string, string | null>): string {
    return this.repository.git.commit(branch, files);
  }

  sha(branch: string): string {
    return this.repository.git.sha(branch) ?? '';
  }

  async open(
    branch: string,
    files: Record<string, string | null>,
    options: {
      author?: string;
      isDraft?: boolean;
      isFork?: boolean;
      base?: string;
      deliveryId?: string;
    } = {},
  ): Promise<number> {
    const { author = 'author', isDraft = false, isFork = false, base = 'main', deliveryId } = options;
    const pull = this.host.addPull(this.repository, branch, files, author);
    Object.assign(pull, { draft: isDraft, isFork, base, baseSha: this.sha(base) });
    await this.announce(pull.number, 'opened', deliveryId === undefined ? {} : { deliveryId });
    return pull.number;
  }

  async announce(
    number: number,
    change: 'opened' | 'updated',
    { deliveryId, sender }: { deliveryId?: string; sender?: string } = {},
  ): Promise<void> {
    const action = change === 'opened' ? 'opened' : 'synchronize';
    const head = { sha: this.sha(this.pull(number).branch) };
    const by = sender === undefined ? {} : { sender: { login: sender, type: 'User' } };
    await this.deliver('pull_request', { action, pull_request: { number, head }, ...by }, deliveryId);
  }

  async retarget(number: number, base: string): Promise<void> {
    const from = this.pull(number).base;
    const updatedAt = new Date().toISOString();
    Object.assign(this.pull(number), { base, baseSha: this.sha(base), updatedAt });
    const changes = { base: { ref: { from } } };
    await this.deliver('pull_request', { action: 'edited', changes, pull_request: { number } });
  }

  async push(number: number, { branch, files, username, toldAs = username }: HostedPush): Promise<void> {
    const sha = this.commit(branch, files);
    this.repository.pushes.push({ branch, sha, user: username });
    await this.announce(number, 'updated', { sender: toldAs });
  }

  approvals(number: number, usernames: readonly string[]): void {
    const pull = this.pull(number);
    const commit_id = this.sha(pull.branch);
    pull.reviews = usernames.map((user) => ({ user, state: 'APPROVED', commit_id }));
  }

  setDraft(number: number, isDraft: boolean): void {
    this.pull(number).draft = isDraft;
  }

  setStatus(sha: string, context: string, state: 'pending' | 'success' | 'failure'): void {
    this.repository.statuses.push({ sha, context, state, description: '' });
  }

  reactions(commentId: number): string[] {
    return this.repository.reactions.flatMap(({ comment, content }) =>
      comment === commentId ? [content] : [],
    );
  }

  async comment(number: number, body: string, options: CommentOptions = {}): Promise<void> {
    const {
      username = 'author',
      id = this.host.nextId(),
      isEdit = false,
      isBot = false,
      isApp = false,
      writtenAt = new Date(),
    } = options;
    const type = isBot ? 'Bot' : 'User';
    await this.deliver('issue_comment', {
      action: isEdit ? 'edited' : 'created',
      issue: { number, pull_request: {} },
      comment: {
        id,
        body,
        user: { login: username, type },
        created_at: wholeSeconds(writtenAt),
        ...(isApp ? { performed_via_github_app: {} } : {}),
      },
      sender: { login: username, type },
    });
  }

  async merge(number: number): Promise<void> {
    merge(this.repository, this.pull(number));
    await this.deliver('pull_request', { action: 'closed', pull_request: { number } });
  }

  async close(number: number): Promise<void> {
    Object.assign(this.pull(number), { state: 'closed', closedAt: new Date().toISOString() });
    await this.deliver('pull_request', { action: 'closed', pull_request: { number } });
  }

  async reopen(number: number, { deliveryId }: { deliveryId?: string } = {}): Promise<void> {
    Object.assign(this.pull(number), { state: 'open', closedAt: null });
    await this.deliver('pull_request', { action: 'reopened', pull_request: { number } }, deliveryId);
  }

  async pushed(): Promise<void> {
    await this.deliver('push', { ref: 'refs/heads/main', after: this.sha('main') });
  }

  async jobFailed(runId: string): Promise<void> {
    await this.deliver('workflow_job', {
      action: 'completed',
      workflow_job: { run_id: Number(runId), conclusion: 'failure' },
    });
  }

  async cancelJob(runId: string, { isTold }: { isTold: boolean }): Promise<void> {
    const run = this.repository.runs.find(({ id }) => String(id) === runId);
    Object.assign(run ?? {}, { status: 'completed', conclusion: 'cancelled' });
    if (isTold) await this.jobCancelled(runId);
  }

  async jobCancelled(runId: string): Promise<void> {
    const workflow_job = { run_id: Number(runId), conclusion: 'cancelled' };
    await this.deliver('workflow_job', { action: 'completed', workflow_job });
  }

  setRole(username: string, role: 'read' | 'write' | 'admin'): void {
    this.repository.permissions.set(username, role);
  }

  dispatches(): HostedDispatch[] {
    const dispatched = this.repository.runs.filter(({ event }) => event === 'workflow_dispatch');
    return dispatched.map(({ id, ref, workflow, inputs }) => ({
      runId: String(id),
      ref,
      workflow,
      inputs,
      env: { GITHUB_RUN_ID: String(id) },
    }));
  }

  comments(number?: number): string[] {
    return this.repository.comments
      .filter((comment) => number === undefined || comment.number === number)
      .map(({ body }) => body);
  }

  statuses(sha: string): Record<string, HostedStatus> {
    const own = this.repository.statuses.filter((status) => status.sha === sha);
    return Object.fromEntries(
      own.map(({ context, state, description, target_url }) => [
        context,
        { state, description, targetUrl: target_url },
      ]),
    );
  }

  isMerged(number: number): boolean {
    return this.pull(number).mergedSha !== null;
  }

  openIssues(): { number: number; title: string; body: string }[] {
    return this.repository.issues.filter(({ state }) => state === 'open');
  }

  private pull(number: number): GithubPull {
    const pull = this.repository.pulls.find((each) => each.number === number);
    if (!pull) throw new Error(`there is no pull request ${number}`);
    return pull;
  }

  private async deliver(event: string, payload: Record<string, unknown>, id?: string): Promise<void> {
    const whole = { ...this.host.payloadOf(this.repository), ...payload };
    const status = await this.host.deliver(this.service, event, whole, id === undefined ? {} : { id });
    if (status !== 200) throw new Error(`the service answered ${status} to ${event}`);
    await this.processed();
  }
}
