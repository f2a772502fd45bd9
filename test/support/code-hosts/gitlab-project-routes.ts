import type { GitlabMergeRequest, GitlabPipeline, GitlabProject, GitlabStandIn } from './gitlab-stand-in.js';
import { actOn, extractQuickActions } from './gitlab-quick-actions.js';
import { page, refuse, type Route, type StandInAnswer, type StandInRequest } from './stand-in-server.js';

type ProjectHandler = (
  project: GitlabProject,
  request: AuthorizedRequest,
  ...rest: string[]
) => StandInAnswer;
interface AuthorizedRequest extends StandInRequest {
  /** whose token it carries */
  username: string;
}

/** `/projects/{id}/…` of the stand-in. */
export function gitlabProjectRoutes(host: GitlabStandIn): Route[] {
  const route = (method: string, rest: string, handle: ProjectHandler): Route => ({
    method,
    path: new RegExp(`^/api/v4/projects/(\\d+)${rest}$`),
    handle: (request, id, ...captured) =>
      host.asToken(request, (token) => {
        const project = host.projects.find((one) => one.id === Number(id));
        if (!project || !host.isIn(token, project.group)) return refuse(404, '404 Project Not Found');
        return handle(project, { ...request, username: token.user.username }, ...captured);
      }),
  });
  return [
    route('GET', '', (project) => ({ json: host.projectJson(project) })),
    route('GET', '/repository/tree', ({ git }, request) => {
      const tree = git.tree(request.url.searchParams.get('ref') ?? git.defaultBranch);
      return tree
        ? page(
            request,
            tree.map(({ sha, ...entry }) => ({ ...entry, id: sha })),
          )
        : refuse(404, '404 Tree Not Found');
    }),
    route('GET', '/repository/files/(.+)/raw', ({ git }, { url }, path = '') => {
      const bytes = git.file(url.searchParams.get('ref') ?? git.defaultBranch, path);
      return bytes ? { bytes } : refuse(404, '404 File Not Found');
    }),
    route('GET', '/repository/branches/(.+)', ({ git }, _request, branch = '') => {
      const sha = git.sha(`refs/heads/${branch}`);
      return sha === undefined
        ? refuse(404, '404 Branch Not Found')
        : { json: { name: branch, commit: { id: sha } } };
    }),
    route('GET', '/repository/compare', ({ git }, { url }) => {
      const [from = '', to = ''] = ['from', 'to'].map((name) => url.searchParams.get(name) ?? '');
      if (git.sha(from) === undefined || git.sha(to) === undefined) return refuse(404, '404 Not Found');
      const isStraight = url.searchParams.get('straight') === 'true';
      const diffs = diffsOf(git.changes(from, to, isStraight ? '..' : '...'));
      return { json: { diffs, compare_timeout: false } };
    }),
    route('GET', '/repository/merge_base', ({ git }, { url }) => {
      const [base = '', head = ''] = url.searchParams.getAll('refs[]');
      return { json: { id: git.mergeBase(base, head) } };
    }),
    route('GET', '/merge_requests/(\\d+)', (project, _request, iid) => {
      const request = find(project, iid);
      return request ? { json: requestJson(project, request) } : refuse(404, '404 Not found');
    }),
    route('GET', '/merge_requests/(\\d+)/diffs', (project, request, iid) => {
      const found = find(project, iid);
      return found
        ? page(request, diffsOf(project.git.changes(found.base, found.branch)))
        : refuse(404, '404 Not found');
    }),
    route('GET', '/merge_requests/(\\d+)/approvals', (project, _request, iid) => ({
      json: {
        approved_by: (find(project, iid)?.approvedBy ?? []).map((name) => ({
          user: host.findOrAddUser(name),
        })),
      },
    })),
    route('GET', '/events', ({ pushes }, { url }) => ({
      json: (url.searchParams.get('action') === 'pushed' ? pushes : [])
        .map(({ branch, sha, user }) => ({
          action_name: 'pushed to',
          author: { username: user },
          author_username: user,
          push_data: { ref_type: 'branch', ref: branch, commit_to: sha },
        }))
        .toReversed(),
    })),
    route('PUT', '/merge_requests/(\\d+)/merge', (project, { json }, iid) => {
      const request = find(project, iid);
      if (!request || request.state !== 'opened') return refuse(405, '405 Method Not Allowed');
      if (json['sha'] !== project.git.sha(request.branch))
        return refuse(409, 'SHA does not match HEAD of source branch');
      mergeRequest(project, request);
      return { json: requestJson(project, request) };
    }),
    route('PUT', '/merge_requests/(\\d+)', (project, { json }, iid) => {
      const request = find(project, iid);
      if (request && Array.isArray(json['reviewer_ids']))
        request.reviewers = json['reviewer_ids'] as number[];
      return request ? { json: requestJson(project, request) } : refuse(404, '404 Not found');
    }),
    route('POST', '/merge_requests/(\\d+)/notes', (project, { json, username: author }, iid) => {
      const text = String(json['body']);
      if (text.length > 1_000_000) return refuse(400, 'Note is too long (maximum is 1000000 characters)');
      const { rest: body, actions } = extractQuickActions(text);
      const request = find(project, iid);
      if (request) actOn(project, request, { actions, username: author });
      // Nothing but quick actions leaves no note.
      if (body === '') return { status: 202, json: { commands_changes: {}, summary: ['done'] } };
      const note = { id: host.nextId(), body, author, created_at: new Date().toISOString() };
      request?.notes.push(note);
      return { status: 201, json: noteJson(host, note) };
    }),
    route('GET', '/merge_requests/(\\d+)/notes', (project, request, iid) =>
      page(request, (find(project, iid)?.notes ?? []).map((note) => noteJson(host, note)).toReversed()),
    ),
    route('GET', '/merge_requests/(\\d+)/notes/(\\d+)', (project, _request, iid, id) => {
      const note = find(project, iid)?.notes.find((one) => one.id === Number(id));
      return note ? { json: noteJson(host, note) } : refuse(404, '404 Note Not Found');
    }),
    route('PUT', '/merge_requests/(\\d+)/notes/(\\d+)', (project, { json, username }, iid, id) => {
      const request = find(project, iid);
      const note = request?.notes.find((one) => one.id === Number(id));
      if (!request || !note) return refuse(404, '404 Note Not Found');
      const { rest, actions } = extractQuickActions(String(json['body']));
      actOn(project, request, { actions, username });
      note.body = rest;
      return { json: noteJson(host, note) };
    }),
    route('POST', '/merge_requests/(\\d+)/notes/(\\d+)/award_emoji', ({ awards }, { json }, _iid, note) => {
      const award = { note: Number(note), name: String(json['name']) };
      if (awards.some(({ note: of, name }) => of === award.note && name === award.name))
        return refuse(404, '404 Award Emoji Name has already been taken Not Found');
      awards.push(award);
      return { status: 201 };
    }),
    route('POST', '/statuses/([0-9a-f]+)', (project, { json }, sha = '') => {
      const { name = '', state = '', description = '', target_url } = json as Record<string, string>;
      const before = project.statuses.findLast((one) => one.sha === sha && one.name === name);
      if (before?.state === state)
        return refuse(
          400,
          `Cannot transition status via :enqueue from :${state} (Reason(s): Status cannot transition)`,
        );
      if (description.length > 255) return refuse(400, 'description is too long');
      const id = host.nextId();
      project.statuses.push({ id, sha, name, state, description, ...(target_url ? { target_url } : {}) });
      return { status: 201 };
    }),
    route('GET', '/repository/commits/([^/]+)/statuses', ({ statuses, pipelines }, request, sha) => {
      const newest = new Map(statuses.filter((one) => one.sha === sha).map((one) => [one.name, one]));
      const jobs = pipelines.filter((one) => one.sha === sha).map(jobJson);
      return page(request, [
        ...[...newest.values()].map(({ state, ...rest }) => ({ ...rest, status: state })),
        ...jobs,
      ]);
    }),
    route('GET', '/members/all/(\\d+)', ({ group }, _request, user) => {
      const level = host.groups.find(({ id }) => id === group)?.members.get(Number(user));
      return level === undefined
        ? refuse(404, '404 Not found')
        : { json: { access_level: level, state: 'active' } };
    }),
    route('POST', '/pipeline', (project, { json, username }) => {
      const ref = String(json['ref']);
      const path = project.pipelinePath ?? '.gitlab-ci.yml';
      const isElsewhere = path.includes('@') || path.includes('://');
      if (!isElsewhere && !project.git.file(ref, path))
        return { status: 400, json: { message: { base: ['Missing CI config file'] } } };
      const inputs = (json['inputs'] ?? {}) as Record<string, string>;
      const unknown = Object.keys(inputs).find((name) => !project.declaredInputs.includes(name));
      if (unknown !== undefined)
        return {
          status: 400,
          json: { message: { base: [`Given inputs not defined in the \`spec\` section: ${unknown}`] } },
        };
      const pipeline = host.addPipeline(project, {
        ref,
        inputs,
        source: 'api',
        username,
        job: { id: host.nextId(), name: 'infrastate' },
      });
      return { status: 201, json: pipelineJson(host, pipeline) };
    }),
    route('GET', '/pipelines', ({ pipelines }, request) => {
      const wanted = ['ref', 'sha', 'source', 'username'] as const;
      const { searchParams } = request.url;
      return page(
        request,
        pipelines
          .filter((one) => wanted.every((key) => [null, one[key]].includes(searchParams.get(key))))
          .map((one) => pipelineJson(host, one))
          .reverse(),
      );
    }),
    route('GET', '/pipelines/(\\d+)', ({ pipelines }, _request, id) => {
      const pipeline = pipelines.find((one) => one.id === Number(id));
      if (!pipeline) return refuse(404, '404 Not found');
      return { json: { ...pipelineJson(host, pipeline), user: { username: pipeline.username } } };
    }),
    route('GET', '/pipelines/(\\d+)/jobs', ({ pipelines }, request, id) =>
      page(request, pipelines.filter((one) => one.id === Number(id)).map(jobJson)),
    ),
    route('POST', '/pipelines/(\\d+)/cancel', ({ pipelines }, _request, id) => {
      const pipeline = pipelines.find((one) => one.id === Number(id));
      if (!pipeline) return refuse(404, '404 Not found');
      pipeline.status = 'canceled';
      return { json: pipelineJson(host, pipeline) };
    }),
    route('GET', '/issues', ({ issues }, request) => {
      const label = request.url.searchParams.get('labels');
      return page(
        request,
        issues.filter((one) => one.state === 'opened' && one.labels === label),
      );
    }),
    route('POST', '/issues', ({ issues }, { json }) => {
      const { rest: description, actions } = extractQuickActions(String(json['description']));
      const issue = {
        iid: issues.length + 1,
        title: String(json['title']),
        description,
        labels: String(json['labels']),
        state: actions.some(({ name }) => name === 'close') ? 'closed' : 'opened',
      };
      issues.push(issue);
      return { status: 201, json: issue };
    }),
    route('PUT', '/issues/(\\d+)', ({ issues }, { json }, iid) => {
      const issue = issues.find((one) => one.iid === Number(iid));
      if (!issue) return refuse(404, '404 Not found');
      if (json['state_event'] === 'close') issue.state = 'closed';
      return { json: issue };
    }),
  ];
}

/** Merges at the host itself, as somebody would in the browser. */
export function mergeRequest({ git }: GitlabProject, request: GitlabMergeRequest): void {
  request.mergedSha = git.merge(request.base, request.branch);
  request.state = 'merged';
  request.closedAt = new Date().toISOString();
  request.updatedAt = request.closedAt;
}

function find({ mergeRequests }: GitlabProject, iid: string | undefined): GitlabMergeRequest | undefined {
  return mergeRequests.find((request) => request.iid === Number(iid));
}

function requestJson(project: GitlabProject, request: GitlabMergeRequest): Record<string, unknown> {
  const { git, id } = project;
  const isKnown = request.unknownFor <= 0;
  request.unknownFor -= 1;
  const canBeMerged = git.isMergeable(request.base, request.branch) ? 'can_be_merged' : 'cannot_be_merged';
  return {
    iid: request.iid,
    title: request.title,
    author: { username: request.author },
    source_branch: request.branch,
    target_branch: request.base,
    sha: git.sha(request.branch),
    diff_refs: {
      base_sha: git.mergeBase(request.base, request.branch),
      head_sha: git.sha(request.branch),
      start_sha: git.sha(request.base),
    },
    state: request.state,
    draft: request.draft,
    reviewers: request.reviewers.map((id) => ({ id })),
    source_project_id: request.isFork ? 1 : id,
    target_project_id: id,
    merge_status: isKnown ? canBeMerged : 'checking',
    merge_commit_sha: request.mergedSha,
    merged_at: request.state === 'merged' ? request.closedAt : null,
    closed_at: request.closedAt,
    created_at: request.createdAt,
    updated_at: request.updatedAt,
  };
}

function pipelineJson(
  host: GitlabStandIn,
  pipeline: GitlabProject['pipelines'][number],
): Record<string, unknown> {
  const { id, ref, sha, status, createdAt } = pipeline;
  return { id, ref, sha, status, web_url: `${host.url}/pipelines/${id}`, created_at: createdAt };
}

function jobJson({ id, sha, ref, status, job }: GitlabPipeline): Record<string, unknown> {
  return { ...job, sha, ref, pipeline_id: id, status, description: null };
}

function diffsOf(changes: ReturnType<GitlabProject['git']['changes']>): Record<string, unknown>[] {
  return changes.map(({ status, path, previousPath, modes: [a_mode, b_mode] }) => ({
    a_mode,
    b_mode,
    new_path: path,
    old_path: previousPath ?? path,
    new_file: status === 'A',
    deleted_file: status === 'D',
    renamed_file: status === 'R',
  }));
}

function noteJson(
  host: GitlabStandIn,
  { id, body, author, created_at }: GitlabMergeRequest['notes'][number],
): Record<string, unknown> {
  return { id, body, author: host.findOrAddUser(author), created_at };
}
