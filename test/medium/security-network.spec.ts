import { randomUUID } from 'node:crypto';
import { StateScanner } from '../../src/modules/security/scanning/state-scanner.service.js';
import { CostHarness, type CostState, type PlacedInstance } from '../support/cost-harness.js';

/** A host with a public address behind a group of its own. */
function host(cidr: string, description = 'as it was'): PlacedInstance[] {
  return [
    {
      type: 'aws_instance',
      address: 'aws_instance.web',
      attributes: { id: 'i-1', public_ip: '203.0.113.7', vpc_security_group_ids: ['sg-1'], description },
    },
    {
      type: 'aws_security_group',
      address: 'aws_security_group.web',
      attributes: {
        id: 'sg-1',
        description,
        ingress: [{ protocol: 'tcp', from_port: 22, to_port: 22, cidr_blocks: [cidr] }],
      },
    },
  ];
}
const OPEN = '0.0.0.0/0';
const CLOSED = '10.0.0.0/8';

describe('The network of a tenant', () => {
  let harness: CostHarness;
  let scanner: StateScanner;
  beforeAll(async () => {
    harness = await CostHarness.start();
    harness.now = new Date();
    scanner = harness.context.get(StateScanner);
  }, 60_000);
  afterAll(() => harness.stop());

  const scan = (state: CostState): Promise<unknown> => scanner.scan({ stateId: state.id });
  const judgementOf = async ({ tenantId }: CostState): Promise<string | undefined> =>
    (
      await harness.query<{ judgement: string }>(
        'SELECT judgement FROM security_judgements WHERE tenant_id = $1',
        [tenantId],
      )
    )[0]?.judgement;
  /** What the table and every finding of the host say. */
  async function isReachable(state: CostState): Promise<unknown[]> {
    const rows = await harness.query<{ reachable: boolean }>(
      `SELECT reachable FROM security_reach WHERE state_id = $1 AND address = 'aws_instance.web'
       UNION SELECT reachable FROM security_findings WHERE state_id = $1 AND resolved_at IS NULL AND address = 'aws_instance.web'`,
      [state.id],
    );
    return rows.map(({ reachable }) => reachable);
  }
  async function scanned(cidr: string): Promise<CostState> {
    const state = await harness.write(await harness.aState(await harness.aTenant()), host(cidr));
    await scan(state);
    return state;
  }

  it('is judged again only when something changed that the rules read', async () => {
    const first = await scanned(OPEN);
    expect(await isReachable(first)).toEqual([true]);
    const judgement = await judgementOf(first);
    const described = await harness.write(first, host(OPEN, 'another text'));
    await scan(described);
    expect([await judgementOf(first), await isReachable(first)]).toEqual([judgement, [true]]);
    const closed = await harness.write(described, host(CLOSED, 'another text'));
    await scan(closed);
    expect(await isReachable(first)).toEqual([false]);
    expect(await judgementOf(first)).not.toBe(judgement);
  });

  it('is judged again on request, whatever is remembered of it', async () => {
    const state = await scanned(OPEN);
    await harness.query('UPDATE security_reach SET reachable = false, evidence = NULL WHERE state_id = $1', [
      state.id,
    ]);
    await scanner.scan({ stateId: state.id, whole: 'manual' });
    expect(await isReachable(state)).toEqual([true]);
  });

  it('is judged again when another worker judged another network in between', async () => {
    const first = await scanned(OPEN);
    const between = await harness.write(first, host(CLOSED));
    // The other worker's scan of that version.
    await harness.query(
      'UPDATE security_reach SET reachable = false, evidence = NULL, ports = NULL WHERE state_id = $1',
      [first.id],
    );
    await harness.query('UPDATE security_findings SET reachable = false WHERE state_id = $1', [first.id]);
    await harness.query('UPDATE security_judgements SET judgement = $2 WHERE tenant_id = $1', [
      first.tenantId,
      randomUUID(),
    ]);
    await harness.query('UPDATE security_states SET scanned_version = $2 WHERE state_id = $1', [
      first.id,
      between.version,
    ]);
    await scan(await harness.write(between, host(OPEN)));
    expect(await isReachable(first)).toEqual([true]);
  });

  it('is judged again after a scan that was rolled back', async () => {
    const first = await scanned(CLOSED);
    const opened = await harness.write(first, host(OPEN));
    await harness.query(
      `CREATE FUNCTION refuse_progress() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`,
    );
    await harness.query(
      'CREATE TRIGGER refuse_progress BEFORE UPDATE ON security_states FOR EACH ROW EXECUTE FUNCTION refuse_progress()',
    );
    await expect(scan(opened)).rejects.toThrow('refused');
    await harness.query('DROP TRIGGER refuse_progress ON security_states');
    expect(await isReachable(first)).toEqual([false]);
    await scan(opened);
    expect(await isReachable(first)).toEqual([true]);
  });

  it('is judged again when a state is gone that was a part of it', async () => {
    const tenantId = await harness.aTenant();
    const [web, group] = host(OPEN);
    if (!web || !group) throw new Error('a host and its group');
    const [hosts, groups] = [
      await harness.write(await harness.aState(tenantId), [web]),
      await harness.write(await harness.aState(tenantId), [group]),
    ];
    await scan(hosts);
    await scan(groups);
    expect(await isReachable(hosts)).toEqual([true]);
    await harness.query('DELETE FROM states WHERE id = $1', [groups.id]);
    await scan(
      await harness.write(hosts, [{ ...web, attributes: { ...web.attributes, description: 'new' } }]),
    );
    expect(await isReachable(hosts)).not.toContain(true);
  });

  it('has statistics after a scan that found much', async () => {
    const buckets = Array.from({ length: 1_500 }, (_, n) => ({
      type: 'aws_s3_bucket',
      address: `aws_s3_bucket.many[${n}]`,
      attributes: { id: `many-${n}`, bucket: `many-${n}` },
    }));
    const state = await harness.write(await harness.aState(await harness.aTenant()), buckets);
    await scan(state);
    const [row] = await harness.query<{ known: number; found: number }>(
      `SELECT (SELECT reltuples FROM pg_class WHERE oid = 'security_findings'::regclass)::int AS known,
         (SELECT count(*) FROM security_findings WHERE state_id = $1)::int AS found`,
      [state.id],
    );
    expect(row?.found).toBeGreaterThanOrEqual(5_000);
    expect(row?.known).toBeGreaterThanOrEqual(row?.found ?? Infinity);
  });
});
