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

  it('gives the identity of the CI job to hooks and not to the engine', () => {
    const env = { PATH: '/bin', INFRASTATE_ID_TOKEN: 'the id token' };
    expect(baseEnvironment(env, { root: '/checkout', work })).toMatchObject(env);
    expect(toolEnvironment(env)).toEqual({ PATH: '/bin' });
  });

  it('names the tokens of the job that nothing may show, however it is set', () => {
    const env = { CI_JOB_TOKEN: 'token of gitlab', GITHUB_TOKEN: 'token of github', INFRASTATE_API_KEY: 'x' };
    expect(tokensOf({ ...env, PATH: '/usr/local/bin', GH_TOKEN: undefined }).toSorted()).toEqual([
      'token of github',
      'token of gitlab',
    ]);
  });
});
