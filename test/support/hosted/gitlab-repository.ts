import { mergeRequest } from '../code-hosts/gitlab-project-routes.js';
import type { GitlabMergeRequest, GitlabProject, GitlabStandIn } from '../code-hosts/gitlab-stand-in.js';
import type { HostedDispatch, HostedPush, HostedRepository, HostedStatus } from './hosted-repository.js';

const LEVELS = { read: 20, write: 30, admin: 50 } as const;

export class HostedGitlabRepository implements HostedRepository {
  readonly provider = 'gitlab';

  constructor(
    readonly host: GitlabStandIn,
    readonly project: GitlabProject,
    private readonly webhook: { url: string; secret: string },
    /** until no delivery waits */
    private readonly processed: () => Promise<void>,
  ) {}

  get owner(): string {
    return this.project.path.slice(0, this.project.path.lastIndexOf('/'));
  }

  get name(): string {
    return this.project.path.slice(this.project.path.lastIndexOf('/') + 1);
  }

  commit(branch: string, files: Record<string, string | null>): string {
    return this.project.git.commit(branch, files);
  }

  sha(branch: string): string {
    return this.project.git.sha(branch) ?? '';
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
    const request = this.host.addMergeRequest(this.project, branch, files, author);
    Object.assign(request, { draft: isDraft, isFork, base });
    await this.announce(request.iid, 'opened', deliveryId === undefined ? {} : { deliveryId });
    return request.iid;
  }

  async announce(
    number: number,
    change: 'opened' | 'updated',
    { deliveryId, sender = 'author' }: { deliveryId?: string; sender?: string } = {},
  ): Promise<void> {
    const attributes =
      change === 'opened' ? { action: 'open' } : { action: 'update', oldrev: '0'.repeat(40) };
    const last_commit = { id: this.sha(this.request(number).branch) };
    await this.deliver(
      'merge_request',
      { user: { username: sender }, object_attributes: { iid: number, last_commit, ...attributes } },
      deliveryId,
    );
  }

  async retarget(number: number, base: string): Promise<void> {
    const previous = this.request(number).base;
    Object.assign(this.request(number), { base, updatedAt: new Date().toISOString() });
    await this.deliver('merge_request', {
      user: { username: 'author' },
      object_attributes: { iid: number, action: 'update' },
      changes: { target_branch: { previous, current: base } },
    });
  }

  async push(number: number, { branch, files, username, toldAs = username }: HostedPush): Promise<void> {
    const sha = this.commit(branch, files);
    this.project.pushes.push({ branch, sha, user: username });
    await this.announce(number, 'updated', { sender: toldAs });
  }

  approvals(number: number, usernames: readonly string[]): void {
    this.request(number).approvedBy = [...usernames];
  }

  setDraft(number: number, isDraft: boolean): void {
    this.request(number).draft = isDraft;
  }

  setStatus(sha: string, context: string, state: 'pending' | 'success' | 'failure'): void {
    const told = state === 'failure' ? 'failed' : state;
    const id = this.host.nextId();
    this.project.statuses.push({ id, sha, name: context, state: told, description: '' });
  }

  reactions(commentId: number): string[] {
    return this.project.awards.flatMap(({ note, name }) => (note === commentId ? [name] : []));
  }

  async comment(
    number: number,
    note: string,
    options: { username?: string; id?: number; isEdit?: boolean; isBot?: boolean; writtenAt?: Date } = {},
  ): Promise<void> {
    const { username = 'author', id = this.host.nextId(), isEdit = false, isBot = false } = options;
    const created_at = (options.writtenAt ?? new Date()).toISOString();
    const author = isBot ? 'project_1_bot' : username;
    const { notes } = this.request(number);
    if (!notes.some((known) => known.id === id)) notes.push({ id, body: note, author, created_at });
    await this.deliver('note', {
      user: { username: author },
      merge_request: { iid: number },
      object_attributes: { id, note, noteable_type: 'MergeRequest', action: isEdit ? 'update' : 'create' },
    });
  }

  async merge(number: number): Promise<void> {
    mergeRequest(this.project, this.request(number));
    await this.deliver('merge_request', { object_attributes: { iid: number, action: 'merge' } });
  }

  async close(number: number): Promise<void> {
    Object.assign(this.request(number), { state: 'closed', closedAt: new Date().toISOString() });
    await this.deliver('merge_request', { object_attributes: { iid: number, action: 'close' } });
  }

  async reopen(number: number, { deliveryId }: { deliveryId?: string } = {}): Promise<void> {
    Object.assign(this.request(number), { state: 'opened', closedAt: null });
    await this.deliver('merge_request', { object_attributes: { iid: number, action: 'reopen' } }, deliveryId);
  }

  async pushed(): Promise<void> {
    await this.deliver('push', { ref: 'refs/heads/main', after: this.sha('main') });
  }

  async jobFailed(runId: string): Promise<void> {
    await this.deliver('build', { build_status: 'failed', pipeline_id: Number(runId) });
  }

  async cancelJob(runId: string, { isTold }: { isTold: boolean }): Promise<void> {
    const pipeline = this.project.pipelines.find(({ id }) => String(id) === runId);
    Object.assign(pipeline ?? {}, { status: 'canceled' });
    if (isTold) await this.jobCancelled(runId);
  }

  async jobCancelled(runId: string): Promise<void> {
    await this.deliver('build', { build_status: 'canceled', pipeline_id: Number(runId) });
  }

  setRole(username: string, role: 'read' | 'write' | 'admin'): void {
    const user = this.host.findOrAddUser(username);
    this.host.groups.find(({ id }) => id === this.project.group)?.members.set(user.id, LEVELS[role]);
  }

  dispatches(): HostedDispatch[] {
    const dispatched = this.project.pipelines.filter(({ source }) => source === 'api');
    return dispatched.map((pipeline) => ({
      runId: String(pipeline.id),
      ref: pipeline.ref,
      workflow: undefined,
      inputs: pipeline.inputs,
      env: this.host.jobEnvironment(this.project, pipeline),
    }));
  }

  comments(number?: number): string[] {
    return this.project.mergeRequests
      .filter(({ iid }) => number === undefined || iid === number)
      .flatMap(({ notes }) =>
        notes.filter(({ author }) => this.host.isGroupBot(author)).map(({ body }) => body),
      );
  }

  statuses(sha: string): Record<string, HostedStatus> {
    const own = this.project.statuses.filter((status) => status.sha === sha);
    return Object.fromEntries(
      own.map(({ name, state, description, target_url }) => [
        name,
        { state: state === 'failed' ? 'failure' : state, description, targetUrl: target_url },
      ]),
    );
  }

  isMerged(number: number): boolean {
    return this.request(number).mergedSha !== null;
  }

  openIssues(): { number: number; title: string; body: string }[] {
    return this.project.issues
      .filter(({ state }) => state === 'opened')
      .map(({ iid, title, description }) => ({ number: iid, title, body: description }));
  }

  private request(number: number): GitlabMergeRequest {
    const request = this.project.mergeRequests.find(({ iid }) => iid === number);
    if (!request) throw new Error(`there is no merge request ${number}`);
    return request;
  }

  private async deliver(kind: string, payload: Record<string, unknown>, id?: string): Promise<void> {
    const whole = {
      object_kind: kind,
      project: this.host.hookProject(this.project),
      project_id: this.project.id,
      ...payload,
    };
    const { url, secret } = this.webhook;
    const status = await this.host.deliver(url, secret, whole, id === undefined ? {} : { id });
    if (status !== 200) throw new Error(`the service answered ${status} to ${kind}`);
    await this.processed();
  }
}
