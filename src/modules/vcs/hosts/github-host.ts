import { Clock } from '../../../platform/time/clock.js';
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
import { encodePath, GithubApi, repoPath } from './github-api.js';
import { requireFinal } from './dispatch-answers.js';
import { GithubCheckoutTokens } from './github-checkout-tokens.js';
import {
  needsOrigin,
  newestOfOthers,
  toCheck,
  toWorkflowRun,
  type WorkflowRun,
} from './github-checks.rules.js';
import { toRole, toRun, toStatus } from './github-mapping.rules.js';
import { found, GithubReader } from './github-reader.js';
import { idAt, listAt, ordinalAt, textAt, toWrittenComment } from './json-fields.js';
import { present, presentItems } from './present.js';
import type { ProviderAnswer } from './provider-requests.js';

const MAX_DESCRIPTION_LENGTH = 140;
const WITHOUT_DETAILS_MS = 3_600_000;

@AdaptsCodeHost('github')
export class GithubHost extends GithubReader implements CodeHost {
  readonly provider = 'github';
  readonly maxCommentLength = 65_536;
  /** the server refused `return_run_details`; it may be updated meanwhile */
  private withoutDetailsUntil = 0;

  constructor(
    api: GithubApi,
    private readonly checkoutTokens: GithubCheckoutTokens,
    private readonly clock: Clock,
  ) {
    super(api);
  }

  async requestReviewers(place: HostPlace, number: number, { usernames, teams }: Reviewers): Promise<void> {
    if (await this.askReviewers(place, number, { reviewers: usernames, team_reviewers: teams })) return;
    // One unknown name refuses the whole list.
    for (const username of usernames) await this.askReviewers(place, number, { reviewers: [username] });
    for (const team of teams) await this.askReviewers(place, number, { team_reviewers: [team] });
  }

  /** False when GitHub does not take the list as it is. */
  private async askReviewers(place: HostPlace, number: number, json: object): Promise<boolean> {
    const answer = await this.ask(place, 'POST', `/pulls/${number}/requested_reviewers`, {
      route: '/pulls/{n}/requested_reviewers',
      json,
      isRepeatable: true,
    });
    if (answer.status === 422) return false;
    answer.orRefused();
    return true;
  }

  async mergePullRequest(
    place: HostPlace,
    number: number,
    { sha, deletesBranch }: { sha: string; deletesBranch: boolean },
  ): Promise<MergeResult> {
    const pull = deletesBranch ? await this.findPullRequest(place, number) : undefined;
    const answer = await this.ask(place, 'PUT', `/pulls/${number}/merge`, {
      route: '/pulls/{n}/merge',
      json: { sha },
    });
    if (answer.status === 409) return { result: 'outdated' };
    if ([403, 404, 405, 422].includes(answer.status)) return { result: 'refused', reason: answer.reason };
    answer.orRefused();
    if (pull && !pull.isFork)
      await this.ask(place, 'DELETE', `/git/refs/heads/${encodePath(pull.branch)}`, {
        route: '/git/refs/{ref}',
      });
    return { result: 'merged' };
  }

  async createComment(place: HostPlace, number: number, text: string): Promise<WrittenComment> {
    const path = `/issues/${number}/comments`;
    const answer = await this.write(place, 'POST', path, {
      route: '/issues/{n}/comments',
      json: { body: text },
    });
    return present(toWrittenComment(answer.json));
  }

  async updateComment(place: HostPlace, { id }: { id: string }, text: string): Promise<void> {
    const answer = await this.ask(place, 'PATCH', `/issues/comments/${encodeURIComponent(id)}`, {
      route: '/issues/comments/{id}',
      json: { body: text },
      isRepeatable: true,
    });
    if (answer.status !== 404) answer.orRefused();
  }

  async addReaction(place: HostPlace, { id }: { id: string }, reaction: CommentReaction): Promise<void> {
    const answer = await this.ask(place, 'POST', `/issues/comments/${encodeURIComponent(id)}/reactions`, {
      route: '/issues/comments/{id}/reactions',
      json: { content: reaction },
      isRepeatable: true,
    });
    // Its author has deleted it.
    if (answer.status !== 404) answer.orRefused();
  }

  async setStatus(place: HostPlace, sha: string, status: CommitStatus): Promise<void> {
    const { context, state, description, targetUrl } = status;
    await this.write(place, 'POST', `/statuses/${encodeURIComponent(sha)}`, {
      route: '/statuses/{sha}',
      json: {
        context,
        state,
        description: shortened(description, MAX_DESCRIPTION_LENGTH),
        target_url: targetUrl,
      },
      isRepeatable: true,
    });
  }

  async listStatuses(place: HostPlace, sha: string, signal?: AbortSignal): Promise<CommitStatus[]> {
    const commit = repoPath(place, `/commits/${encodeURIComponent(sha)}`);
    const statuses: CommitStatus[] = [];
    const combined = { path: `${commit}/status`, route: '/repos/{repo}/commits/{sha}/status', signal };
    for await (const answer of this.api.pages(place.installation, combined))
      statuses.push(...presentItems(listAt(answer.json, 'statuses').map(toStatus)));
    const checks = { path: `${commit}/check-runs`, route: '/repos/{repo}/commits/{sha}/check-runs', signal };
    const found = [];
    for await (const answer of this.api.pages(place.installation, checks))
      found.push(...presentItems(listAt(answer.json, 'check_runs').map(toCheck)));
    const runs = needsOrigin(found) ? await this.listWorkflowRuns(place, sha, signal) : [];
    return [...statuses, ...newestOfOthers(found, runs)];
  }

  /** Runs of all workflows on a commit; GitHub itself says which of them this service has dispatched. */
  private async listWorkflowRuns(
    place: HostPlace,
    sha: string,
    signal: AbortSignal | undefined,
  ): Promise<WorkflowRun[]> {
    const app = await this.readApp(signal);
    const call = {
      path: repoPath(place, '/actions/runs'),
      route: '/repos/{repo}/actions/runs',
      query: { head_sha: sha },
      signal,
    };
    const runs: WorkflowRun[] = [];
    for await (const answer of this.api.pages(place.installation, call))
      runs.push(
        ...presentItems(listAt(answer.json, 'workflow_runs').map((json) => toWorkflowRun(json, app))),
      );
    return runs;
  }

  async findRole(place: HostPlace, username: string, signal?: AbortSignal): Promise<RepositoryRole> {
    const path = `/collaborators/${encodeURIComponent(username)}/permission`;
    const answer = await this.read(place, path, '/collaborators/{user}/permission', signal);
    return found(answer, toRole) ?? 'none';
  }

  async isTeamMember(
    installation: HostInstallation,
    { team, username }: { team: string; username: string },
    signal?: AbortSignal,
  ): Promise<boolean> {
    const [org, slug, person] = [installation.name, team, username].map(encodeURIComponent);
    const answer = await this.api.send(installation, {
      path: `/orgs/${org}/teams/${slug}/memberships/${person}`,
      route: '/orgs/{org}/teams/{team}/memberships/{user}',
      signal,
    });
    return answer.status !== 404 && textAt(answer.orRefused().json, 'state') === 'active';
  }

  async dispatch(place: HostPlace, request: DispatchRequest): Promise<DispatchResult> {
    const answer = await this.sendDispatch(place, request);
    if (answer.isSuccess)
      return {
        result: 'dispatched',
        runId: idAt(answer.json, 'workflow_run_id') ?? null,
        webUrl: textAt(answer.json, 'html_url') ?? null,
      };
    requireFinal(answer);
    if (answer.status === 404) return { result: 'missing', reason: answer.reason };
    return { result: 'refused', reason: answer.reason };
  }

  /** Servers that do not know `return_run_details` refuse it and dispatch nothing: they are asked without it. */
  private async sendDispatch(
    place: HostPlace,
    { workflow, ref, inputs }: DispatchRequest,
  ): Promise<ProviderAnswer> {
    const send = (more: object): Promise<ProviderAnswer> =>
      this.ask(place, 'POST', `/actions/workflows/${encodeURIComponent(workflow)}/dispatches`, {
        route: '/actions/workflows/{workflow}/dispatches',
        json: { ref, inputs, ...more },
      });
    if (this.withoutDetailsUntil > this.clock.now().getTime()) return send({});
    const answer = await send({ return_run_details: true });
    if (answer.status !== 422 || !answer.reason.includes('return_run_details')) return answer;
    this.withoutDetailsUntil = this.clock.now().getTime() + WITHOUT_DETAILS_MS;
    return send({});
  }

  async listRuns(
    place: HostPlace,
    { workflow, ref, since }: { workflow: string; ref: string; since: Date },
    signal?: AbortSignal,
  ): Promise<CiRun[]> {
    const answer = await this.api.send(place.installation, {
      path: repoPath(place, `/actions/workflows/${encodeURIComponent(workflow)}/runs`),
      route: '/repos/{repo}/actions/workflows/{workflow}/runs',
      query: { branch: ref, created: `>=${since.toISOString()}`, event: 'workflow_dispatch', per_page: 100 },
      signal,
    });
    if (answer.status === 404) return [];
    return presentItems(listAt(answer.orRefused().json, 'workflow_runs').map(toRun));
  }

  async findRun(place: HostPlace, runId: string, signal?: AbortSignal): Promise<CiRun | undefined> {
    const path = `/actions/runs/${encodeURIComponent(runId)}`;
    return found(await this.read(place, path, '/actions/runs/{id}', signal), toRun);
  }

  async cancelRun(place: HostPlace, runId: string): Promise<void> {
    const answer = await this.ask(place, 'POST', `/actions/runs/${encodeURIComponent(runId)}/cancel`, {
      route: '/actions/runs/{id}/cancel',
      isRepeatable: true,
    });
    // 409: it has ended already.
    if (![404, 409].includes(answer.status)) answer.orRefused();
  }

  async readCloneCredentials(place: HostPlace): Promise<CloneCredentials> {
    const repository = await this.findRepository(place.installation, place.repository.providerId);
    const password = await this.checkoutTokens.create(place);
    return { cloneUrl: present(repository).cloneUrl, username: 'x-access-token', password };
  }

  async listOpenIssues(place: HostPlace, label: string): Promise<HostIssue[]> {
    const issues: HostIssue[] = [];
    const call = {
      path: repoPath(place, '/issues'),
      route: '/repos/{repo}/issues',
      query: { labels: label, state: 'open' },
    };
    for await (const answer of this.api.pages(place.installation, call))
      for (const json of listAt({ items: answer.json }, 'items')) {
        const number = ordinalAt(json, 'number');
        if (number !== undefined)
          issues.push({ number, title: textAt(json, 'title') ?? '', body: textAt(json, 'body') ?? '' });
      }
    return issues;
  }

  async createIssue(
    place: HostPlace,
    { title, body, label }: { title: string; body: string; label: string },
  ): Promise<number> {
    const json = { title, body, labels: [label] };
    const answer = await this.write(place, 'POST', '/issues', { route: '/issues', json });
    return present(ordinalAt(answer.json, 'number'));
  }

  async closeIssue(place: HostPlace, number: number): Promise<void> {
    await this.write(place, 'PATCH', `/issues/${number}`, {
      route: '/issues/{n}',
      json: { state: 'closed' },
      isRepeatable: true,
    });
  }
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
