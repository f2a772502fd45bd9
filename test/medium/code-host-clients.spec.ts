import { Gitlab } from '@gitbeaker/rest';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { GithubStandIn } from '../support/code-hosts/github-stand-in.js';
import { GitlabStandIn } from '../support/code-hosts/gitlab-stand-in.js';

const nothing = (): void => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** The providers' well-known clients work against the stand-ins: those do not only answer what the adapters expect. */
describe('The stand-in of GitHub, asked by Octokit', () => {
  const github = new GithubStandIn();
  const place = { owner: 'acme', repo: 'infra' };
  let octokit: Octokit;

  beforeAll(async () => {
    await github.start();
    const installation = github.install('acme');
    const repository = github.addRepository('acme', 'infra', {
      'main.tf': 'resource {}',
      '.github/workflows/infrastate.yml': 'inputs: work_token',
    });
    for (let n = 0; n < 34; n += 1) github.addRepository('acme', `repository-${n}`, {});
    github.addPull(repository, 'change', { 'main.tf': 'changed', 'new.tf': '' });
    const baseUrl = github.environment['SERVICE_GITHUB_API_BASE_URL'] ?? '';
    octokit = new Octokit({
      baseUrl,
      log,
      authStrategy: createAppAuth,
      auth: {
        appId: github.environment['SERVICE_GITHUB_APP_ID'] ?? '',
        privateKey: (github.environment['SERVICE_GITHUB_APP_PEM'] ?? '').replaceAll('\\n', '\n'),
        installationId: installation.id,
      },
    });
  });
  afterAll(() => github.stop());

  it('gives the app its token and pages of repositories', async () => {
    const names = await octokit.paginate(
      octokit.rest.apps.listReposAccessibleToInstallation,
      { per_page: 10 },
      ({ data }) => data.map(({ name }) => name),
    );
    expect(names).toHaveLength(35);
    expect(github.tokens).toHaveLength(1);
  });

  it('shows pull requests with their files, and takes comments, statuses and runs', async () => {
    const { data: pull } = await octokit.rest.pulls.get({ ...place, pull_number: 1 });
    expect(pull).toMatchObject({ number: 1, state: 'open', mergeable: true, head: { ref: 'change' } });
    const { data: files } = await octokit.rest.pulls.listFiles({ ...place, pull_number: 1 });
    expect(files.map(({ filename, status }) => [filename, status])).toEqual([
      ['main.tf', 'modified'],
      ['new.tf', 'added'],
    ]);
    const { data: comment } = await octokit.rest.issues.createComment({
      ...place,
      issue_number: 1,
      body: 'hello',
    });
    const { data: shown } = await octokit.rest.issues.getComment({ ...place, comment_id: comment.id });
    expect(shown.body).toBe('hello');
    const status = { ...place, sha: pull.head.sha, state: 'success', context: 'infrastate plan' } as const;
    await octokit.rest.repos.createCommitStatus(status);
    const { data: combined } = await octokit.rest.repos.getCombinedStatusForRef({
      ...place,
      ref: pull.head.sha,
    });
    expect(combined.statuses).toMatchObject([{ context: 'infrastate plan', state: 'success' }]);
    const { data: tree } = await octokit.rest.git.getTree({ ...place, tree_sha: 'change', recursive: '1' });
    expect(tree.tree.filter(({ type }) => type === 'blob')).toHaveLength(3);
    const run = { ...place, workflow_id: 'infrastate.yml', ref: 'change' };
    await octokit.rest.actions.createWorkflowDispatch({ ...run, inputs: { work_token: 't' } });
    const { data: runs } = await octokit.rest.actions.listWorkflowRuns({ ...run, branch: 'change' });
    expect(runs.workflow_runs).toHaveLength(1);
  });

  it('refuses with the status and words that the client knows', async () => {
    await expect(octokit.rest.pulls.get({ ...place, pull_number: 99 })).rejects.toMatchObject({
      status: 404,
    });
    const body = 'x'.repeat(70_000);
    await expect(
      octokit.rest.issues.createComment({ ...place, issue_number: 1, body }),
    ).rejects.toMatchObject({
      status: 422,
    });
    const stranger = new Octokit({ baseUrl: `${github.url}/api/v3`, auth: 'made-up', log });
    await expect(stranger.rest.pulls.get({ ...place, pull_number: 1 })).rejects.toMatchObject({
      status: 401,
    });
  });
});

describe('The stand-in of GitLab, asked by gitbeaker', () => {
  const gitlab = new GitlabStandIn();
  let client: InstanceType<typeof Gitlab>;
  let groupId: number;
  let projectId: number;

  beforeAll(async () => {
    await gitlab.start();
    const group = gitlab.addGroup('platform');
    groupId = group.id;
    const project = gitlab.addProject(group.id, 'network', {
      'main.tf': 'resource {}',
      '.gitlab-ci.yml': 'x',
    });
    projectId = project.id;
    for (let n = 0; n < 24; n += 1) gitlab.addProject(group.id, `project-${n}`, {});
    gitlab.addMergeRequest(project, 'change', { 'main.tf': 'changed' });
    client = new Gitlab({ host: gitlab.url, oauthToken: gitlab.addGroupToken(group.id) });
  });
  afterAll(() => gitlab.stop());

  it('lists projects, shows merge requests, takes notes and statuses', async () => {
    const projects = await client.Groups.allProjects(groupId, { perPage: 10 });
    expect(projects).toHaveLength(25);
    const request = await client.MergeRequests.show(projectId, 1);
    expect(request).toMatchObject({ iid: 1, state: 'opened', source_branch: 'change' });
    const diffs = await client.MergeRequests.allDiffs(projectId, 1);
    expect(diffs.map(({ new_path }) => new_path)).toEqual(['main.tf']);
    const note = await client.MergeRequestNotes.create(projectId, 1, 'hello');
    expect(await client.MergeRequestNotes.show(projectId, 1, note.id)).toMatchObject({ body: 'hello' });
    await client.Commits.editStatus(projectId, String(request.sha), 'success', { name: 'infrastate plan' });
    await expect(
      client.Commits.editStatus(projectId, String(request.sha), 'success', { name: 'infrastate plan' }),
    ).rejects.toThrow(/transition/i);
    const tree = await client.Repositories.allRepositoryTrees(projectId, { ref: 'change', recursive: true });
    expect(tree.map(({ path }) => path).sort()).toEqual(['.gitlab-ci.yml', 'main.tf']);
    const pipeline = await client.Pipelines.create(projectId, 'change');
    expect(await client.Pipelines.show(projectId, pipeline.id)).toMatchObject({ status: 'pending' });
  });
});
