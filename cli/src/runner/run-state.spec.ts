import type { Work } from './protocol.js';
import { baseEnvironment, toolEnvironment, tokensOf } from './run-state.js';

describe('The environment of hooks and of terraform', () => {
  const work = { id: 'run', run_type: 'plan', kind: 'drift' } as unknown as Work;

  it('holds no token of the runner, and what the CI job set otherwise', () => {
    const secrets = ['WORK_TOKEN', 'POOL_TOKEN', 'API_KEY', 'DRIFT_ACCESS_TOKEN'];
    const found = baseEnvironment(
      { PATH: '/bin', ...Object.fromEntries(secrets.map((name) => [`INFRASTATE_${name}`, 'secret'])) },
      { root: '/checkout', work },
    );
    expect(Object.values(found)).not.toContain('secret');
    expect(found).toMatchObject({ PATH: '/bin', INFRASTATE_ROOT: '/checkout', INFRASTATE_RUN_KIND: 'drift' });
  });

  it('gives the identity and the tokens of the CI job to hooks and not to the engine', () => {
    const names = [
      'INFRASTATE_ID_TOKEN',
      'INFRASTATE_ID_TOKEN_AZURE',
      'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
      'ACTIONS_ID_TOKEN_REQUEST_URL',
      'ACTIONS_RUNTIME_TOKEN',
      'ACTIONS_RUNTIME_URL',
      'ACTIONS_CACHE_URL',
      'ACTIONS_RESULTS_URL',
      'CI_JOB_TOKEN',
      'CI_BUILD_TOKEN',
      'CI_JOB_JWT',
      'CI_JOB_JWT_V2',
      'CI_REGISTRY_PASSWORD',
      'CI_DEPLOY_PASSWORD',
      'CI_DEPENDENCY_PROXY_PASSWORD',
      'CI_REPOSITORY_URL',
      'CI_RUNNER_SHORT_TOKEN',
    ];
    const ofTheJob = Object.fromEntries(names.map((name) => [name, 'of the job']));
    const others = { PATH: '/bin', GITHUB_TOKEN: 'of the workflow', CI_PROJECT_ID: '7', TF_VAR_x: 'y' };
    const env = { ...others, ...ofTheJob };
    expect(baseEnvironment(env, { root: '/checkout', work })).toMatchObject(env);
    expect(toolEnvironment(env)).toEqual(others);
    expect(toolEnvironment(env, new Set(['CI_JOB_TOKEN']))).toEqual({
      ...others,
      CI_JOB_TOKEN: 'of the job',
    });
  });

  it('names the tokens of the job that nothing may show, however it is set', () => {
    const env = {
      INFRASTATE_ID_TOKEN_3: 'token for a cloud',
      CI_JOB_TOKEN: 'token of gitlab',
      GITHUB_TOKEN: 'token of github',
      INFRASTATE_API_KEY: 'x',
    };
    expect(tokensOf({ ...env, PATH: '/usr/local/bin', GH_TOKEN: undefined }).toSorted()).toEqual([
      'token for a cloud',
      'token of github',
      'token of gitlab',
    ]);
  });
});
