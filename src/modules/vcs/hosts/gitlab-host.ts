import type {
  CiRun,
  CloneCredentials,
  CodeHost,
  CommentReaction,
  CommitStatus,
  DispatchRequest,
  DispatchResult,
  HostInstallation,
  HostIssue,
  HostPlace,
  MergeResult,
  RepositoryRole,
  Reviewers,
  WrittenComment,
} from './code-host.js';
import { AdaptsCodeHost } from './code-hosts.js';
import { requireFinal } from './dispatch-answers.js';
import { GitlabApi, projectPath } from './gitlab-api.js';
import { toRole, toRun } from './gitlab-mapping.rules.js';
import { found, GitlabReader, itemsOf } from './gitlab-reader.js';
import {
  contested,
  isOpen,
  newestOfEach,
  pipelinesToRead,
  type SourcedStatus,
  toSourcedStatus,
} from './gitlab-statuses.rules.js';
import { idAt, listAt, ordinalAt, textAt, toWrittenComment } from './json-fields.js';
import { present, presentItems } from './present.js';

const MAX_DESCRIPTION_LENGTH = 255;
/** Whose jobs are listed to tell jobs from posted statuses. */
const MAX_READ_PIPELINES = 20;
const STATES = { pending: 'pending', success: 'success', failure: 'failed' } as const;
const REACTIONS = { eyes: 'eyes', '+1': 'thumbsup', confused: 'confused' } as const;

@AdaptsCodeHost('gitlab')
export class GitlabHost extends GitlabReader implements CodeHost {
  readonly provider = 'gitlab';
  readonly maxCommentLength = 1_000_000;

  constructor(api: GitlabApi) {
    super(api);
  }

  async requestReviewers(place: HostPlace, number: number, { usernames }: Reviewers): Promise<void> {
    const route = '/merge_requests/{n}';
    const asked = (await this.ask(place, `/merge_requests/${number}`, { route })).orRefused();
    const before = presentItems(listAt(asked.json, 'reviewers').map((json) => idAt(json, 'id')));
    const ids = new Set(before);
    for (const username of usernames) {
      const id = await this.findUserId(place.installation, username);
      if (id !== undefined) ids.add(id);
    }
    if (ids.size === before.length) return;
    // The list replaces the one that stands there.
    await this.write(place, 'PUT', `/merge_requests/${number}`, {
      route,
      json: { reviewer_ids: [...ids].map(Number) },
      isRepeatable: true,
    });
  }

  async mergePullRequest(
    place: HostPlace,
    number: number,
    { sha, deletesBranch }: { sha: string; deletesBranch: boolean },
  ): Promise<MergeResult> {
    const answer = await this.ask(place, `/merge_requests/${number}/merge`, {
      method: 'PUT',
      route: '/merge_requests/{n}/merge',
      json: { sha, should_remove_source_branch: deletesBranch },
    });
    if (answer.status === 409) return { result: 'outdated' };
    if ([401, 403, 404, 405, 406, 422].includes(answer.status))
      return { result: 'refused', reason: answer.reason };
    answer.orRefused();
    return { result: 'merged' };
  }

  async createComment(place: HostPlace, number: number, text: string): Promise<WrittenComment> {
    const answer = await this.write(place, 'POST', `/merge_requests/${number}/notes`, {
      route: '/merge_requests/{n}/notes',
      json: { body: withoutQuickActions(text) },
    });
    return present(toWrittenComment(answer.json));
  }

  async updateComment(
    place: HostPlace,
    { number, id }: { number: number; id: string },
    text: string,
  ): Promise<void> {
    const answer = await this.ask(place, `/merge_requests/${number}/notes/${encodeURIComponent(id)}`, {
      method: 'PUT',
      route: '/merge_requests/{n}/notes/{id}',
      json: { body: withoutQuickActions(text) },
      isRepeatable: true,
    });
    if (answer.status !== 404) answer.orRefused();
  }

  async addReaction(
    place: HostPlace,
    { number, id }: { number: number; id: string },
    reaction: CommentReaction,
  ): Promise<void> {
    const path = `/merge_requests/${number}/notes/${encodeURIComponent(id)}/award_emoji`;
    const answer = await this.ask(place, path, {
      method: 'POST',
      route: '/merge_requests/{n}/notes/{id}/award_emoji',
      json: { name: REACTIONS[reaction] },
      isRepeatable: true,
    });
    // 404 with "has already been taken": it stands there.
    if (answer.status !== 404) answer.orRefused();
  }

  async setStatus(place: HostPlace, sha: string, status: CommitStatus): Promise<void> {
    const { context, state, description, targetUrl } = status;
    const answer = await this.ask(place, `/statuses/${encodeURIComponent(sha)}`, {
      method: 'POST',
      route: '/statuses/{sha}',
      json: {
        name: context,
        state: STATES[state],
        description:
          description.length <= MAX_DESCRIPTION_LENGTH
            ? description
            : `${description.slice(0, MAX_DESCRIPTION_LENGTH - 1)}…`,
        target_url: targetUrl,
      },
      isRepeatable: true,
    });
    // The same status as before is refused.
    if (answer.status !== 400 || !/cannot transition/i.test(answer.bytes.toString())) answer.orRefused();
  }

  async listStatuses(place: HostPlace, sha: string, signal?: AbortSignal): Promise<CommitStatus[]> {
    const items: unknown[] = [];
    const call = {
      path: projectPath(place, `/repository/commits/${encodeURIComponent(sha)}/statuses`),
      route: '/projects/{id}/repository/commits/{sha}/statuses',
      signal,
    };
    for await (const answer of this.api.pages(place.installation, call)) items.push(...itemsOf(answer));
    const statuses = presentItems(items.map(toSourcedStatus));
    const own = await this.listOwnJobs(place, { sha, statuses }, signal);
    const others = statuses.filter(({ id }) => !own.has(String(id)));
    const pipelines = pipelinesToRead(others).slice(0, MAX_READ_PIPELINES);
    const jobs = new Set<string>();
    for (const id of pipelines) for (const job of await this.listJobs(place, id, signal)) jobs.add(job);
    return newestOfEach(others, { pipelines: new Set(pipelines), jobs });
  }

  /**
   * Ids of the jobs of pipelines that this service has started, among what has not succeeded and what may hide it. GitLab
   * puts statuses of others into a pipeline, too: only its list of jobs tells them apart. Asked are the pipelines that hold
   * one of them, newest first, until nothing is left that has not succeeded.
   */
  private async listOwnJobs(
    place: HostPlace,
    { sha, statuses }: { sha: string; statuses: readonly SourcedStatus[] },
    signal: AbortSignal | undefined,
  ): Promise<ReadonlySet<string>> {
    const own = new Set<string>();
    let left = contested(statuses);
    const open = left.filter(isOpen);
    if (open.length === 0) return own;
    const username = await this.readOwnName(place.installation, signal);
    const pipelines = {
      path: projectPath(place, '/pipelines'),
      route: '/projects/{id}/pipelines',
      query: { sha, source: 'api', username },
      signal,
    };
    for await (const answer of this.api.pages(place.installation, pipelines))
      for (const { id } of presentItems(itemsOf(answer).map(toRun))) {
        if (!left.some(({ pipelineId }) => pipelineId === undefined || pipelineId === id)) continue;
        for (const job of await this.listJobs(place, id, signal)) own.add(job);
        left = left.filter((one) => one.pipelineId !== id && !own.has(String(one.id)));
        const areOwn = !open.some((one) => !own.has(String(one.id)));
        if (areOwn || left.length === 0) return own;
      }
    return own;
  }

  private async listJobs(
    place: HostPlace,
    pipelineId: string,
    signal: AbortSignal | undefined,
  ): Promise<string[]> {
    const call = {
      path: projectPath(place, `/pipelines/${encodeURIComponent(pipelineId)}/jobs`),
      route: '/projects/{id}/pipelines/{id}/jobs',
      query: { include_retried: 'true' },
      signal,
    };
    const ids: string[] = [];
    for await (const page of this.api.pages(place.installation, call))
      ids.push(...presentItems(itemsOf(page).map((json) => idAt(json, 'id'))));
    return ids;
  }

  async findRole(place: HostPlace, username: string, signal?: AbortSignal): Promise<RepositoryRole> {
    const userId = await this.findUserId(place.installation, username, signal);
    if (userId === undefined) return 'none';
    const call = { route: '/members/all/{user}', signal };
    return found(await this.ask(place, `/members/all/${userId}`, call), toRole) ?? 'none';
  }

  /** A team is a group, named by its path. */
  async isTeamMember(
    installation: HostInstallation,
    { team, username }: { team: string; username: string },
    signal?: AbortSignal,
  ): Promise<boolean> {
    const userId = await this.findUserId(installation, username, signal);
    if (userId === undefined) return false;
    const answer = await this.api.send(installation, {
      path: `/groups/${encodeURIComponent(team)}/members/all/${userId}`,
      route: '/groups/{id}/members/all/{user}',
      signal,
    });
    return answer.status !== 404 && textAt(answer.orRefused().json, 'state') === 'active';
  }

  async dispatch(place: HostPlace, { ref, inputs }: DispatchRequest): Promise<DispatchResult> {
    const answer = await this.ask(place, '/pipeline', { method: 'POST', json: { ref, inputs } });
    if (answer.isSuccess)
      return {
        result: 'dispatched',
        runId: idAt(answer.json, 'id') ?? null,
        webUrl: textAt(answer.json, 'web_url') ?? null,
      };
    requireFinal(answer);
    const { reason } = answer;
    if (/missing ci config|config file.*not (found|exist)/i.test(reason))
      return { result: 'missing', reason };
    return { result: /input/i.test(reason) ? 'inputs' : 'refused', reason };
  }

  async listRuns(
    place: HostPlace,
    { ref, since }: { ref: string; since: Date },
    signal?: AbortSignal,
  ): Promise<CiRun[]> {
    const query = { ref, source: 'api', updated_after: since.toISOString(), per_page: 100 };
    const answer = await this.ask(place, '/pipelines', { query, signal });
    if (answer.status === 404) return [];
    return presentItems(itemsOf(answer.orRefused()).map(toRun)).filter((run) => run.createdAt >= since);
  }

  async findRun(place: HostPlace, runId: string, signal?: AbortSignal): Promise<CiRun | undefined> {
    const call = { route: '/pipelines/{id}', signal };
    return found(await this.ask(place, `/pipelines/${encodeURIComponent(runId)}`, call), toRun);
  }

  async cancelRun(place: HostPlace, runId: string): Promise<void> {
    const answer = await this.ask(place, `/pipelines/${encodeURIComponent(runId)}/cancel`, {
      method: 'POST',
      route: '/pipelines/{id}/cancel',
      isRepeatable: true,
    });
    if (answer.status !== 404) answer.orRefused();
  }

  async readCloneCredentials(place: HostPlace): Promise<CloneCredentials> {
    const repository = await this.findRepository(place.installation, place.repository.providerId);
    const password = await this.api.requireToken(place.installation);
    return { cloneUrl: present(repository).cloneUrl, username: 'oauth2', password };
  }

  async listOpenIssues(place: HostPlace, label: string): Promise<HostIssue[]> {
    const issues: HostIssue[] = [];
    const call = {
      path: projectPath(place, '/issues'),
      route: '/projects/{id}/issues',
      query: { labels: label, state: 'opened' },
    };
    for await (const answer of this.api.pages(place.installation, call))
      for (const json of itemsOf(answer)) {
        const number = ordinalAt(json, 'iid');
        if (number !== undefined)
          issues.push({
            number,
            title: textAt(json, 'title') ?? '',
            body: textAt(json, 'description') ?? '',
          });
      }
    return issues;
  }

  async createIssue(
    place: HostPlace,
    { title, body, label }: { title: string; body: string; label: string },
  ): Promise<number> {
    const json = { title, description: withoutQuickActions(body), labels: label };
    const answer = await this.write(place, 'POST', '/issues', { route: '/issues', json });
    return present(ordinalAt(answer.json, 'iid'));
  }

  async closeIssue(place: HostPlace, number: number): Promise<void> {
    await this.write(place, 'PUT', `/issues/${number}`, {
      route: '/issues/{n}',
      json: { state_event: 'close' },
      isRepeatable: true,
    });
  }
}

/** GitLab acts on lines that begin with a slash, with the rights of the token that wrote them. */
function withoutQuickActions(text: string): string {
  return text.replace(/^\//gm, ' /');
}
