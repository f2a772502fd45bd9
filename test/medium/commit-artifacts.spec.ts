import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Change } from '../../src/modules/orchestration/planning/changes.js';
import { RepoConfigs } from '../../src/modules/orchestration/planning/repo-configs.js';
import { RunCreation } from '../../src/modules/orchestration/planning/run-creation.js';
import { CommitArtifacts } from '../../src/modules/orchestration/runs/commit-artifacts.store.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import { DEFAULT_CONFIG } from '../../src/modules/repo-config/index.js';
import { PullRequestsStore } from '../../src/modules/vcs/repositories/pull-requests.store.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, aRun, type TestRepository } from '../support/run-records.js';

describe('What the command of a base branch printed for a commit', () => {
  let database: TestDatabase;
  let source: DataSource;
  let work: UnitOfWork;
  let artifacts: CommitArtifacts;
  let at: TestRepository;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    work = new UnitOfWork(source);
    artifacts = new CommitArtifacts(work, { now: () => new Date() });
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    const tenantId = randomUUID();
    await database.pool.query('INSERT INTO tenants (id, name) VALUES ($1, $2)', [tenantId, tenantId]);
    at = await aRepository(database.pool, tenantId);
  });

  const BUILD = ['build'];
  const keep = (baseBranch: string, content: string, command: readonly string[] | undefined = BUILD) =>
    artifacts.keep({
      command,
      repositoryId: at.repository,
      sha: 'aaaa',
      baseBranch,
      kind: 'build-config',
      content,
    });
  const find = (baseBranch: string, command: readonly string[] | undefined = BUILD) =>
    artifacts.findBuilt({ repositoryId: at.repository, sha: 'aaaa', baseBranch, command });
  async function builds(baseBranch: string): Promise<void> {
    const id = await aRun(database.pool, at, { kind: 'index', runType: 'build-config', dirs: [] });
    await database.pool.query('UPDATE work_manifests SET base_branch = $2 WHERE id = $1', [id, baseBranch]);
  }
  /** As a replica of the release before stores it. */
  const keepAsBefore = (content: string) =>
    database.pool.query(
      `INSERT INTO commit_artifacts (repository_id, sha, kind, content, created_at)
       VALUES ($1, 'aaaa', 'build-config', $2, now())
       ON CONFLICT (repository_id, sha, kind) DO UPDATE SET content = excluded.content, created_at = excluded.created_at`,
      [at.repository, content],
    );

  it('counts for pull requests into this branch, and never for another one', async () => {
    await builds('main');
    await builds('other');
    await keep('main', 'enabled: false');
    expect([await find('main'), await find('other')]).toEqual(['enabled: false', undefined]);
    await keep('other', 'enabled: true');
    expect([await find('main'), await find('other')]).toEqual(['enabled: false', 'enabled: true']);
    await keep('main', 'indexer: {enabled: true}');
    const configs = new RepoConfigs({} as never, artifacts);
    const place = { repository: { id: at.repository } } as never;
    const indexed = async (baseBranch: string) =>
      (await configs.readBuilt(place, { sha: 'aaaa', baseBranch, command: BUILD }))?.config.indexer.enabled;
    expect([await indexed('main'), await indexed('other'), await indexed('third')]).toEqual([
      true,
      false,
      undefined,
    ]);
  });

  it('counts as long as the base branch names the command that printed it', async () => {
    await keep('main', 'enabled: true', ['build', '--all']);
    expect([await find('main', ['build', '--all']), await find('main', ['build --all'])]).toEqual([
      'enabled: true',
      undefined,
    ]);
    await keep('main', 'enabled: false', ['other']);
    expect([await find('main', ['build', '--all']), await find('main', ['other'])]).toEqual([
      'enabled: true',
      'enabled: false',
    ]);
    await database.pool.query(
      `UPDATE built_configurations SET command_hash = '' WHERE content = 'enabled: true'`,
    );
    expect(await find('main', ['a third'])).toBe('enabled: true');
  });

  it('counts when an older release stored it, where no run of another base branch can have built it', async () => {
    await keepAsBefore('enabled: false');
    expect(await find('main')).toBeUndefined();
    await builds('main');
    expect([await find('main'), await find('other')]).toEqual(['enabled: false', undefined]);
    await builds('other');
    expect([await find('main'), await find('other')]).toEqual([undefined, undefined]);
  });

  it('is found and overwritten by an older release, which does not change what counts here', async () => {
    await builds('main');
    await builds('other');
    await keep('main', 'one');
    await keep('other', 'two');
    await keepAsBefore('three');
    const { rows } = await database.pool.query(
      `SELECT content FROM commit_artifacts WHERE repository_id = $1 AND sha = 'aaaa' AND kind = 'build-config'`,
      [at.repository],
    );
    expect(rows).toEqual([{ content: 'three' }]);
    expect([await find('main'), await find('other')]).toEqual(['one', 'two']);
  });

  it('is asked for again, once, when the pull request is aimed at another base branch', async () => {
    const done = { publish: async () => undefined, enqueue: async () => undefined } as never;
    const runs = new Runs(work, { now: () => new Date() }, new Secrets(), done, new PullRequestsStore(work));
    const creation = new RunCreation(runs, done, {} as never);
    const ask = (kind: 'build-config' | 'index', baseBranch: string, ...more: string[]) => {
      const cmd = ['build', baseBranch, ...more];
      const config = { ...DEFAULT_CONFIG, config_builder: { enabled: true, cmd } };
      const change = {
        place: {
          installation: { id: at.installation },
          repository: { id: at.repository, owner: 'octo', name: at.name },
        },
        pullRequest: { number: 7, title: 'Seven', sha: 'aaaa', branch: 'topic', baseBranch, baseSha: 'bbbb' },
        config,
      } as unknown as Change;
      return creation.forArtifact(change, kind, { trigger: 'auto:aaaa', username: 'ada' });
    };
    const commandOf = async (id: string | undefined) => (await runs.find(id ?? ''))?.spec?.command;
    expect(await commandOf(await ask('build-config', 'main'))).toEqual(['build', 'main']);
    expect(await ask('build-config', 'main')).toBeUndefined();
    expect(await commandOf(await ask('build-config', 'other'))).toEqual(['build', 'other']);
    for (const base of ['main', 'other']) expect(await ask('build-config', base)).toBeUndefined();
    // The base branch names another command.
    expect(await commandOf(await ask('build-config', 'main', '-v'))).toEqual(['build', 'main', '-v']);
    expect(await commandOf(await ask('build-config', 'other', '-v'))).toEqual(['build', 'other', '-v']);
    for (const base of ['main', 'other'])
      expect([await ask('build-config', base, '-v'), await ask('build-config', base)]).toEqual([
        undefined,
        undefined,
      ]);
    // An index says the same whatever the base branch is.
    expect(await ask('index', 'main')).toBeDefined();
    expect(await ask('index', 'other')).toBeUndefined();
  });
});
