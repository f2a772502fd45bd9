import { createHash } from 'node:crypto';
import type {
  GithubCheck,
  GithubInstallation,
  GithubPull,
  GithubRepository,
  GithubRun,
  GithubStandIn,
} from './github-stand-in.js';
import { page, refuse, type Route, type StandInAnswer, type StandInRequest } from './stand-in-server.js';

type RepositoryHandler = (
  repository: GithubRepository,
  request: StandInRequest,
  ...rest: string[]
) => StandInAnswer;

const STATUSES: Readonly<Record<string, string>> = { A: 'added', D: 'removed', M: 'modified', R: 'renamed' };

/** `/repos/{owner}/{name}/…` of the stand-in. */
export function githubRepositoryRoutes(host: GithubStandIn): Route[] {
  const route = (method: string, rest: string, handle: RepositoryHandler): Route => ({
    method,
    path: new RegExp(`^/api/v3/repos/([^/]+)/([^/]+)${rest}$`),
    handle: (request, owner = '', name = '', ...captured) =>
      host.asInstallation(request, (installation) =>
        within(installation, owner, name, (r) => handle(r, request, ...captured)),
      ),
  });
  const within = (
    installation: GithubInstallation,
    owner: string,
    name: string,
    handle: (repository: GithubRepository) => StandInAnswer,
  ): StandInAnswer => {
    const repository = host
      .repositoriesOf(installation)
      .find((one) => one.owner === owner && one.name === name);
    return repository ? handle(repository) : refuse(404, 'Not Found');
  };
  return [
    route('GET', '/git/trees/(.+)', ({ git }, _request, ref = '') => {
      const tree = git.tree(ref);
      return tree ? { json: { sha: git.sha(ref), tree, truncated: false } } : refuse(404, 'Not Found');
    }),
    route('GET', '/contents/(.+)', ({ git }, { url }, path = '') => {
      const bytes = git.file(url.searchParams.get('ref') ?? git.defaultBranch, path);
      return bytes ? { bytes } : refuse(404, 'Not Found');
    }),
    route('GET', '/git/ref/heads/(.+)', ({ git }, _request, branch = '') => {
      const sha = git.sha(`refs/heads/${branch}`);
      return sha === undefined
        ? refuse(404, 'Not Found')
        : { json: { ref: `refs/heads/${branch}`, object: { sha } } };
    }),
    route('GET', '/compare/(.+)\\.\\.\\.(.+)', ({ git }, _request, base = '', head = '') => {
      if (git.sha(base) === undefined || git.sha(head) === undefined) return refuse(404, 'Not Found');
      const files = filesOf(git.changes(base, head)).slice(0, 300);
      return { json: { merge_base_commit: { sha: git.mergeBase(base, head) }, files } };
    }),
    route('GET', '/pulls/(\\d+)', (repository, _request, number) => {
      const pull = find(repository, number);
      return pull ? { json: pullJson(repository, pull) } : refuse(404, 'Not Found');
    }),
    route('GET', '/pulls/(\\d+)/files', (repository, request, number) => {
      const pull = find(repository, number);
      return pull
        ? page(
            request,
            filesOf(
              repository.git.changes(pull.mergedSha === null ? pull.base : pull.baseSha, pull.branch),
            ).slice(0, 3000),
          )
        : refuse(404, 'Not Found');
    }),
    route('GET', '/pulls/(\\d+)/reviews', (repository, request, number) =>
      page(
        request,
        (find(repository, number)?.reviews ?? []).map(({ user, ...rest }) => ({
          ...rest,
          user: host.authorJson(user)['user'],
        })),
      ),
    ),
    route('GET', '/activity', ({ pushes }, { url }) => ({
      json: pushes
        .filter(({ branch }) => url.searchParams.get('ref') === `refs/heads/${branch}`)
        .map(({ branch, sha, user }) => ({
          activity_type: 'push',
          ref: `refs/heads/${branch}`,
          after: sha,
          actor: { login: user },
        }))
        .toReversed(),
    })),
    route('POST', '/pulls/(\\d+)/requested_reviewers', (repository, { json }, number) => {
      const pull = find(repository, number);
      if (!pull) return refuse(404, 'Not Found');
      const { reviewers: users = [], team_reviewers: teams = [] } = json as Record<string, string[]>;
      const isUser = (name: string) => repository.permissions.has(name) && name !== pull.author;
      if (!users.every(isUser) || !teams.every((team) => host.teams.has(team)))
        return refuse(422, 'Reviews may only be requested from collaborators.');
      pull.requested.users = [...new Set([...pull.requested.users, ...users])];
      pull.requested.teams = [...new Set([...pull.requested.teams, ...teams])];
      return { status: 201 };
    }),
    route('PUT', '/pulls/(\\d+)/merge', (repository, { json }, number) => {
      const pull = find(repository, number);
      if (!pull || pull.state !== 'open') return refuse(405, 'Pull Request is not mergeable');
      if (json['sha'] !== repository.git.sha(pull.branch)) return refuse(409, 'Head branch was modified');
      const missing = missingStatuses(repository, String(json['sha']));
      if (missing.length > 0)
        return refuse(405, `Required status check "${missing.join('", "')}" is expected.`);
      merge(repository, pull);
      return { json: { merged: true, sha: pull.mergedSha } };
    }),
    route('DELETE', '/git/refs/heads/(.+)', ({ git }, _request, branch = '') => {
      git.git('update-ref', '-d', `refs/heads/${branch}`);
      return { status: 204 };
    }),
    route('GET', '/issues/(\\d+)/comments', ({ comments }, request, number) =>
      page(
        request,
        comments.filter((one) => one.number === Number(number)).map((one) => commentJson(host, one)),
      ),
    ),
    route('POST', '/issues/(\\d+)/comments', (repository, { json }, number) => {
      const body = String(json['body']);
      if (body.length > 65_536) return refuse(422, 'Body is too long (maximum is 65536 characters)');
      const comment = {
        id: host.nextId(),
        number: Number(number),
        body,
        user: host.appLogin,
        createdAt: wholeSeconds(new Date()),
      };
      repository.comments.push(comment);
      return { status: 201, json: commentJson(host, comment) };
    }),
    route('GET', '/issues/comments/(\\d+)', (repository, _request, id) => {
      const comment = repository.comments.find((one) => one.id === Number(id));
      return comment ? { json: commentJson(host, comment) } : refuse(404, 'Not Found');
    }),
    route('PATCH', '/issues/comments/(\\d+)', (repository, { json }, id) => {
      const comment = repository.comments.find((one) => one.id === Number(id));
      if (!comment) return refuse(404, 'Not Found');
      comment.body = String(json['body']);
      return { json: { id: comment.id } };
    }),
    route('POST', '/issues/comments/(\\d+)/reactions', (repository, { json }, id) => {
      const reaction = { comment: Number(id), content: String(json['content']) };
      const isKnown = repository.reactions.some(
        ({ comment, content }) => comment === reaction.comment && content === reaction.content,
      );
      if (!isKnown) repository.reactions.push(reaction);
      return { status: isKnown ? 200 : 201 };
    }),
    route('POST', '/statuses/([0-9a-f]+)', (repository, { json }, sha = '') => {
      const { context, state, description = '', target_url } = json as Record<string, string>;
      if (description.length > 140) return refuse(422, 'description is too long (maximum is 140 characters)');
      repository.statuses.push({
        sha,
        context: context ?? '',
        state: state ?? '',
        description,
        ...(target_url ? { target_url } : {}),
      });
      return { status: 201 };
    }),
    route('GET', '/commits/([^/]+)/status', ({ statuses }, request, sha) => {
      const newest = new Map(statuses.filter((one) => one.sha === sha).map((one) => [one.context, one]));
      return page(request, [...newest.values()], 'statuses');
    }),
    route('GET', '/commits/([^/]+)/check-runs', (repository, request, sha) =>
      page(
        request,
        newestInSuites(checksOf(host, repository).filter((one) => one.sha === sha)).map(checkJson),
        'check_runs',
      ),
    ),
    route('GET', '/collaborators/([^/]+)/permission', ({ permissions }, _request, login = '') => {
      const role = permissions.get(login) ?? 'none';
      return {
        json: {
          permission: role === 'maintain' ? 'write' : role === 'triage' ? 'read' : role,
          role_name: role,
        },
      };
    }),
    route('POST', '/actions/workflows/([^/]+)/dispatches', (repository, { json }, workflow = '') => {
      if (!host.knowsRunDetails && 'return_run_details' in json)
        return refuse(422, 'Invalid request.\n\n"return_run_details" is not a permitted key.');
      if (!repository.git.file(repository.git.defaultBranch, `.github/workflows/${workflow}`))
        return refuse(404, 'Not Found');
      const ref = String(json['ref']);
      if (repository.git.sha(`refs/heads/${ref}`) === undefined)
        return refuse(422, `No ref found for: ${ref}`);
      const declared = repository.git.file(ref, `.github/workflows/${workflow}`)?.toString() ?? '';
      const inputs = (json['inputs'] ?? {}) as Record<string, string>;
      const unexpected = Object.keys(inputs).filter((name) => !declared.includes(name));
      if (unexpected.length > 0)
        return refuse(422, `Unexpected inputs provided: ${JSON.stringify(unexpected)}`);
      const run = host.addRun(repository, {
        workflow,
        ref,
        inputs,
        event: 'workflow_dispatch',
        actor: host.appLogin,
        job: { id: host.nextId(), name: 'infrastate' },
      });
      return json['return_run_details'] === true
        ? { status: 200, json: { workflow_run_id: run.id, html_url: `${host.url}/runs/${run.id}` } }
        : { status: 204 };
    }),
    route('GET', '/actions/workflows/([^/]+)/runs', ({ runs }, { url }, workflow) => ({
      json: {
        workflow_runs: runs
          .filter((run) => run.workflow === workflow && run.ref === url.searchParams.get('branch'))
          .map((run) => runJson(host, run))
          .reverse(),
      },
    })),
    route('GET', '/actions/runs', ({ runs }, request) => {
      const [sha, event] = ['head_sha', 'event'].map((name) => request.url.searchParams.get(name));
      const found = runs.filter((run) => run.sha === sha && (event === null || run.event === event));
      return page(
        request,
        found.map((run) => runJson(host, run)),
        'workflow_runs',
      );
    }),
    route('GET', '/actions/runs/(\\d+)', ({ runs }, _request, id) => {
      const run = runs.find((one) => one.id === Number(id));
      return run ? { json: runJson(host, run) } : refuse(404, 'Not Found');
    }),
    route('POST', '/actions/runs/(\\d+)/cancel', ({ runs }, _request, id) => {
      const run = runs.find((one) => one.id === Number(id));
      if (!run) return refuse(404, 'Not Found');
      if (run.status === 'completed') return refuse(409, 'Cannot cancel a workflow run that is completed.');
      Object.assign(run, { status: 'completed', conclusion: 'cancelled' });
      return { status: 202 };
    }),
    route('GET', '/issues', ({ issues }, request) => {
      const label = request.url.searchParams.get('labels') ?? '';
      return page(
        request,
        issues.filter((one) => one.state === 'open' && one.labels.includes(label)),
      );
    }),
    route('POST', '/issues', ({ issues }, { json }) => {
      const issue = {
        number: 1000 + issues.length,
        title: String(json['title']),
        body: String(json['body']),
        labels: json['labels'] as string[],
        state: 'open',
      };
      issues.push(issue);
      return { status: 201, json: { number: issue.number } };
    }),
    route('PATCH', '/issues/(\\d+)', ({ issues }, { json }, number) => {
      const issue = issues.find((one) => one.number === Number(number));
      if (!issue) return refuse(404, 'Not Found');
      issue.state = String(json['state']);
      return { json: { number: issue.number } };
    }),
  ];
}

/** Merges at the host itself, as somebody would in the browser. */
export function merge({ git }: GithubRepository, pull: GithubPull): void {
  pull.mergedSha = git.merge(pull.base, pull.branch);
  pull.state = 'closed';
  pull.closedAt = new Date().toISOString();
  pull.updatedAt = pull.closedAt;
}

function missingStatuses({ requiredStatuses, statuses }: GithubRepository, sha: string): string[] {
  return requiredStatuses.filter((context) => {
    const newest = statuses.findLast((one) => one.sha === sha && one.context === context);
    return newest?.state !== 'success';
  });
}

function find({ pulls }: GithubRepository, number: string | undefined): GithubPull | undefined {
  return pulls.find((pull) => pull.number === Number(number));
}

function pullJson(repository: GithubRepository, pull: GithubPull): Record<string, unknown> {
  const { git } = repository;
  const isKnown = pull.unknownFor <= 0;
  pull.unknownFor -= 1;
  const isOpen = pull.state === 'open';
  return {
    number: pull.number,
    title: pull.title,
    user: { login: pull.author },
    state: pull.state,
    draft: pull.draft,
    merged: pull.mergedSha !== null,
    mergeable: isOpen && isKnown ? git.isMergeable(pull.base, pull.branch) : null,
    merged_at: pull.mergedSha === null ? null : pull.closedAt,
    merge_commit_sha: pull.mergedSha,
    closed_at: pull.closedAt,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    head: { ref: pull.branch, sha: git.sha(pull.branch), repo: { id: pull.isFork ? 1 : repository.id } },
    base: { ref: pull.base, sha: pull.baseSha, repo: { id: repository.id } },
  };
}

function runJson(host: GithubStandIn, run: GithubRun): Record<string, unknown> {
  const { id, workflow, sha, event, actor, status, conclusion, createdAt } = run;
  return {
    id,
    workflow_id: Number.parseInt(createHash('sha256').update(workflow).digest('hex').slice(0, 8), 16),
    head_sha: sha,
    event,
    actor: { login: actor },
    status,
    conclusion,
    html_url: `${host.url}/runs/${id}`,
    created_at: createdAt,
  };
}

/** A job of a workflow is a check of the app of Actions, in the suite of its run. */
function checksOf(host: GithubStandIn, { owner, name, runs, checks }: GithubRepository): GithubCheck[] {
  const jobs = runs.map(({ id, sha, status, conclusion, job }) => ({
    id: job.id,
    sha,
    name: job.name,
    app: 'github-actions',
    suite: id,
    status,
    conclusion,
    detailsUrl: `${host.url}/${owner}/${name}/actions/runs/${id}/job/${job.id}`,
  }));
  return [...jobs, ...checks];
}

function newestInSuites(checks: readonly GithubCheck[]): GithubCheck[] {
  const newest = new Map<string, GithubCheck>();
  for (const check of checks.toSorted((a, b) => a.id - b.id))
    newest.set(JSON.stringify([check.suite, check.app, check.name]), check);
  return [...newest.values()];
}

function checkJson({ id, sha, name, app, suite, status, conclusion, detailsUrl }: GithubCheck) {
  return {
    id,
    head_sha: sha,
    name,
    status,
    conclusion,
    details_url: detailsUrl,
    output: { title: null },
    check_suite: { id: suite },
    app: { slug: app },
  };
}

function filesOf(changes: ReturnType<GithubRepository['git']['changes']>): Record<string, unknown>[] {
  return changes.map(({ status, path, previousPath }) => ({
    filename: path,
    status: STATUSES[status] ?? 'modified',
    ...(previousPath === undefined ? {} : { previous_filename: previousPath }),
  }));
}

/** GitHub says times in whole seconds. */
export function wholeSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d+/, '');
}

function commentJson(
  host: GithubStandIn,
  { id, body, user, createdAt }: GithubRepository['comments'][number],
): Record<string, unknown> {
  return { id, body, ...host.authorJson(user), created_at: createdAt };
}
