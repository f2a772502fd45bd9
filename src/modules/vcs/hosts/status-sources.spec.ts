import { Clock } from '../../../platform/time/clock.js';
import type { HostPlace } from './code-host.js';
import type { GithubApi } from './github-api.js';
import { newestOfOthers, toCheck } from './github-checks.rules.js';
import type { GithubCheckoutTokens } from './github-checkout-tokens.js';
import { GithubHost } from './github-host.js';
import type { GitlabApi } from './gitlab-api.js';
import { GitlabHost } from './gitlab-host.js';
import { present } from './present.js';
import { ProviderAnswer } from './provider-requests.js';

const place = {
  installation: { id: 'i', installationId: '7' },
  repository: { providerId: '1', owner: 'acme', name: 'infra' },
} as HostPlace;

/** An API with these answers by path; `asked` lists the paths. */
function answering(provider: 'github' | 'gitlab', answers: Record<string, unknown>) {
  const asked: string[] = [];
  const answer = ({ path, query = {} }: { path: string; query?: object }) => {
    asked.push(path);
    const json = answers[path] ?? [];
    if ('event' in query) throw new Error('runs of every event matter');
    return new ProviderAnswer(provider, 200, new Headers(), Buffer.from(JSON.stringify(json)));
  };
  const api = {
    send: async (_: unknown, call: { path: string }) => answer(call),
    async *pages(_: unknown, call: { path: string }) {
      yield await Promise.resolve(answer(call));
    },
  };
  return { api, asked };
}

describe('Checks of GitHub', () => {
  const check = (
    id: number,
    run: number,
    conclusion: string,
    { app = 'github-actions', name = 'build' } = {},
  ) => ({
    ...{ id, name, status: 'completed', conclusion, app: { slug: app }, check_suite: { id: run } },
    details_url: `https://github.example/acme/infra/actions/runs/${run}/job/${id}`,
  });
  const run = (id: number, workflow: number) => ({
    id,
    workflow_id: workflow,
    event: 'push',
    actor: { login: 'ada' },
  });

  it.each([
    ['of another workflow', [run(1, 10), run(2, 20)], ['failure', 'success']],
    ['of the same workflow', [run(1, 10), run(2, 10)], ['success']],
    ['of workflows that are not listed', [], ['failure', 'success']],
  ])('count the job of the same name %s', async (_, runs, states) => {
    const commit = '/repos/acme/infra/commits/sha';
    const { api } = answering('github', {
      [`${commit}/status`]: { statuses: [] },
      [`${commit}/check-runs`]: { check_runs: [check(1, 1, 'failure'), check(2, 2, 'success')] },
      '/repos/acme/infra/actions/runs': { workflow_runs: runs },
    });
    const host = new GithubHost(api as unknown as GithubApi, {} as GithubCheckoutTokens, new Clock());
    Object.assign(host, { readApp: async () => ({ slug: 'service' }) });
    expect((await host.listStatuses(place, 'sha')).map(({ state }) => state)).toEqual(states);
  });

  it('of other apps count by name', () => {
    const checks = [check(1, 1, 'failure', { app: 'ci' }), check(2, 2, 'success', { app: 'ci' })];
    expect(
      newestOfOthers(
        checks.map((one) => present(toCheck(one))),
        [],
      ).map(({ state }) => state),
    ).toEqual(['success']);
  });
});

describe('Statuses of GitLab', () => {
  const status = (id: number, pipeline: number, state: string, { name = 'build', ref = 'topic' } = {}) => ({
    ...{ id, name, ref, status: state, pipeline_id: pipeline },
  });
  const jobsOf = (pipeline: number) => `/projects/1/pipelines/${pipeline}/jobs`;
  const started = (id: number) => ({ id, status: 'success', created_at: '2026-01-01T00:00:00Z' });

  /** Of a commit with these statuses; `jobs`: of each pipeline; `own`: pipelines that the service started. */
  async function list(statuses: object[], jobs: Record<number, number[]>, own: number[] = []) {
    const { api, asked } = answering('gitlab', {
      '/user': { id: 1, username: 'service' },
      '/projects/1/repository/commits/sha/statuses': statuses,
      '/projects/1/pipelines': own.map(started),
      ...Object.fromEntries(
        Object.entries(jobs).map(([pipeline, ids]) => [jobsOf(Number(pipeline)), ids.map((id) => ({ id }))]),
      ),
    });
    const found = await new GitlabHost(api as unknown as GitlabApi).listStatuses(place, 'sha');
    return { states: found.map(({ state }) => state), asked: asked.filter((path) => path.endsWith('/jobs')) };
  }

  it.each<[string, object[], Record<number, number[]>, string[]]>([
    [
      'a job that was repeated',
      [status(1, 5, 'failed'), status(2, 6, 'success')],
      { 5: [1], 6: [2] },
      ['success'],
    ],
    [
      'a posted status after a job',
      [status(1, 5, 'failed'), status(2, 5, 'success')],
      { 5: [1] },
      ['failure', 'success'],
    ],
    [
      'a job after a posted status',
      [status(1, 5, 'failed'), status(2, 5, 'success')],
      { 5: [2] },
      ['failure', 'success'],
    ],
    ['a posted status that was repeated', [status(1, 5, 'failed'), status(2, 5, 'success')], {}, ['success']],
    [
      'jobs of two refs',
      [status(1, 5, 'failed'), status(2, 6, 'success', { ref: 'refs/merge-requests/1/head' })],
      { 5: [1], 6: [2] },
      ['failure', 'success'],
    ],
  ])('hide nothing of another kind: %s', async (_, statuses, jobs, states) => {
    expect((await list(statuses, jobs)).states).toEqual(states);
  });

  it('hide no failure behind the success of an own job', async () => {
    const statuses = [status(1, 5, 'failed'), status(2, 6, 'success')];
    expect((await list(statuses, { 5: [1], 6: [2] }, [6])).states).toEqual(['failure']);
  });

  it('ask only for pipelines that may have made what has not succeeded, until all of it is own', async () => {
    const own = Array.from({ length: 50 }, (_, n) => 100 - n);
    const jobs = Object.fromEntries(own.map((id) => [id, [id * 10]]));
    const name = { name: 'infrastate' };
    const done = own.slice(1).map((id) => status(id * 10, id, 'success', { name: `other ${id}` }));
    const one = await list([...done, status(1000, 100, 'running', name)], jobs, own);
    expect([one.states.includes('pending'), one.asked]).toEqual([false, [jobsOf(100)]]);
    const foreign = await list([...done, status(7, 3, 'failed')], { ...jobs, 3: [7] }, own);
    expect([foreign.states.includes('failure'), foreign.asked]).toEqual([true, []]);
    // An old server does not say which pipeline a status belongs to.
    const { pipeline_id: _, ...old } = status(990, 99, 'running', name);
    expect((await list([old], jobs, own)).asked).toEqual([jobsOf(100), jobsOf(99)]);
  });
});
