import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { BareRepository } from './bare-repository.js';
import { gitlabProjectRoutes } from './gitlab-project-routes.js';
import {
  page,
  refuse,
  type Route,
  type StandInAnswer,
  type StandInRequest,
  StandInServer,
} from './stand-in-server.js';

export interface GitlabMergeRequest {
  iid: number;
  title: string;
  author: string;
  branch: string;
  base: string;
  /** of another project */
  isFork: boolean;
  state: 'opened' | 'closed' | 'merged';
  draft: boolean;
  mergedSha: string | null;
  createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  approvedBy: string[];
  /** ids of users */
  reviewers: number[];
  notes: { id: number; body: string; author: string; created_at: string }[];
  /** answers before it is known whether it can be merged */
  unknownFor: number;
}

/** With one job, which stands among the statuses of its commit. */
export interface GitlabPipeline {
  id: number;
  ref: string;
  sha: string;
  inputs: Record<string, string>;
  source: string;
  username: string;
  status: string;
  createdAt: string;
  job: { id: number; name: string };
}

export interface GitlabProject {
  id: number;
  group: number;
  path: string;
  archived: boolean;
  /** a page of the list lacks it */
  isSkipped: boolean;
  git: BareRepository;
  mergeRequests: GitlabMergeRequest[];
  statuses: {
    id: number;
    sha: string;
    name: string;
    state: string;
    description: string;
    target_url?: string;
  }[];
  pipelines: GitlabPipeline[];
  /** `ci_config_path` of its settings; null: `.gitlab-ci.yml` */
  pipelinePath: string | null;
  /** inputs that the pipeline file declares with a default */
  declaredInputs: string[];
  /** what the events of the project show, in order */
  pushes: { branch: string; sha: string; user: string }[];
  awards: { note: number; name: string }[];
  issues: { iid: number; title: string; description: string; labels: string; state: string }[];
}

export interface GitlabUser {
  id: number;
  username: string;
  bot?: boolean;
}

interface Token {
  user: GitlabUser;
  scopes: string[];
  isRevoked: boolean;
  /** an OAuth grant rather than an access token */
  refresh?: string;
}

/** GitLab: REST, OAuth, git over HTTP, and webhooks that it sends. */
export class GitlabStandIn extends StandInServer {
  readonly users: GitlabUser[] = [];
  readonly groups: { id: number; path: string; name: string; members: Map<number, number> }[] = [];
  readonly projects: GitlabProject[] = [];
  readonly tokens = new Map<string, Token>();
  readonly clientSecret = randomBytes(16).toString('hex');
  private readonly codes = new Map<string, { username: string; challenge: string }>();
  /** lifetime of people's tokens */
  userTokenSeconds = 7200;
  refreshes = 0;
  signedInAs = 'ada';
  /** names under which somebody cloned or pushed over HTTP */
  readonly gitUsers = new Set<string>();
  private lastId = 500;

  protected readonly routes: readonly Route[] = [
    { method: 'GET', path: /^\/oauth\/authorize$/, handle: (r) => this.authorize(r) },
    { method: 'POST', path: /^\/oauth\/token$/, handle: (r) => this.exchange(r) },
    {
      method: 'GET',
      path: /^\/api\/v4\/user$/,
      handle: (r) => this.asToken(r, ({ user }) => ({ json: { ...user, avatar_url: `${this.url}/a.png` } })),
    },
    {
      method: 'GET',
      path: /^\/api\/v4\/users$/,
      handle: (r) =>
        this.asToken(r, () => ({
          json: this.users.filter(({ username }) => username === r.url.searchParams.get('username')),
        })),
    },
    {
      method: 'GET',
      path: /^\/api\/v4\/personal_access_tokens\/self$/,
      handle: (r) =>
        this.asToken(r, ({ user, scopes, isRevoked }) => ({
          json: { user_id: user.id, scopes, revoked: isRevoked, active: !isRevoked },
        })),
    },
    {
      method: 'GET',
      path: /^\/api\/v4\/groups$/,
      handle: (r) =>
        this.asToken(r, ({ user }) =>
          page(
            r,
            this.groups
              .filter(
                (g) =>
                  (g.members.get(user.id) ?? 0) >= Number(r.url.searchParams.get('min_access_level') ?? 0),
              )
              .map(({ id, path, name }) => ({ id, full_path: path, name })),
          ),
        ),
    },
    {
      method: 'GET',
      path: /^\/api\/v4\/groups\/(\d+)$/,
      handle: (r, id) =>
        this.asToken(r, (token) => {
          const group = this.groups.find((one) => one.id === Number(id));
          return group && this.isIn(token, group.id)
            ? { json: { id: group.id, full_path: group.path, name: group.name } }
            : refuse(404, '404 Group Not Found');
        }),
    },
    {
      method: 'GET',
      path: /^\/api\/v4\/groups\/([^/]+)\/members\/all\/(\d+)$/,
      handle: (r, group, user) => this.asToken(r, (token) => this.member(token, group ?? '', Number(user))),
    },
    {
      method: 'GET',
      path: /^\/api\/v4\/groups\/(\d+)\/projects$/,
      handle: (r, id) =>
        this.asToken(r, (token) =>
          this.isIn(token, Number(id))
            ? page(
                r,
                this.projects
                  .filter(({ group, isSkipped }) => group === Number(id) && !isSkipped)
                  .map((p) => this.projectJson(p)),
              )
            : refuse(404, '404 Group Not Found'),
        ),
    },
    ...gitlabProjectRoutes(this),
  ];

  get environment(): Record<string, string> {
    return {
      SERVICE_GITLAB_APP_ID: 'gitlab-app',
      SERVICE_GITLAB_APP_SECRET: this.clientSecret,
      SERVICE_GITLAB_API_BASE_URL: `${this.url}/api/v4`,
      SERVICE_GITLAB_WEB_BASE_URL: this.url,
    };
  }

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Ids of comments and runs are not those of an earlier start, as the service knows them already. */
  continueIdsFrom(id: number): void {
    this.lastId = id;
  }

  addUser(username: string): GitlabUser {
    const user = { id: this.nextId(), username };
    this.users.push(user);
    return user;
  }

  findOrAddUser(username: string): GitlabUser {
    return this.users.find((user) => user.username === username) ?? this.addUser(username);
  }

  /** Whether a user belongs to an access token of a group. */
  isGroupBot(username: string): boolean {
    return /^group_\d+_bot_/.test(username);
  }

  /** `members`: username to access level. */
  addGroup(path: string, members: Record<string, number> = {}): GitlabStandIn['groups'][number] {
    const levels = Object.entries(members).map(
      ([name, level]) => [this.users.find(({ username }) => username === name)?.id ?? 0, level] as const,
    );
    const group = { id: this.nextId(), path, name: path, members: new Map(levels) };
    this.groups.push(group);
    return group;
  }

  /** An access token of the group, with its bot user. */
  addGroupToken(groupId: number, level = 40, scopes = ['api']): string {
    const user = this.addUser(`group_${groupId}_bot_${randomBytes(4).toString('hex')}`);
    return this.addToken({ ...user, bot: true }, { groupId, level, scopes });
  }

  /** An access token of a person or service account, which becomes a member of the group. */
  addToken(
    user: GitlabUser,
    { groupId, level = 40, scopes = ['api'] }: { groupId: number; level?: number; scopes?: string[] },
  ): string {
    this.groups.find(({ id }) => id === groupId)?.members.set(user.id, level);
    const token = `glpat-${randomBytes(12).toString('hex')}`;
    this.tokens.set(token, { user, scopes, isRevoked: false });
    return token;
  }

  addProject(
    groupId: number,
    name: string,
    files: Record<string, string> = { 'README.md': 'hello\n' },
  ): GitlabProject {
    const group = this.groups.find(({ id }) => id === groupId);
    const path = `${group?.path ?? 'nowhere'}/${name}`;
    const git = new BareRepository(join(this.directory, 'git', `${path}.git`));
    if (Object.keys(files).length > 0) git.commit('main', files);
    const project: GitlabProject = {
      id: this.nextId(),
      group: groupId,
      path,
      archived: false,
      isSkipped: false,
      git,
      mergeRequests: [],
      statuses: [],
      pipelines: [],
      pipelinePath: null,
      declaredInputs: ['work_token', 'api_base_url'],
      pushes: [],
      awards: [],
      issues: [],
    };
    this.projects.push(project);
    return project;
  }

  addMergeRequest(
    project: GitlabProject,
    branch: string,
    files: Record<string, string | null>,
    author = 'ada',
  ): GitlabMergeRequest {
    if (Object.keys(files).length > 0) project.git.commit(branch, files);
    const now = new Date().toISOString();
    const request: GitlabMergeRequest = {
      iid: project.mergeRequests.length + 1,
      title: `Change ${branch}`,
      author,
      branch,
      base: 'main',
      state: 'opened',
      isFork: false,
      draft: false,
      mergedSha: null,
      createdAt: now,
      updatedAt: now,
      closedAt: null,
      approvedBy: [],
      reviewers: [],
      notes: [],
      unknownFor: 0,
    };
    project.mergeRequests.push(request);
    return request;
  }

  /** A pipeline that the service has nothing to do with. */
  addPipeline(
    project: GitlabProject,
    { ref, ...fields }: Pick<GitlabPipeline, 'ref'> & Partial<GitlabPipeline>,
  ): GitlabPipeline {
    const pipeline = {
      id: this.nextId(),
      ref,
      sha: project.git.sha(ref) ?? '',
      inputs: {},
      source: 'push',
      username: 'ada',
      status: 'pending',
      createdAt: new Date().toISOString(),
      job: { id: this.nextId(), name: 'test' },
      ...fields,
    };
    project.pipelines.push(pipeline);
    return pipeline;
  }

  async deliver(
    address: string,
    secret: string | undefined,
    payload: Record<string, unknown> | string,
    { id = randomUUID() }: { id?: string } = {},
  ): Promise<number> {
    const answer = await fetch(address, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Idempotency-Key': id,
        ...(secret === undefined ? {} : { 'X-Gitlab-Token': secret }),
      },
      body: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });
    await answer.text();
    return answer.status;
  }

  /** Somebody writes a comment on a merge request; answers what the webhook says of it. */
  say(
    project: GitlabProject,
    request: GitlabMergeRequest,
    body: string,
    author = request.author,
  ): Record<string, unknown> {
    const note = { id: this.nextId(), body, author, created_at: new Date().toISOString() };
    request.notes.push(note);
    return {
      object_kind: 'note',
      user: { username: author },
      project: this.hookProject(project),
      merge_request: { iid: request.iid },
      object_attributes: { id: note.id, note: body, action: 'create', noteable_type: 'MergeRequest' },
    };
  }

  projectJson({ id, path, archived, pipelinePath, git }: GitlabProject): Record<string, unknown> {
    return {
      id,
      path_with_namespace: path,
      default_branch: git.defaultBranch,
      archived,
      ci_config_path: pipelinePath,
      web_url: `${this.url}/${path}`,
      http_url_to_repo: `${this.url}/git/${path}.git`,
    };
  }

  /** As webhooks spell it. */
  hookProject({ id, path, git }: GitlabProject): Record<string, unknown> {
    return {
      id,
      path_with_namespace: path,
      default_branch: git.defaultBranch,
      web_url: `${this.url}/${path}`,
      git_http_url: `${this.url}/git/${path}.git`,
    };
  }

  /** What GitLab sets for a job; the token opens the project's repository. */
  jobEnvironment(project: GitlabProject, pipeline: GitlabPipeline): Record<string, string> {
    const url = new URL(`${this.url}/git/${project.path}.git`);
    url.username = 'gitlab-ci-token';
    url.password = jobTokenOf(pipeline);
    return { GITLAB_CI: 'true', CI_PIPELINE_ID: String(pipeline.id), CI_REPOSITORY_URL: url.href };
  }

  asToken(request: StandInRequest, handle: (token: Token) => StandInAnswer): StandInAnswer {
    const text = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const token = this.tokens.get(text);
    return token && !token.isRevoked ? handle(token) : refuse(401, '401 Unauthorized');
  }

  isIn({ user }: Token, groupId: number): boolean {
    return this.groups.find(({ id }) => id === groupId)?.members.has(user.id) === true;
  }

  protected serveGit(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    const [, name, rest = ''] = /^\/git\/(.+)\.git(\/.*)$/.exec(path) ?? [];
    const project = this.projects.find((one) => one.path === name);
    const basic = Buffer.from(
      request.headers.authorization?.slice('Basic '.length) ?? '',
      'base64',
    ).toString();
    const token = this.tokens.get(basic.replace(/^oauth2:/, ''));
    const isMember = token !== undefined && project !== undefined && this.isIn(token, project.group);
    const isJob = project?.pipelines.some((one) => basic === `gitlab-ci-token:${jobTokenOf(one)}`) === true;
    if (!project || !(isMember || isJob || this.gitLogins.has(basic))) return false;
    this.gitUsers.add(basic.replace(/:.*/, ''));
    project.git.serve(request, response, rest);
    return true;
  }

  private member(token: Token, group: string, userId: number): StandInAnswer {
    const found = this.groups.find(({ id, path }) => String(id) === group || path === group);
    const level = found?.members.get(userId);
    if (!found || !this.isIn(token, found.id) || level === undefined) return refuse(404, '404 Not found');
    return { json: { id: userId, access_level: level, state: 'active' } };
  }

  private authorize({ url }: StandInRequest): StandInAnswer {
    const target = new URL(url.searchParams.get('redirect_uri') ?? '');
    target.searchParams.set('state', url.searchParams.get('state') ?? '');
    const code = randomBytes(10).toString('hex');
    this.codes.set(code, {
      username: this.signedInAs,
      challenge: url.searchParams.get('code_challenge') ?? '',
    });
    target.searchParams.set('code', code);
    return { status: 302, headers: { Location: target.href } };
  }

  private exchange({ form }: StandInRequest): StandInAnswer {
    const refused = { status: 400, json: { error: 'invalid_grant' } };
    if (form.get('client_secret') !== this.clientSecret)
      return { status: 401, json: { error: 'invalid_client' } };
    if (form.get('grant_type') === 'refresh_token') {
      const [old, token] =
        [...this.tokens].find(([, one]) => one.refresh === form.get('refresh_token')) ?? [];
      if (old === undefined || !token) return refused;
      this.tokens.delete(old);
      this.refreshes += 1;
      return this.grant(token.user);
    }
    const code = this.codes.get(form.get('code') ?? '');
    this.codes.delete(form.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const user = this.users.find(({ username }) => username === code?.username);
    return user && code?.challenge === verifier ? this.grant(user) : refused;
  }

  private grant(user: GitlabUser): StandInAnswer {
    const [access, refresh] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')];
    this.tokens.set(access, { user, scopes: ['read_api'], isRevoked: false, refresh });
    return {
      json: {
        access_token: access,
        token_type: 'Bearer',
        expires_in: this.userTokenSeconds,
        refresh_token: refresh,
      },
    };
  }
}

function jobTokenOf({ id }: GitlabPipeline): string {
  return `glcbt-of-pipeline-${id}`;
}
