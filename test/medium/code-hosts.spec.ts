import { execFile } from 'node:child_process';
import { get } from 'node:http';
import { promisify } from 'node:util';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { GithubApi } from '../../src/modules/vcs/hosts/github-api.js';
import { GithubAppTokens } from '../../src/modules/vcs/hosts/github-app-tokens.js';
import { GithubCheckoutTokens } from '../../src/modules/vcs/hosts/github-checkout-tokens.js';
import { GithubHost } from '../../src/modules/vcs/hosts/github-host.js';
import { GitlabApi } from '../../src/modules/vcs/hosts/gitlab-api.js';
import { GitlabHost } from '../../src/modules/vcs/hosts/gitlab-host.js';
import type { HostPlace, HostTree, KnownTree } from '../../src/modules/vcs/hosts/code-host.js';
import { ProviderRequests } from '../../src/modules/vcs/hosts/provider-requests.js';
import { VcsMetrics } from '../../src/modules/vcs/hosts/vcs-metrics.js';
import { VcsSettings } from '../../src/modules/vcs/hosts/vcs-settings.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { type GithubRepository, GithubStandIn } from '../support/code-hosts/github-stand-in.js';
import { type GitlabProject, GitlabStandIn } from '../support/code-hosts/gitlab-stand-in.js';

const MOVED = 'resource "a_thing" "moved" {}\n';
const FILES = { 'a/main.tf': 'resource {}', 'b/c/main.tf': MOVED, 'README.md': 'hello' };
const CHANGED = [
  { path: 'a/main.tf', status: 'modified' },
  { path: 'new.tf', previousPath: 'b/c/main.tf', status: 'renamed' },
];
const CHANGE = { 'a/main.tf': 'changed', 'b/c/main.tf': null, 'new.tf': MOVED };

const CONCLUSIONS_OF_GITLAB = { success: 'success', failure: 'failed', cancelled: 'canceled' } as const;

function requestsOf(environment: Record<string, string>) {
  const config = loadConfig({
    SERVICE_UI_BASE: 'http://localhost',
    DB_HOST: 'x',
    DB_USER: 'x',
    DB_PASS: 'x',
    DB_NAME: 'x',
    ...environment,
  });
  const metrics = new VcsMetrics({ registry: new Registry() } as never, {} as never);
  return { settings: new VcsSettings(config), requests: new ProviderRequests(metrics, new Clock()) };
}

describe.each(['github', 'gitlab'] as const)('The code host %s', (provider) => {
  const github = new GithubStandIn();
  const gitlab = new GitlabStandIn();
  const standIn = provider === 'github' ? github : gitlab;
  let host: GithubHost | GitlabHost;
  let repository: GithubRepository | GitlabProject;
  let place: Parameters<GithubHost['findPullRequest']>[0];
  let number: number;

  beforeAll(async () => {
    await standIn.start();
    const { settings, requests } = requestsOf(standIn.environment);
    let installationId: string;
    let owner: string;
    if (provider === 'github') {
      const tokens = new GithubAppTokens(settings, requests, new Clock());
      const checkouts = new GithubCheckoutTokens(settings, requests, tokens);
      host = new GithubHost(new GithubApi(settings, tokens, requests), checkouts, new Clock());
      owner = 'acme';
      installationId = String(github.install(owner).id);
      const made = github.addRepository(owner, 'infra', FILES);
      made.permissions.set('ada', 'maintain');
      number = github.addPull(made, 'feature/x', CHANGE).number;
      repository = made;
    } else {
      owner = 'platform/deep';
      gitlab.addUser('ada');
      const group = gitlab.addGroup(owner, { ada: 40 });
      const token = gitlab.addGroupToken(group.id);
      const api = new GitlabApi(settings, { findToken: async () => token } as never, requests);
      host = new GitlabHost(api, new Clock());
      installationId = String(group.id);
      const made = gitlab.addProject(group.id, 'infra', FILES);
      number = gitlab.addMergeRequest(made, 'feature/x', CHANGE).iid;
      repository = made;
    }
    const installation = { id: 'ours', provider, installationId, name: owner };
    place = { installation, repository: { providerId: String(repository.id), owner, name: 'infra' } };
  });
  afterAll(() => standIn.stop());
  beforeEach(() => standIn.healed());

  /** Somebody comments on the pull request. */
  function say(author: string, body: string): void {
    const [id, createdAt] = [standIn.nextId(), new Date().toISOString()];
    if ('pulls' in repository) repository.comments.push({ id, number, body, user: author, createdAt });
    else repository.mergeRequests[0]?.notes.push({ id, body, author, created_at: createdAt });
  }

  it('answers nobody who calls it by another name', async () => {
    const { port } = new URL(standIn.url);
    const statusOf = (name: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path: '/', headers: { Host: `${name}:${port}` } };
        get(options, (response) => resolve(response.resume().statusCode)).on('error', reject);
      });
    const named = [
      '127.0.0.1',
      'localhost',
      '[::1]',
      'rebound.example',
      'localhost.example',
      '127.0.0.1.example',
    ];
    expect(await Promise.all(named.map(statusOf))).toEqual([404, 404, 404, 421, 421, 421]);
  });

  it('lists and finds repositories', async () => {
    const pages = [];
    for await (const { items } of host.listRepositories(place.installation)) pages.push(...items);
    const { providerId, owner, name } = place.repository;
    expect(pages).toEqual([
      {
        providerId,
        owner,
        name,
        defaultBranch: 'main',
        isArchived: false,
        cloneUrl: expect.any(String),
        webUrl: expect.any(String),
      },
    ]);
    expect(await host.findRepository(place.installation, providerId)).toEqual(pages[0]);
    expect(await host.findRepository(place.installation, '1')).toBeUndefined();
    expect(await host.findOwnRepository(place.installation, providerId)).toEqual(pages[0]);
    expect(await host.findOwnRepository(place.installation, '1')).toBeUndefined();
  });

  it('reads trees, files, branches and comparisons', async () => {
    const tree = await host.readTree(place, 'feature/x');
    expect(tree?.isTruncated).toBe(false);
    expect(
      tree?.entries
        .filter(({ type }) => type === 'blob')
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['README.md', 'a/main.tf', 'new.tf']);
    expect(await host.readTree(place, 'no-such-branch')).toBeUndefined();
    if (provider === 'github') {
      standIn.fail({ matches: /git\/trees/, status: 200, json: { sha: 'a', tree: [], truncated: true } });
      expect(await host.readTree(place, 'feature/x')).toEqual({ entries: [], isTruncated: true });
    }
    expect((await host.readFile(place, { path: 'a/main.tf', ref: 'main' }))?.toString()).toBe('resource {}');
    expect(await host.readFile(place, { path: 'a/none.tf', ref: 'main' })).toBeUndefined();
    expect(await host.findBranch(place, 'feature/x')).toEqual({ sha: repository.git.sha('feature/x') });
    expect(await host.findBranch(place, 'none')).toBeUndefined();
    const comparison = await host.compare(place, { base: 'main', head: 'feature/x' });
    expect(comparison?.mergeBaseSha).toBe(repository.git.sha('main'));
    expect(comparison?.files).toEqual(CHANGED);
  });

  it('reads a tree in one request that differs little from one that is known', async () => {
    const { git } = repository;
    const many = Array.from({ length: 260 }, (_, n) => [`live/${n}/main.tf`, String(n)]);
    const before = git.commit('many', Object.fromEntries(many) as Record<string, string>);
    git.commit(
      'few',
      {
        'live/1/main.tf': 'changed',
        'live/2/main.tf': null,
        'live/3/main.tf': null,
        'moved/main.tf': `${MOVED}${MOVED}`,
        'live/4/main.tf': null,
        'live/4': 'a file where a directory was',
        'new dir/"quoted".tf': 'new',
      },
      'many',
    );
    git.commit('links', { 'live/5/main.tf': { link: '../6/main.tf' } }, 'few');
    const standing = (tree: HostTree | undefined) =>
      tree?.entries
        .filter(({ type }) => type !== 'tree')
        .map(({ path, mode, type }) => `${type} ${mode} ${path}`)
        .toSorted();
    const asked = async (ref: string, known?: KnownTree) => {
      const from = standIn.log.length;
      const tree = await host.readTree(place, git.sha(ref) ?? '', known);
      return { tree, requests: standIn.log.length - from };
    };
    const { tree: known = { entries: [], isTruncated: true } } = await asked('many');
    const whole = await asked('few');
    const derived = await asked('few', { sha: before, tree: known });
    expect(standing(derived.tree)).toEqual(standing(whole.tree));
    expect(derived.requests).toBe(1);
    // Contents that changed have another id, as it is kept by; the others have theirs.
    const idOf = (tree: HostTree | undefined, path: string) =>
      tree?.entries.find((each) => each.path === path)?.id;
    expect(idOf(derived.tree, 'live/7/main.tf')).toBe(idOf(known, 'live/7/main.tf'));
    expect(idOf(derived.tree, 'live/1/main.tf')).not.toBe(idOf(known, 'live/1/main.tf'));
    const { tree: few = known } = derived;
    const linked = await asked('links', { sha: git.sha('few') ?? '', tree: few });
    expect(standing(linked.tree)).toEqual(standing((await asked('links')).tree));
    expect(standing(linked.tree)).toContain('blob 120000 live/5/main.tf');
    if (provider === 'github') return;

    // Where the host may not have said everything, the whole tree is read.
    const full = whole.requests;
    const diffs = Array.from({ length: 501 }, (_, n) => ({
      new_path: `${n}.tf`,
      b_mode: '100644',
      new_file: true,
    }));
    for (const json of [{ diffs: [], compare_timeout: true }, { diffs }, { diffs: [{ new_path: 'x.tf' }] }]) {
      standIn.fail({ matches: /repository\/compare/, status: 200, json });
      const again = await asked('few', { sha: before, tree: known });
      expect([standing(again.tree), again.requests]).toEqual([standing(whole.tree), full + 1]);
    }
    const gone = await asked('few', { sha: 'f'.repeat(40), tree: known });
    expect([standing(gone.tree), gone.requests]).toEqual([standing(whole.tree), full + 1]);
    expect((await host.readTree(place, 'f'.repeat(40), { sha: before, tree: known })) ?? 'none').toBe('none');
    expect((await asked('few', { sha: before, tree: { ...known, isTruncated: true } })).requests).toBe(full);
  });

  it('shows pull requests with their files, reviews and roles', async () => {
    expect(await host.findPullRequest(place, number, { awaitMergeable: true })).toMatchObject({
      number,
      branch: 'feature/x',
      baseBranch: 'main',
      state: 'open',
      isDraft: false,
      isFork: false,
      isMergeable: true,
      sha: repository.git.sha('feature/x'),
      baseSha: repository.git.sha('main'),
    });
    expect(await host.findPullRequest(place, 99)).toBeUndefined();
    const { files } = await host.listChangedFiles(place, number);
    expect(files).toEqual(CHANGED);
    expect(await host.listReviews(place, number)).toEqual([]);
    expect(await host.findRole(place, 'ada')).toBe('maintain');
    expect(await host.findRole(place, 'nobody')).toBe('none');
  });

  it('says which commit GitLab approvals were given for', async () => {
    if (provider === 'github') return void expect(await host.listReviews(place, number)).toEqual([]);
    const [older, newer] = ['a', 'b'].map((letter) => letter.repeat(40));
    const approved = (username: string, time: string) => ({
      user: { username },
      approved_at: `2026-01-01T${time}:00.000Z`,
    });
    standIn.fail({
      matches: /approvals$/,
      status: 200,
      json: { approved_by: [approved('ada', '10:00'), approved('bob', '12:00')] },
    });
    const version = (sha: string | undefined, time: string) => ({
      head_commit_sha: sha,
      created_at: `2026-01-01T${time}:00.000Z`,
    });
    const json = [version(newer, '11:00'), version(older, '09:00')];
    standIn.fail({ matches: /versions$/, status: 200, json });
    expect(await host.listReviews(place, number)).toMatchObject([
      { username: 'ada', sha: older },
      { username: 'bob', sha: newer },
    ]);
  });

  it('counts no approval of the service itself', async () => {
    const own =
      provider === 'github'
        ? github.appLogin
        : (gitlab.users.find(({ username }) => gitlab.isGroupBot(username))?.username ?? '');
    const users = [own, 'ada'];
    if ('pulls' in repository)
      for (const pull of repository.pulls)
        pull.reviews = users.map((user) => ({ user, state: 'APPROVED', commit_id: 'a'.repeat(40) }));
    else for (const request of repository.mergeRequests) request.approvedBy = [...users];
    expect((await host.listReviews(place, number)).map(({ username }) => username)).toEqual(['ada']);
    const are = [own, 'ada', 'other[bot]'].map((name) => host.isOwnAccount(place.installation, name));
    expect(await Promise.all(are)).toEqual([true, false, false]);
  });

  it('does nothing that a text asks for', async () => {
    const request = 'pulls' in repository ? undefined : repository.mergeRequests[0];
    const before = request && [request.state, request.title, [...request.approvedBy]];
    const body = '/approve\n/merge\n````\n```\n/close\n````\n> /title x\n- /close\n\r/merge';
    const { id } = await host.createComment(place, number, body);
    await host.updateComment(place, { number, id }, body);
    await host.createIssue(place, { title: '/close', body, label: 'quick' });
    expect(repository.issues.at(-1)?.state).toBe(provider === 'github' ? 'open' : 'opened');
    expect(request && [request.state, request.title, request.approvedBy]).toEqual(before);
    expect((await host.findComment(place, { number, id }))?.body).toContain('/approve');
  });

  it('asks again while the provider does not know whether it can be merged, where that matters', async () => {
    const pull = 'pulls' in repository ? repository.pulls[0] : repository.mergeRequests[0];
    if (!pull) throw new Error('a pull request was made');
    const asked = () => standIn.requests(/(pulls|merge_requests)\/1$/).length;
    const before = asked();
    pull.unknownFor = 1;
    expect(await host.findPullRequest(place, number)).toMatchObject({ isMergeable: null });
    expect(asked() - before).toBe(1);
    pull.unknownFor = 1;
    expect(await host.findPullRequest(place, number, { awaitMergeable: true })).toMatchObject({
      isMergeable: true,
    });
    expect(asked() - before).toBe(3);
  });

  it('says that a list of files is not whole where the provider ends it', async () => {
    const whole = await host.listChangedFiles(place, number);
    expect([whole.files.length, whole.isTruncated]).toEqual([2, false]);
    const matches = /(pulls|merge_requests)\/1\/(files|diffs)/;
    const files = (from: number) =>
      Array.from({ length: 100 }, (_, n) =>
        provider === 'github'
          ? { filename: `${from + n}.tf`, status: 'modified' }
          : { new_path: `${from + n}.tf`, old_path: `${from + n}.tf` },
      );
    // GitHub lists 3,000 files and says no word of the others; GitLab says that there are more than it counted.
    for (let page = 1; page <= 30; page += 1)
      standIn.fail({
        matches,
        status: 200,
        json: files(page * 100),
        headers: {
          Link: page < 30 ? `<${standIn.url}/?page=${page + 1}>; rel="next"` : '',
          ...(provider === 'gitlab'
            ? { 'X-Total': '3000+', 'X-Next-Page': page < 30 ? String(page + 1) : '' }
            : {}),
        },
      });
    const cut = await host.listChangedFiles(place, number);
    expect([cut.files.length, cut.isTruncated]).toEqual([3000, true]);
  });

  it('asks for reviewers besides those who were asked before', async () => {
    github.teams.set('ops', []);
    const teams = ['no-team', 'ops'];
    if ('pulls' in repository) {
      repository.permissions.set('bert', 'read');
      await host.requestReviewers(place, number, { usernames: ['nobody', 'bert'], teams });
      // One unknown name refuses the whole list.
      const { requested } = repository.pulls.find((pull) => pull.number === number) ?? {};
      expect(requested).toEqual({ users: ['bert'], teams: ['ops'] });
      return;
    }
    await host.requestReviewers(place, number, { usernames: ['nobody', 'ada'], teams });
    const bert = gitlab.addUser('bert').id;
    const ada = gitlab.users.find(({ username }) => username === 'ada')?.id;
    await host.requestReviewers(place, number, { usernames: ['bert'], teams: ['ops'] });
    expect(repository.mergeRequests[0]?.reviewers).toEqual([ada, bert]);
    await host.requestReviewers(place, number, { usernames: [], teams: [] });
    expect(repository.mergeRequests[0]?.reviewers).toEqual([ada, bert]);
  });

  it('takes comments and statuses, also the same one twice', async () => {
    const { id, createdAt } = await host.createComment(place, number, 'hello');
    const since = new Date(Date.now() - 60_000);
    expect(createdAt?.getTime()).toBeGreaterThan(since.getTime());
    // What was written is found again with the same time.
    expect(await host.findCommentWith(place, number, { mark: 'hello', since })).toEqual({ id, createdAt });
    expect(await host.findComment(place, { number, id })).toMatchObject({ createdAt });
    // Whoever copies it, another bot included, is not the service.
    for (const author of ['ada', 'mallory', provider === 'github' ? 'other[bot]' : 'group_1_bot_aaaa'])
      say(author, 'see [the run](https://console/run) hello-again');
    expect(await host.findCommentWith(place, number, { mark: 'hello-again', since })).toBeUndefined();
    const own = await host.createComment(place, number, 'hello-again');
    expect(await host.findCommentWith(place, number, { mark: 'hello-again', since })).toEqual(own);
    await host.updateComment(place, { number, id }, 'changed');
    await host.updateComment(place, { number, id: '999999' }, 'somebody deleted this one');
    await host.addReaction(place, { number, id }, 'eyes');
    const sha = repository.git.sha('feature/x') ?? '';
    const status = {
      context: 'infrastate plan',
      state: 'pending' as const,
      description: 'x'.repeat(400),
      targetUrl: 'https://example.com',
    };
    for (let times = 0; times < 2; times += 1) await host.setStatus(place, sha, status);
    await host.setStatus(place, sha, { ...status, state: 'success' });
    expect(await host.listStatuses(place, sha)).toMatchObject([
      { context: 'infrastate plan', state: 'success' },
    ]);
  });

  it('starts, finds and cancels runs, and says why it does not', async () => {
    const request = { workflow: 'infrastate.yml', ref: 'main', inputs: { work_token: 't' } };
    expect(await host.dispatch(place, request)).toMatchObject({ result: 'missing' });
    const path = provider === 'github' ? '.github/workflows/infrastate.yml' : '.gitlab-ci.yml';
    repository.git.commit('main', { [path]: 'inputs: work_token api_base_url' });
    expect(await host.dispatch(place, { ...request, inputs: { odd: 'x' } })).toMatchObject({
      result: provider === 'github' ? 'refused' : 'inputs',
      reason: expect.stringContaining('odd'),
    });
    const since = new Date(Date.now() - 60_000);
    const started = await host.dispatch(place, request);
    expect(started).toMatchObject({ result: 'dispatched', runId: expect.any(String) });
    const runId = 'runId' in started ? (started.runId ?? '') : '';
    // Somebody else starts the same workflow at the same branch.
    if ('runs' in repository) github.addRun(repository, { ...request, event: 'workflow_dispatch' });
    else gitlab.addPipeline(repository, { ref: request.ref, source: 'api' });
    const asked = () => github.requests(/GET \/.*app$/).length + gitlab.requests(/GET \/.*\/user$/).length;
    const before = asked();
    const ours = [{ id: runId, state: 'queued' }];
    expect(await host.listRuns(place, { ...request, since })).toMatchObject(ours);
    expect(await host.listRuns(place, { ...request, since })).toMatchObject(ours);
    expect(asked() - before).toBeLessThanOrEqual(1);
    expect(await host.findRun(place, runId)).toMatchObject({ startedBy: expect.stringMatching(/bot/) });
    for (let n = 0; n < 2; n++) await host.cancelRun(place, runId);
    expect(await host.findRun(place, runId)).toMatchObject({ state: 'completed', conclusion: 'cancelled' });
  });

  it('lists what others check, without the jobs of its own runs', async () => {
    const branch = 'checked';
    // On top of the workflow.
    const sha = repository.git.commit(branch, { 'c.tf': '' });
    const request = { workflow: 'infrastate.yml', ref: branch, inputs: { work_token: 't' } };
    const ends = [
      ['in_progress', null],
      ['completed', 'failure'],
      ['completed', 'cancelled'],
      ['completed', 'success'],
    ] as const;
    for (const [status, conclusion] of ends) {
      await host.dispatch(place, request);
      if ('runs' in repository) Object.assign(repository.runs.at(-1) ?? {}, { status, conclusion });
      else
        Object.assign(repository.pipelines.at(-1) ?? {}, {
          status: status === 'in_progress' ? 'running' : CONCLUSIONS_OF_GITLAB[conclusion],
        });
    }
    expect(await host.listStatuses(place, sha)).toEqual([]);
    await host.setStatus(place, sha, { context: 'infrastate apply', state: 'pending', description: '' });
    const own = { context: 'infrastate apply', state: 'pending' };
    expect(await host.listStatuses(place, sha)).toMatchObject([own]);

    // The name is no mark, and a run that somebody else dispatches is not ours.
    if ('runs' in repository) {
      const job = () => ({ id: github.nextId(), name: 'infrastate' });
      github.addRun(repository, { ref: branch, job: job(), status: 'in_progress' });
      github.addRun(repository, { ref: branch, event: 'workflow_dispatch', job: job() });
    } else {
      const job = () => ({ id: gitlab.nextId(), name: 'infrastate' });
      gitlab.addPipeline(repository, { ref: branch, job: job(), status: 'running' });
      gitlab.addPipeline(repository, { ref: branch, source: 'api', job: job() });
    }
    expect(await host.listStatuses(place, sha)).toMatchObject([
      own,
      { context: 'infrastate', state: 'pending' },
    ]);
  });

  it('counts the newest status of each name', async () => {
    const sha = repository.git.commit('repeated', { 'd.tf': '' });
    const states: string[] = [];
    for (const end of ['failure', 'success'] as const) {
      if ('runs' in repository)
        github.addRun(repository, { ref: 'repeated', status: 'completed', conclusion: end });
      else gitlab.addPipeline(repository, { ref: 'repeated', status: CONCLUSIONS_OF_GITLAB[end] });
      states.push(...(await host.listStatuses(place, sha)).map(({ state }) => state));
    }
    expect(states).toEqual(['failure', 'success']);
  });

  it('gives a credential with which git clones', async () => {
    const { cloneUrl, username, password } = await host.readCloneCredentials(place);
    const directory = mkdtempSync(join(tmpdir(), 'clone-'));
    const url = new URL(cloneUrl);
    const env = { PATH: process.env['PATH'] ?? '', GIT_TERMINAL_PROMPT: '0' };
    const clone = (address: URL) =>
      promisify(execFile)('git', ['clone', '-q', address.href, join(directory, 'clone')], { env });
    await expect(clone(url)).rejects.toThrow();
    Object.assign(url, { username, password });
    await clone(url);
    expect(readFileSync(join(directory, 'clone', 'a/main.tf'), 'utf8')).toBe('resource {}');
    rmSync(directory, { recursive: true });
  });

  it('writes and closes issues, and merges what was planned', async () => {
    const issue = await host.createIssue(place, { title: 'Drift', body: 'x', label: 'infrastate-drift' });
    expect(await host.listOpenIssues(place, 'infrastate-drift')).toEqual([
      { number: issue, title: 'Drift', body: 'x' },
    ]);
    await host.closeIssue(place, issue);
    expect(await host.listOpenIssues(place, 'infrastate-drift')).toEqual([]);
    const sha = repository.git.sha('feature/x') ?? '';
    const deletesBranch = false;
    const other = await host.mergePullRequest(place, number, { sha: 'f'.repeat(40), deletesBranch });
    expect(other).toEqual({ result: 'outdated' });
    standIn.fail({ matches: /\/merge$/, status: 405, json: { message: 'a review is missing' } });
    const refused = await host.mergePullRequest(place, number, { sha, deletesBranch });
    expect(refused).toEqual({ result: 'refused', reason: expect.stringContaining('a review is missing') });
    expect(await host.mergePullRequest(place, number, { sha, deletesBranch })).toEqual({ result: 'merged' });
    expect(await host.findPullRequest(place, number)).toMatchObject({
      state: 'merged',
      mergedSha: repository.git.sha('main'),
    });
  });

  it('waits out what the provider asks for, within the time of its caller', async () => {
    standIn.fail({ matches: /branches|git\/ref/, status: 429, times: 2, headers: { 'Retry-After': '0' } });
    expect(await host.findBranch(place, 'main')).toEqual({ sha: repository.git.sha('main') });
    standIn.fail({ matches: /branches|git\/ref/, isCut: true, times: 1 });
    expect(await host.findBranch(place, 'main')).toBeDefined();
    standIn.fail({
      matches: /branches|git\/ref/,
      status: 403,
      times: 9,
      headers: {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 600),
      },
    });
    await expect(host.findBranch(place, 'main')).rejects.toMatchObject({
      id: 'PROVIDER_UNAVAILABLE',
      headers: { 'Retry-After': expect.any(String) },
    });
    standIn.healed();
    standIn.fail({ matches: /branches|git\/ref/, status: 403, times: 1 });
    await expect(host.findBranch(place, 'main')).rejects.toMatchObject({ id: 'PROVIDER_REFUSED' });
  });
});

describe('Tokens of the GitHub app', () => {
  const github = new GithubStandIn();
  beforeAll(() => github.start());
  afterAll(() => github.stop());

  it('are asked for once per installation, and again before they end', async () => {
    const { settings, requests } = requestsOf(github.environment);
    let now = Date.now();
    const tokens = new GithubAppTokens(settings, requests, { now: () => new Date(now) });
    const id = String(github.install('acme').id);
    const got = await Promise.all(Array.from({ length: 20 }, () => tokens.findToken(id)));
    expect(new Set(got).size).toBe(1);
    expect(github.requests(/access_tokens/)).toHaveLength(1);
    now += 54 * 60_000;
    expect(await tokens.findToken(id)).toBe(got[0]);
    now += 2 * 60_000;
    // The stand-in refuses a JWT from the future, as the app's clock is now.
    await expect(tokens.findToken(id)).rejects.toMatchObject({ id: 'PROVIDER_REFUSED' });
    expect(github.requests(/access_tokens/)).toHaveLength(2);
  });

  it('counts checks of GitHub by what made them', async () => {
    const { settings, requests } = requestsOf(github.environment);
    const tokens = new GithubAppTokens(settings, requests, new Clock());
    const api = new GithubApi(settings, tokens, requests);
    const host = new GithubHost(api, new GithubCheckoutTokens(settings, requests, tokens), new Clock());
    const { id } = github.install('checks');
    const made = github.addRepository('checks', 'infra', FILES);
    const place: HostPlace = {
      installation: { id: 'ours', provider: 'github', installationId: String(id), name: 'checks' },
      repository: { providerId: String(made.id), owner: 'checks', name: 'infra' },
    };
    const sha = made.git.sha('main') ?? '';
    const [login, status] = [github.appLogin, 'completed'];
    const own = { ref: 'main', event: 'workflow_dispatch', actor: login };
    const run = github.addRun(made, { ...own, status, conclusion: 'cancelled' });
    const detailsUrl = `${github.url}/checks/infra/actions/runs/${run.id}/job/${run.job.id}`;
    const check = (name: string, fields: object) => github.addCheck(made, { sha, name, ...fields });
    check('done', { status, conclusion: 'success' });
    check('neutral', { status, conclusion: 'neutral' });
    check('skipped', { status, conclusion: 'skipped' });
    check('cancelled', { status, conclusion: 'cancelled' });
    check('going on', { status: 'in_progress' });
    check('twice', { suite: 1, status, conclusion: 'failure' });
    check('twice', { suite: 2, status, conclusion: 'success' });
    check('of two apps', { app: 'one', status, conclusion: 'failure' });
    check('of two apps', { app: 'other', status, conclusion: 'success' });
    // Whoever makes a check says where its details are: that makes it no job of our run.
    check('forged', { status, conclusion: 'failure', detailsUrl });
    check('forged through Actions', { app: 'github-actions', status, conclusion: 'failure', detailsUrl });
    const found = (await host.listStatuses(place, sha)).map(({ context, state }) => `${context}: ${state}`);
    expect(found).toEqual([
      'done: success',
      'neutral: success',
      'skipped: success',
      'cancelled: failure',
      'going on: pending',
      'twice: success',
      'of two apps: failure',
      'of two apps: success',
      'forged: failure',
      'forged through Actions: failure',
    ]);
  });

  it('dispatches at servers that do not know `return_run_details`', async () => {
    const { settings, requests } = requestsOf(github.environment);
    const tokens = new GithubAppTokens(settings, requests, new Clock());
    const api = new GithubApi(settings, tokens, requests);
    let now = Date.now();
    const clock = { now: () => new Date(now) };
    const host = new GithubHost(api, new GithubCheckoutTokens(settings, requests, tokens), clock);
    const { id } = github.install('older');
    const workflow = { '.github/workflows/infrastate.yml': 'inputs: work_token' };
    const made = github.addRepository('older', 'infra', workflow);
    const place: HostPlace = {
      installation: { id: 'ours', provider: 'github', installationId: String(id), name: 'older' },
      repository: { providerId: String(made.id), owner: 'older', name: 'infra' },
    };
    const request = { workflow: 'infrastate.yml', ref: 'main', inputs: { work_token: 't' } };
    const sent = () => github.requests(/POST .*older\/infra.*dispatches/).length;
    github.knowsRunDetails = false;
    const without = { result: 'dispatched', runId: null, webUrl: null };
    expect([await host.dispatch(place, request), made.runs.length, sent()]).toEqual([without, 1, 2]);
    expect([await host.dispatch(place, request), made.runs.length, sent()]).toEqual([without, 2, 3]);
    expect(await host.dispatch(place, { ...request, inputs: { odd: 'x' } })).toMatchObject({
      result: 'refused',
      reason: expect.stringContaining('odd'),
    });
    github.knowsRunDetails = true;
    now += 3_600_001;
    expect(await host.dispatch(place, request)).toMatchObject({ runId: String(made.runs.at(-1)?.id) });
    expect(made.runs).toHaveLength(3);
  });

  it('checkout tokens read one repository and nothing else', async () => {
    const { settings, requests } = requestsOf(github.environment);
    const tokens = new GithubAppTokens(settings, requests, new Clock());
    const installation = github.install('narrow');
    const [mine, other] = ['mine', 'other'].map((name) => github.addRepository('narrow', name, FILES));
    if (!mine || !other) throw new Error('two repositories were made');
    const password = await new GithubCheckoutTokens(settings, requests, tokens).create({
      installation: {
        id: 'ours',
        provider: 'github',
        installationId: String(installation.id),
        name: 'narrow',
      },
      repository: { providerId: String(mine.id), owner: 'narrow', name: 'mine' },
    });
    const asked = (path: string, init: RequestInit = {}) =>
      fetch(`${github.url}${path}`, { ...init, headers: { authorization: `Bearer ${password}` } });
    expect((await asked('/api/v3/installation/repositories')).status).toBe(403);
    expect((await asked(`/api/v3/repositories/${mine.id}`)).status).toBe(403);
    const credential = Buffer.from(`x-access-token:${password}`).toString('base64');
    const git = async (name: string, service: string) => {
      const url = `${github.url}/git/narrow/${name}.git/info/refs?service=${service}`;
      return (await fetch(url, { headers: { authorization: `Basic ${credential}` } })).status;
    };
    expect(await git('mine', 'git-upload-pack')).toBe(200);
    expect(await git('mine', 'git-receive-pack')).not.toBe(200);
    expect(await git('other', 'git-upload-pack')).not.toBe(200);
  });
});
