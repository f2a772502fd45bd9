import { Findings } from '../../src/modules/security/findings/findings.store.js';
import { rowBatches } from '../../src/modules/security/findings/row-batches.js';
import { LossScanner } from '../../src/modules/security/scanning/loss-scanner.service.js';
import { ScanJobs } from '../../src/modules/security/scanning/scan-state.job.js';
import { StateScanner } from '../../src/modules/security/scanning/state-scanner.service.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import type { JobRun } from '../../src/platform/queue/index.js';
import { CostHarness, type CostState, type PlacedInstance } from '../support/cost-harness.js';

const RUN = { lastAttempt: false } as JobRun;
const KEPT_DAYS = 1_100;
const BUCKET: PlacedInstance = {
  type: 'aws_s3_bucket',
  address: 'aws_s3_bucket.data',
  attributes: { id: 'data-1', bucket: 'data-1' },
};
const VERSIONING: PlacedInstance = {
  type: 'aws_s3_bucket_versioning',
  address: 'aws_s3_bucket_versioning.data',
  attributes: { bucket: 'data-1', versioning_configuration: [{ status: 'Enabled' }] },
};

describe('The upkeep of findings', () => {
  let harness: CostHarness;
  let scanner: StateScanner;
  let jobs: ScanJobs;
  beforeAll(async () => {
    harness = await CostHarness.start({ SERVICE_SECURITY_HISTORY_DAYS: String(KEPT_DAYS) });
    harness.now = new Date();
    scanner = harness.context.get(StateScanner);
    jobs = harness.context.get(ScanJobs);
  }, 60_000);
  afterAll(() => harness.stop());

  const written = async (tenantId: string, instances: PlacedInstance[]): Promise<CostState> =>
    harness.write(await harness.aState(tenantId), instances);
  const scansOf = async (state: CostState): Promise<string[]> =>
    (
      await harness.query<{ triggered_by: string }>(
        'SELECT triggered_by FROM security_scans WHERE state_id = $1 ORDER BY seq',
        [state.id],
      )
    ).map(({ triggered_by: trigger }) => trigger);
  const openChecks = async (state: CostState): Promise<string[]> =>
    (
      await harness.query<{ check_id: string }>(
        'SELECT check_id FROM security_findings WHERE state_id = $1 AND resolved_at IS NULL ORDER BY 1',
        [state.id],
      )
    ).map(({ check_id: id }) => id);

  it('scans a state as a whole that was not for a day', async () => {
    const state = await written(await harness.aTenant(), [BUCKET]);
    const first = await scanner.scan({ stateId: state.id });
    await jobs.scanDaily({}, RUN);
    expect(await scansOf(state)).toHaveLength(1);
    const before = await openChecks(state);
    await harness.query(
      `UPDATE security_states SET whole_at = now() - interval '25 hours' WHERE state_id = $1`,
      [state.id],
    );
    await jobs.scanDaily({}, RUN);
    await jobs.scanDaily({}, RUN);
    expect((await scansOf(state)).slice(1)).toEqual(['scheduled']);
    // Nothing differed, so nothing was written.
    const writers = await harness.query<{ scan_id: string }>(
      'SELECT DISTINCT scan_id FROM security_findings WHERE state_id = $1',
      [state.id],
    );
    expect([await openChecks(state), writers]).toEqual([before, [{ scan_id: first }]]);
  });

  it('keeps resolved findings for the configured days, and the scans that are needed', async () => {
    const state = await written(await harness.aTenant(), [BUCKET, VERSIONING]);
    await scanner.scan({ stateId: state.id });
    const open = await openChecks(state);
    expect(open.length).toBeGreaterThan(2);
    const [old, young] = open;
    const resolve = (checkId: string | undefined, days: number) =>
      harness.query(
        `UPDATE security_findings SET first_seen_at = now() - $3 * interval '1 day' - interval '1 hour',
           resolved_at = now() - $3 * interval '1 day', resolved_scan_id = scan_id WHERE state_id = $1 AND check_id = $2`,
        [state.id, checkId, days],
      );
    await resolve(old, KEPT_DAYS + 1);
    await resolve(young, KEPT_DAYS - 1);
    await harness.query(
      `UPDATE security_scans SET scanned_at = now() - interval '${KEPT_DAYS + 1} days' WHERE state_id = $1`,
      [state.id],
    );
    await jobs.forget({}, RUN);
    const left = await harness.query<{ check_id: string }>(
      'SELECT check_id FROM security_findings WHERE state_id = $1 ORDER BY 1',
      [state.id],
    );
    expect(left.map(({ check_id: id }) => id)).toEqual(open.slice(1));
    expect(await scansOf(state)).toHaveLength(1);
    const [counted] = await harness.query<{ open: number; rows: number }>(
      `SELECT (SELECT sum(count)::int FROM security_counts WHERE state_id = $1) AS open,
         (SELECT count(*)::int FROM security_findings WHERE state_id = $1 AND resolved_at IS NULL) AS rows`,
      [state.id],
    );
    expect(counted).toEqual({ open: open.length - 2, rows: open.length - 2 });
  });

  it('sees what was there only between two scans of its state, because scans of others saw it', async () => {
    const tenantId = await harness.aTenant();
    const buckets = await written(tenantId, [BUCKET]);
    let settings = await written(tenantId, []);
    for (const { id } of [buckets, settings]) await scanner.scan({ stateId: id });
    expect(await openChecks(buckets)).toContain('AWS-S3-007');
    settings = await harness.write(settings, [VERSIONING]);
    await scanner.scan({ stateId: buckets.id, whole: 'manual' });
    expect(await openChecks(buckets)).not.toContain('AWS-S3-007');
    settings = await harness.write(settings, []);
    await scanner.scan({ stateId: settings.id });
    expect(await openChecks(buckets)).toContain('AWS-S3-007');
  });

  it('takes all states of a tenant for due when nothing is known of one that is gone', async () => {
    const tenantId = await harness.aTenant();
    const [buckets, lost] = [await written(tenantId, [BUCKET]), await written(tenantId, [VERSIONING])];
    for (const { id } of [lost, buckets]) await scanner.scan({ stateId: id });
    expect(await openChecks(buckets)).not.toContain('AWS-S3-007');
    await harness.query('DELETE FROM states WHERE id = $1', [lost.id]);
    const losses = harness.context.get(LossScanner);
    expect(await losses.scan(tenantId)).toEqual({ areAllDue: true });
    expect(await losses.scan(tenantId)).toEqual({ areAllDue: false });
    await scanner.scan({ stateId: buckets.id });
    expect(await openChecks(buckets)).toContain('AWS-S3-007');
  });

  it('reads rows in batches of one statement, and says what went wrong between them', async () => {
    const work = harness.context.get(UnitOfWork);
    const batches = () =>
      rowBatches<{ n: number }>(work, {
        sql: 'SELECT n FROM generate_series(1, $1::int) n',
        values: [5],
        size: 2,
      });
    const sizes = await work.run(async () => {
      const found: number[][] = [];
      // Two at a time have cursors of their own.
      for await (const [first] of pairsOf(batches(), batches())) found.push(first.map(({ n }) => n));
      return found;
    });
    expect(sizes).toEqual([[1, 2], [3, 4], [5]]);
    const failing = work.run(async () => {
      for await (const { length } of batches()) await work.query('SELECT $1::int / 0', [length]);
    });
    await expect(failing).rejects.toThrow('division by zero');
  });

  it('reads all open findings of a state while they are written', async () => {
    const state = await written(await harness.aTenant(), [BUCKET, VERSIONING]);
    await scanner.scan({ stateId: state.id });
    const open = await openChecks(state);
    const work = harness.context.get(UnitOfWork);
    const read = await work.run(async () => {
      const found: string[] = [];
      for await (const part of harness.context.get(Findings).allOpenOf(state.id)) {
        found.push(...part.map(({ check_id: id }) => id));
        await work.query('UPDATE security_findings SET blast_resources = 7 WHERE state_id = $1', [state.id]);
      }
      return found;
    });
    expect(read.sort()).toEqual(open);
  });
});

async function* pairsOf<T>(left: AsyncIterable<T>, right: AsyncIterable<T>): AsyncGenerator<[T, T]> {
  const others = right[Symbol.asyncIterator]();
  for await (const one of left) {
    const other = await others.next();
    if (other.done !== true) yield [one, other.value];
  }
}
