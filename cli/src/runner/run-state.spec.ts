import type { Work } from './protocol.js';
import { baseEnvironment } from './run-state.js';

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
});
