import type { DataSource } from 'typeorm';
import { RunUpkeep } from '../../src/modules/orchestration/dispatching/run-upkeep.job.js';
import { WorkManifestEntity } from '../../src/modules/orchestration/entities/work-manifest.entity.js';
import { RunReporting } from '../../src/modules/orchestration/reacting/report-run.job.js';
import { CommentUnderWay, RunComments } from '../../src/modules/orchestration/reporting/run-comments.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import type { WrittenComment } from '../../src/modules/vcs/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, aRun } from '../support/run-records.js';

const unused = {} as never;
const written = (id: number) =>
  ({ id: String(id), createdAt: new Date('2026-01-31T10:00:00Z') }) as WrittenComment;

describe('Two reports of a run at once', () => {
  let database: TestDatabase;
  let source: DataSource;
  let work: UnitOfWork;
  let now: Date;
  let created: number;
  let create: () => Promise<WrittenComment>;
  const clock = { now: () => now } as never;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    work = new UnitOfWork(source);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  beforeEach(() => {
    now = new Date('2026-01-31T10:00:00Z');
    created = 0;
    create = () => Promise.resolve(written(created));
  });

  const runs = () => new Runs(work, clock, unused, unused, unused);
  const read = (id: string): Promise<WorkManifestEntity> =>
    work.manager.findOneByOrFail(WorkManifestEntity, { id });
  const ended = async (): Promise<string> => {
    const at = await aRepository(database.pool, null);
    const id = await aRun(database.pool, at, { isWaiting: true });
    await database.pool.query('UPDATE work_manifests SET completed_at = $2 WHERE id = $1', [id, now]);
    return id;
  };

  /** Writes the comment as a worker does that has read the run before. Nothing of it is found at the code host. */
  function post(run: WorkManifestEntity): Promise<void> {
    const host = {
      maxCommentLength: 10_000,
      findCommentWith: async () => undefined,
      createComment: () => {
        created += 1;
        return create();
      },
    };
    const comments = new RunComments(
      work,
      { of: () => host } as never,
      runs(),
      { list: async () => [] } as never,
      { of: async () => [] } as never,
      { get: () => 'https://infrastate.example' } as never,
      clock,
      { listUnfinished: async () => [] } as never,
    );
    const place = {
      tenantId: 't',
      installation: { provider: 'github', installationId: '1' },
      repository: {},
    };
    return comments.post(place as never, run, { waiting: [], extras: [] });
  }

  it('write one comment, whichever has read the run first', async () => {
    const id = await ended();
    const [first, second] = [await read(id), await read(id)];
    let answer: (comment: WrittenComment) => void = () => undefined;
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    create = () =>
      new Promise((resolve) => {
        answer = resolve;
        asked();
      });
    const writing = post(first);
    await isAsked;
    create = () => Promise.resolve(written(2));
    await expect(post(second)).rejects.toThrow(CommentUnderWay);
    await expect(post(await read(id))).rejects.toThrow(CommentUnderWay);
    answer(written(1));
    await writing;
    await expect(post(second)).rejects.toThrow(CommentUnderWay);
    await post(await read(id));
    expect(created).toBe(1);
    expect((await read(id)).commentId).toBe('1');
  });

  it('write the comment again at once after a refused attempt, also then only one of them', async () => {
    const id = await ended();
    const before = await read(id);
    create = () => Promise.reject(new Error('refused'));
    await expect(post(before)).rejects.toThrow('refused');
    create = () => Promise.resolve(written(2));
    await expect(post(before)).rejects.toThrow(CommentUnderWay);
    const [first, second] = [await read(id), await read(id)];
    await post(first);
    await expect(post(second)).rejects.toThrow(CommentUnderWay);
    expect(created).toBe(2);
  });

  it('wait a minute for a worker that was killed while it wrote the comment', async () => {
    const id = await ended();
    create = () => new Promise(() => undefined);
    const killed = post(await read(id));
    void killed;
    let claimed = await read(id);
    while (claimed.commentBegunAt === null) claimed = await read(id);
    create = () => Promise.resolve(written(2));
    now = new Date(now.getTime() + 59_999);
    await expect(post(await read(id))).rejects.toThrow(CommentUnderWay);
    now = new Date(now.getTime() + 1);
    await post(await read(id));
    expect((await read(id)).commentId).toBe('2');
  });

  it('are not begun while the first waits for the cost of a plan', async () => {
    const id = await ended();
    const asked: object[] = [];
    const jobs = { enqueue: async (_: unknown, payload: object) => void asked.push(payload) } as never;
    const reporting = new RunReporting(
      jobs,
      runs(),
      { of: async () => ({ tenantId: 't' }) } as never,
      { read: async () => ({ config: { cost_estimation: {}, security: {} } }) } as never,
      unused,
      unused,
      { removeLeftovers: async () => undefined } as never,
      { of: async () => ({ sections: [], isComputing: true }) } as never,
    );
    const sent = { lookAfter: () => Promise.resolve() } as never;
    const settings = { get: () => 3600 } as never;
    const upkeep = new RunUpkeep(work, clock, settings, unused, unused, sent, jobs);
    const sweep = async (): Promise<object[]> => {
      asked.length = 0;
      await upkeep.sweep({}, unused);
      return asked.filter((payload) => 'workManifestId' in payload && payload.workManifestId === id);
    };
    now = new Date(now.getTime() + 61_000);
    await reporting.report({ workManifestId: id, waits: 3 }, unused);
    expect(asked).toEqual([{ workManifestId: id, waits: 4 }]);
    expect(await sweep()).toEqual([]);
    // The job that waited was lost.
    now = new Date(now.getTime() + 60_000);
    expect(await sweep()).toEqual([{ workManifestId: id }]);
  });
});
