import { createHash, createHmac, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { jwtVerify } from 'jose';
import { BareRepository } from './bare-repository.js';
import { githubRepositoryRoutes } from './github-repository-routes.js';
import {
  page,
  refuse,
  type Route,
  type StandInAnswer,
  type StandInRequest,
  StandInServer,
} from './stand-in-server.js';

export interface GithubPull {
  number: number;
  title: string;
  author: string;
  branch: string;
  base: string;
  /** head of the base when the pull request was opened: GitHub does not keep it up to date */
  baseSha: string;
  state: 'open' | 'closed';
  draft: boolean;
  isFork: boolean;
  mergedSha: string | null;
  createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  reviews: { user: string; state: string; commit_id: string }[];
  /** who is asked for a review */
  requested: { users: string[]; teams: string[] };
  /** answers before it is known whether it can be merged */
  unknownFor: number;
}

/** Of a workflow with one job, which has a check on its commit. */
export interface GithubRun {
  id: number;
  workflow: string;
  ref: string;
  sha: string;
  inputs: Record<string, string>;
  event: string;
  /** login */
  actor: string;
  status: string;
  conclusion: string | null;
  createdAt: string;
  job: { id: number; name: string };
}

export interface GithubCheck {
  id: number;
  sha: string;
  name: string;
  /** slug */
  app: string;
  /** id of the check suite; only the newest check of a name within one is listed */
  suite: number;
  status: string;
  conclusion: string | null;
  detailsUrl: string;
}

export interface GithubRepository {
  id: number;
  /** `skipped`: a page of the list lacks it; `public`: the app was not given it, and may read it as everybody may */
  access: 'selected' | 'skipped' | 'public';
  owner: string;
  name: string;
  archived: boolean;
  git: BareRepository;
  pulls: GithubPull[];
  comments: { id: number; number: number; body: string; user: string; createdAt: string }[];
  statuses: { sha: string; context: string; state: string; description: string; target_url?: string }[];
  reactions: { comment: number; content: string }[];
  /** what the activity of the repository shows, in order */
  pushes: { branch: string; sha: string; user: string }[];
  permissions: Map<string, string>;
  /** contexts that must have succeeded on the head before it can be merged */
  requiredStatuses: string[];
  runs: GithubRun[];
  /** checks besides those of the jobs of `runs`, in order */
  checks: GithubCheck[];
  issues: { number: number; title: string; body: string; labels: string[]; state: string }[];
}

export interface GithubInstallation {
  id: number;
  account: string;
  type: 'Organization' | 'User' | 'Enterprise';
  suspendedAt: string | null;
  isGone: boolean;
}

export interface GithubPerson {
  id: number;
  login: string;
  /** organization to role */
  roles: Map<string, 'admin' | 'member'>;
}

const APP_ID = '4711';
const APP_SLUG = 'infrastate';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** GitHub with one app: REST, OAuth, git over HTTP, and webhooks that it sends. */
export class GithubStandIn extends StandInServer {
  readonly installations: GithubInstallation[] = [];
  readonly repositories: GithubRepository[] = [];
  readonly people: GithubPerson[] = [];
  readonly teams = new Map<string, string[]>();
  readonly webhookSecret = randomBytes(16).toString('hex');
  readonly clientSecret = randomBytes(16).toString('hex');
  /** installation tokens in the order they were given out */
  readonly tokens: {
    token: string;
    installation: number;
    expiresAt: number;
    /** set: it reads the contents of these repositories, and opens nothing else */
    checkoutOf?: readonly number[];
  }[] = [];
  private readonly codes = new Map<string, { login: string; challenge: string; redirectUri: string }>();
  /** every code that a browser was sent back with */
  readonly codesGiven: string[] = [];
  readonly grants = new Map<string, { login: string; kind: 'access' | 'refresh' }>();
  /** lifetime of people's tokens; 0: they do not expire */
  userTokenSeconds = 0;
  tokenSeconds = 3600;
  /** false: as a server that refuses `return_run_details` of a dispatch */
  knowsRunDetails = true;
  private lastId = 1000;

  protected readonly routes: readonly Route[] = [
    {
      method: 'GET',
      path: /^\/api\/v3\/app$/,
      handle: (r) =>
        this.asApp(r, () => ({
          json: { id: Number(APP_ID), slug: APP_SLUG, html_url: `${this.url}/apps/${APP_SLUG}` },
        })),
    },
    {
      method: 'GET',
      path: /^\/api\/v3\/app\/installations\/(\d+)$/,
      handle: (r, id) => this.asApp(r, () => this.showInstallation(Number(id))),
    },
    {
      method: 'POST',
      path: /^\/api\/v3\/app\/installations\/(\d+)\/access_tokens$/,
      handle: (r, id) => this.asApp(r, () => this.createToken(Number(id), r)),
    },
    {
      method: 'GET',
      path: /^\/api\/v3\/installation\/repositories$/,
      handle: (r) =>
        this.asInstallation(r, (i) =>
          page(
            r,
            this.repositoriesOf(i)
              .filter(({ access }) => access === 'selected')
              .map((x) => this.repositoryJson(x)),
            'repositories',
          ),
        ),
    },
    {
      method: 'GET',
      path: /^\/api\/v3\/repositories\/(\d+)$/,
      handle: (r, id) => this.asInstallation(r, (i) => this.showRepository(i, Number(id))),
    },
    { method: 'GET', path: /^\/login\/oauth\/authorize$/, handle: (r) => this.authorize(r) },
    { method: 'POST', path: /^\/login\/oauth\/access_token$/, handle: (r) => this.exchange(r) },
    {
      method: 'GET',
      path: /^\/api\/v3\/user$/,
      handle: (r) =>
        this.asPerson(r, ({ id, login }) => ({
          json: { id, login, avatar_url: `${this.url}/avatars/${login}` },
        })),
    },
    {
      method: 'GET',
      path: /^\/api\/v3\/user\/installations$/,
      handle: (r) =>
        this.asPerson(r, () =>
          page(
            r,
            this.installations.filter((i) => !i.isGone).map((i) => this.installationJson(i)),
            'installations',
          ),
        ),
    },
    {
      method: 'GET',
      path: /^\/api\/v3\/user\/memberships\/orgs\/([^/]+)$/,
      handle: (r, org) => this.asPerson(r, (person) => this.membership(person, org ?? '')),
    },
    {
      method: 'GET',
      path: /^\/api\/v3\/orgs\/([^/]+)\/teams\/([^/]+)\/memberships\/([^/]+)$/,
      handle: (r, _org, team, login) =>
        this.asInstallation(r, () =>
          this.teams.get(team ?? '')?.includes(login ?? '')
            ? { json: { state: 'active' } }
            : refuse(404, 'Not Found'),
        ),
    },
    {
      method: 'GET',
      path: /^\/api\/v3\/repos\/([^/]+)\/([^/]+)\/installation$/,
      handle: (r, owner, name) =>
        this.asApp(r, () => {
          const installation = this.installations.find((one) => one.account === owner && !one.isGone);
          const isTheirs = this.repositories.some(
            (one) => one.owner === owner && one.name === name && one.access !== 'public',
          );
          return installation && isTheirs
            ? { json: this.installationJson(installation) }
            : refuse(404, 'Not Found');
        }),
    },
    ...githubRepositoryRoutes(this),
  ];

  /** Who the browser is signed in as. */
  signedInAs = 'ada';

  /** The service's settings for this stand-in. */
  get environment(): Record<string, string> {
    return {
      SERVICE_GITHUB_APP_ID: APP_ID,
      SERVICE_GITHUB_APP_PEM: privateKey
        .export({ type: 'pkcs1', format: 'pem' })
        .toString()
        .replaceAll('\n', '\\n'),
      SERVICE_GITHUB_APP_CLIENT_ID: 'Iv1.client',
      SERVICE_GITHUB_APP_CLIENT_SECRET: this.clientSecret,
      SERVICE_GITHUB_WEBHOOK_SECRET: this.webhookSecret,
      SERVICE_GITHUB_API_BASE_URL: `${this.url}/api/v3`,
      SERVICE_GITHUB_WEB_BASE_URL: this.url,
    };
  }

  /** Login of what the app writes. */
  readonly appLogin = `${APP_SLUG}[bot]`;

  /** Author of a comment as the API shows it; logins of apps end in `[bot]`. */
  authorJson(login: string): Record<string, unknown> {
    const slug = /^(.+)\[bot\]$/.exec(login)?.[1];
    const id = slug === APP_SLUG ? Number(APP_ID) : 1;
    return {
      user: { login, type: slug === undefined ? 'User' : 'Bot' },
      performed_via_github_app: slug === undefined ? null : { id, slug },
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

  addPerson(login: string, roles: Record<string, 'admin' | 'member'> = {}): GithubPerson {
    const person = { id: this.nextId(), login, roles: new Map(Object.entries(roles)) };
    this.people.push(person);
    return person;
  }

  install(account: string, type: GithubInstallation['type'] = 'Organization'): GithubInstallation {
    const installation = { id: this.nextId(), account, type, suspendedAt: null, isGone: false };
    this.installations.push(installation);
    return installation;
  }

  addRepository(
    owner: string,
    name: string,
    files: Record<string, string> = { 'README.md': 'hello\n' },
  ): GithubRepository {
    const git = new BareRepository(join(this.directory, 'git', owner, `${name}.git`));
    if (Object.keys(files).length > 0) git.commit('main', files);
    const repository: GithubRepository = {
      id: this.nextId(),
      access: 'selected',
      owner,
      name,
      archived: false,
      git,
      pulls: [],
      comments: [],
      statuses: [],
      reactions: [],
      pushes: [],
      permissions: new Map(),
      runs: [],
      checks: [],
      issues: [],
      requiredStatuses: [],
    };
    this.repositories.push(repository);
    return repository;
  }

  addPull(
    repository: GithubRepository,
    branch: string,
    files: Record<string, string | null>,
    author = 'ada',
  ): GithubPull {
    if (Object.keys(files).length > 0) repository.git.commit(branch, files);
    const now = new Date().toISOString();
    const pull: GithubPull = {
      number: repository.pulls.length + 1,
      title: `Change ${branch}`,
      author,
      branch,
      base: 'main',
      baseSha: repository.git.sha('main') ?? '',
      state: 'open',
      draft: false,
      isFork: false,
      mergedSha: null,
      createdAt: now,
      updatedAt: now,
      closedAt: null,
      reviews: [],
      requested: { users: [], teams: [] },
      unknownFor: 0,
    };
    repository.pulls.push(pull);
    return pull;
  }

  /** A run of a workflow that the service has nothing to do with. */
  addRun(
    repository: GithubRepository,
    { ref, ...fields }: Pick<GithubRun, 'ref'> & Partial<GithubRun>,
  ): GithubRun {
    const run = {
      id: this.nextId(),
      workflow: 'ci.yml',
      ref,
      sha: repository.git.sha(ref) ?? '',
      inputs: {},
      event: 'push',
      actor: 'ada',
      status: 'queued',
      conclusion: null,
      createdAt: new Date().toISOString(),
      job: { id: this.nextId(), name: 'test' },
      ...fields,
    };
    repository.runs.push(run);
    return run;
  }

  /** A check that another app has made. */
  addCheck(
    repository: GithubRepository,
    { sha, name, ...fields }: Pick<GithubCheck, 'sha' | 'name'> & Partial<GithubCheck>,
  ): GithubCheck {
    const id = this.nextId();
    const detailsUrl = `https://ci.example/${id}`;
    const check = { id, sha, name, app: 'ci-example', suite: 1, status: 'queued', conclusion: null };
    const made = { ...check, detailsUrl, ...fields };
    repository.checks.push(made);
    return made;
  }

  /** Sends a delivery as GitHub does; answers the status. */
  async deliver(
    service: { url: string },
    event: string,
    payload: Record<string, unknown>,
    { id = randomUUID(), path = '/api/github/v1/events' }: { id?: string; path?: string } = {},
  ): Promise<number> {
    const body = JSON.stringify(payload);
    const answer = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-GitHub-Event': event,
        'X-GitHub-Delivery': id,
        'X-Hub-Signature-256': `sha256=${createHmac('sha256', this.webhookSecret).update(body).digest('hex')}`,
      },
      body,
    });
    await answer.text();
    return answer.status;
  }

  /** What every payload about a repository holds. */
  payloadOf(repository: GithubRepository, sender = 'ada'): Record<string, unknown> {
    const installation = this.installations.find(({ account }) => account === repository.owner);
    return {
      installation: { id: installation?.id },
      repository: this.repositoryJson(repository),
      sender: { login: sender, type: 'User' },
    };
  }

  repositoryJson({ id, owner, name, archived, git }: GithubRepository): Record<string, unknown> {
    return {
      id,
      name,
      full_name: `${owner}/${name}`,
      owner: { login: owner },
      archived,
      default_branch: git.defaultBranch,
      html_url: `${this.url}/${owner}/${name}`,
      clone_url: `${this.url}/git/${owner}/${name}.git`,
    };
  }

  installationJson({ id, account, type, suspendedAt }: GithubInstallation): Record<string, unknown> {
    const named = type === 'Enterprise' ? { slug: account } : { login: account, type };
    return { id, account: named, target_type: type, suspended_at: suspendedAt };
  }

  repositoriesOf({ account }: GithubInstallation): GithubRepository[] {
    return this.repositories.filter(({ owner }) => owner === account);
  }

  /** With an installation's token; the repository must be of that installation. */
  asInstallation(
    request: StandInRequest,
    handle: (installation: GithubInstallation) => StandInAnswer,
  ): StandInAnswer {
    const token = /^(?:Bearer|token) (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const known = this.tokens.find((one) => one.token === token);
    const installation = this.installations.find(({ id }) => id === known?.installation);
    if (!known || !installation || known.expiresAt < Date.now()) return refuse(401, 'Bad credentials');
    if (installation.suspendedAt !== null) return refuse(403, 'This installation has been suspended');
    if (known.checkoutOf) return refuse(403, 'Resource not accessible by integration');
    return handle(installation);
  }

  revokeGrants(): void {
    this.grants.clear();
  }

  protected serveGit(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    const [, owner, name, rest = ''] = /^\/git\/([^/]+)\/([^/]+)\.git(\/.*)$/.exec(path) ?? [];
    const repository = this.repositories.find((one) => one.owner === owner && one.name === name);
    const basic = Buffer.from(
      request.headers.authorization?.slice('Basic '.length) ?? '',
      'base64',
    ).toString();
    const token = this.tokens.find((one) => basic === `x-access-token:${one.token}`);
    const installation = this.installations.find(({ id }) => id === token?.installation);
    if (!repository) return false;
    if (this.gitLogins.has(basic)) {
      repository.git.serve(request, response, rest);
      return true;
    }
    if (installation?.account !== owner) return false;
    const isPush = rest.includes('git-receive-pack') || (request.url ?? '').includes('git-receive-pack');
    if (token?.checkoutOf && (isPush || !token.checkoutOf.includes(repository.id))) return false;
    repository.git.serve(request, response, rest);
    return true;
  }

  private async asApp(request: StandInRequest, handle: () => StandInAnswer): Promise<StandInAnswer> {
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    try {
      const { payload } = await jwtVerify(token, publicKey, { algorithms: ['RS256'], issuer: APP_ID });
      const { iat = 0, exp = 0 } = payload;
      const now = Date.now() / 1000;
      if (iat > now || exp > now + 600 || exp - iat > 600)
        return refuse(401, "'Expiration time' claim ('exp') is too far in the future");
    } catch {
      return refuse(401, 'A JSON web token could not be decoded');
    }
    return handle();
  }

  private asPerson(request: StandInRequest, handle: (person: GithubPerson) => StandInAnswer): StandInAnswer {
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const grant = this.grants.get(token);
    const person = this.people.find(({ login }) => login === grant?.login);
    return person && grant?.kind === 'access' ? handle(person) : refuse(401, 'Bad credentials');
  }

  private showInstallation(id: number): StandInAnswer {
    const installation = this.installations.find((one) => one.id === id && !one.isGone);
    return installation ? { json: this.installationJson(installation) } : refuse(404, 'Not Found');
  }

  private createToken(id: number, { json }: StandInRequest): StandInAnswer {
    const installation = this.installations.find((one) => one.id === id && !one.isGone);
    if (!installation) return refuse(404, 'Not Found');
    const token = `ghs_${randomBytes(18).toString('hex')}`;
    const expiresAt = Date.now() + this.tokenSeconds * 1000;
    const { repository_ids: checkoutOf, permissions } = json as {
      repository_ids?: number[];
      permissions?: Record<string, string>;
    };
    // All that is known of here: nothing is narrowed, or both to one checkout.
    if ((checkoutOf === undefined) !== (permissions === undefined))
      return refuse(422, 'Unprocessable Entity');
    if (permissions && JSON.stringify(permissions) !== '{"contents":"read"}')
      return refuse(422, 'The permissions requested are not granted to this installation.');
    this.tokens.push({ token, installation: id, expiresAt, ...(checkoutOf ? { checkoutOf } : {}) });
    return { status: 201, json: { token, expires_at: new Date(expiresAt).toISOString() } };
  }

  private showRepository(installation: GithubInstallation, id: number): StandInAnswer {
    const repository = this.repositoriesOf(installation).find((one) => one.id === id);
    return repository ? { json: this.repositoryJson(repository) } : refuse(404, 'Not Found');
  }

  /** The person consents at once. */
  private authorize({ url }: StandInRequest): StandInAnswer {
    const redirectUri = url.searchParams.get('redirect_uri') ?? '';
    const target = new URL(redirectUri);
    target.searchParams.set('state', url.searchParams.get('state') ?? '');
    const code = randomBytes(10).toString('hex');
    this.codesGiven.push(code);
    this.codes.set(code, {
      login: this.signedInAs,
      challenge: url.searchParams.get('code_challenge') ?? '',
      redirectUri,
    });
    target.searchParams.set('code', code);
    return { status: 302, headers: { Location: target.href } };
  }

  private exchange({ form }: StandInRequest): StandInAnswer {
    const refused = (error: string): StandInAnswer => ({ json: { error } });
    if (form.get('client_secret') !== this.clientSecret) return refused('incorrect_client_credentials');
    const isRefresh = form.get('grant_type') === 'refresh_token';
    const used = form.get(isRefresh ? 'refresh_token' : 'code') ?? '';
    const code = this.codes.get(used);
    const refresh = this.grants.get(used);
    this.codes.delete(used);
    if (isRefresh) this.grants.delete(used);
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (isRefresh ? refresh?.kind !== 'refresh' : code?.challenge !== verifier)
      return refused('bad_verification_code');
    const login = (isRefresh ? refresh?.login : code?.login) ?? '';
    const [access, next] = [
      `ghu_${randomBytes(12).toString('hex')}`,
      `ghr_${randomBytes(12).toString('hex')}`,
    ];
    this.grants.set(access, { login, kind: 'access' });
    if (this.userTokenSeconds === 0) return { json: { access_token: access, token_type: 'bearer' } };
    this.grants.set(next, { login, kind: 'refresh' });
    return {
      json: {
        access_token: access,
        token_type: 'bearer',
        expires_in: this.userTokenSeconds,
        refresh_token: next,
      },
    };
  }

  private membership({ roles }: GithubPerson, organization: string): StandInAnswer {
    const role = roles.get(organization);
    return role ? { json: { role, state: 'active' } } : refuse(404, 'Not Found');
  }
}
