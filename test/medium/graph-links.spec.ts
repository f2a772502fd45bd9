import { randomUUID } from 'node:crypto';
import type { Principal } from '../../src/modules/access/index.js';
import { BlastRadiusService } from '../../src/modules/graph/reach/blast-radius.service.js';
import {
  anOutput,
  GraphHarness,
  type GraphState,
  remoteStateOf,
  type WrittenInstance,
} from '../support/graph-harness.js';
import { metaOf } from '../support/graph-oracle.js';

const VPC = { meta: metaOf({ type: 'aws_vpc', name: 'main' }), attributes: { id: 'vpc-0a1b2c3d' } };
const BUCKET = {
  meta: metaOf({ type: 'aws_s3_bucket', name: 'logs' }),
  attributes: { id: 'logs', bucket: 'logs-98765' },
};
const SUBNET = {
  meta: metaOf({ type: 'aws_subnet', name: 'main', indexKey: 0, dependencies: ['aws_vpc.main'] }),
  attributes: { id: 'subnet-111111', vpc_id: 'vpc-0a1b2c3d' },
};

describe('States that read each other', () => {
  let harness: GraphHarness;
  beforeAll(async () => {
    harness = await GraphHarness.start();
  });
  afterAll(() => harness.stop());

  function reader(groupId: string, outputs: Record<string, unknown>): WrittenInstance[] {
    const remoteState = remoteStateOf(groupId, outputs);
    const source = metaOf({ mode: 'data', type: 'terraform_remote_state', name: 'up', remoteState });
    const node = metaOf({
      type: 'aws_instance',
      name: 'node',
      dependencies: ['data.terraform_remote_state.up'],
    });
    return [{ meta: source, attributes: JSON.parse(remoteState) as Record<string, unknown> }, { meta: node }];
  }

  function caller(tenantIds: string[]): Principal {
    return {
      kind: 'session',
      credentialId: 'session:test',
      userId: randomUUID(),
      userName: 'somebody',
      userType: 'user',
      sessionEpoch: 0,
      capabilities: {},
      tenantIds,
      homeTenantIds: tenantIds,
      ruleAdminTenantIds: [],
      tenantCeiling: undefined,
      stateBound: false,
      groupRuleIds: [],
      claims: {},
    };
  }

  async function radius(state: GraphState, address: string, tenants = [harness.tenantId]) {
    const view = await harness.context
      .get(BlastRadiusService)
      .findBlastRadius(caller(tenants), state.id, address);
    const lines = view.results.map((entry) => `${entry.distance} ${entry.state_name} ${entry.address}`);
    return { lines, hidden: [view.hidden_states, view.hidden_instances] };
  }

  const CROSSED = ['1 down data.terraform_remote_state.up', '2 down aws_instance.node'];

  it('lead from the instance whose identifier the consumer has read', async () => {
    const outputs = [anOutput('vpc', 'vpc-0a1b2c3d'), anOutput('region', 'eu-west-1')];
    const up = await harness.write(await harness.aState({ name: 'up' }), [VPC, BUCKET, SUBNET], { outputs });
    await harness.write(await harness.aState({ name: 'down' }), reader(up.groupId, { vpc: 'vpc-0a1b2c3d' }));
    expect((await radius(up, 'aws_vpc.main')).lines).toEqual([
      '0 up aws_vpc.main',
      CROSSED[0],
      '1 up aws_subnet.main[0]',
      CROSSED[1],
    ]);
    expect((await radius(up, 'aws_s3_bucket.logs')).lines).toEqual(['0 up aws_s3_bucket.logs']);
  });

  it('lead from any attribute of a small state when no identifier carries the value', async () => {
    const outputs = [anOutput('bucket', 'logs-98765')];
    const up = await harness.write(await harness.aState({ name: 'up' }), [VPC, BUCKET], { outputs });
    await harness.write(await harness.aState({ name: 'down' }), reader(up.groupId, { bucket: 'logs-98765' }));
    expect((await radius(up, 'aws_s3_bucket.logs')).lines).toEqual(['0 up aws_s3_bucket.logs', ...CROSSED]);
    expect((await radius(up, 'aws_vpc.main')).lines).toEqual(['0 up aws_vpc.main']);
  });

  it.each([
    ['a value tells nothing', [anOutput('region', 'eu-west-1')], { region: 'eu-west-1' }],
    ['the output is sensitive', [anOutput('vpc', '(sensitive value)', true)], { vpc: '(sensitive value)' }],
    ['the value is an older one', [anOutput('vpc', 'vpc-0a1b2c3d')], { vpc: 'vpc-99999999' }],
  ])('lead from the whole producer when %s', async (_reason, outputs, read) => {
    const up = await harness.write(await harness.aState({ name: 'up' }), [VPC, BUCKET], { outputs });
    await harness.write(await harness.aState({ name: 'down' }), reader(up.groupId, read));
    expect((await radius(up, 'aws_s3_bucket.logs')).lines).toEqual(['0 up aws_s3_bucket.logs', ...CROSSED]);
    expect((await radius(up, 'aws_vpc.main')).lines).toEqual(['0 up aws_vpc.main', ...CROSSED]);
  });

  it('find a producer that is created later', async () => {
    const groupId = randomUUID();
    await harness.write(await harness.aState({ name: 'down' }), reader(groupId, { vpc: 'vpc-0a1b2c3d' }));
    const outputs = [anOutput('vpc', 'vpc-0a1b2c3d')];
    const up = await harness.write(await harness.aState({ name: 'up', groupId }), [VPC, BUCKET], { outputs });
    expect((await radius(up, 'aws_vpc.main')).lines).toEqual(['0 up aws_vpc.main', ...CROSSED]);
    expect((await radius(up, 'aws_s3_bucket.logs')).lines).toEqual(['0 up aws_s3_bucket.logs']);
  });

  it('follow the producer when instances come and go, and outputs change alone', async () => {
    const outputs = [anOutput('vpc', 'vpc-0a1b2c3d')];
    let up = await harness.write(await harness.aState({ name: 'up' }), [VPC, BUCKET], { outputs });
    const read = { vpc: 'vpc-0a1b2c3d', bucket: 'logs-98765' };
    await harness.write(await harness.aState({ name: 'down' }), reader(up.groupId, read));
    // Nodes move: something that sorts before the vpc arrives.
    up = await harness.write(up, [{ meta: metaOf({ type: 'aaa', name: 'first' }) }, VPC, BUCKET]);
    expect((await radius(up, 'aws_vpc.main')).lines).toEqual(['0 up aws_vpc.main', ...CROSSED]);
    expect((await radius(up, 'aaa.first')).lines).toEqual(['0 up aaa.first']);
    up = await harness.write(up, up.instances, { outputs: [anOutput('bucket', 'logs-98765')] });
    expect((await radius(up, 'aws_vpc.main')).lines).toEqual(['0 up aws_vpc.main']);
    expect((await radius(up, 'aws_s3_bucket.logs')).lines).toEqual(['0 up aws_s3_bucket.logs', ...CROSSED]);
    up = await harness.write(up, [VPC], { outputs: [] });
    expect((await radius(up, 'aws_vpc.main')).lines).toEqual(['0 up aws_vpc.main', ...CROSSED]);
  });

  it('follow the consumer when its data source changes or goes', async () => {
    const up = await harness.write(await harness.aState({ name: 'up' }), [VPC]);
    let down = await harness.write(await harness.aState({ name: 'down' }), reader(randomUUID(), {}));
    expect((await radius(up, 'aws_vpc.main')).lines).toEqual(['0 up aws_vpc.main']);
    down = await harness.write(down, reader(up.groupId, {}));
    expect((await radius(up, 'aws_vpc.main')).lines).toEqual(['0 up aws_vpc.main', ...CROSSED]);
    await harness.write(down, reader(up.groupId, {}).slice(1));
    expect((await radius(up, 'aws_vpc.main')).lines).toEqual(['0 up aws_vpc.main']);
  });

  it('may read each other in a circle', async () => {
    const [a, b] = [await harness.aState({ name: 'a' }), await harness.aState({ name: 'b' })];
    const first = await harness.write(a, reader(b.groupId, {}));
    await harness.write(b, reader(a.groupId, {}));
    expect((await radius(first, 'aws_instance.node')).lines).toEqual([
      '0 a aws_instance.node',
      '1 b data.terraform_remote_state.up',
      '2 a data.terraform_remote_state.up',
      '2 b aws_instance.node',
    ]);
  });

  it('states that the caller cannot see are counted, not named, and searched through', async () => {
    const foreign = await harness.aTenant();
    const up = await harness.write(await harness.aState({ name: 'up' }), [VPC]);
    const middle = await harness.write(
      await harness.aState({ name: 'middle', tenantId: foreign }),
      reader(up.groupId, {}),
    );
    await harness.write(await harness.aState({ name: 'down' }), reader(middle.groupId, {}));
    expect(await radius(up, 'aws_vpc.main')).toEqual({
      lines: ['0 up aws_vpc.main', '2 down data.terraform_remote_state.up', '3 down aws_instance.node'],
      hidden: [1, 2],
    });
    expect((await radius(up, 'aws_vpc.main', [harness.tenantId, foreign])).hidden).toEqual([0, 0]);
  });

  it('knows the address of a deposed object, and prefers the live one', async () => {
    const live = metaOf({ name: 'a' });
    const deposed = metaOf({ name: 'b', deposed: '00000001', dependencies: ['test_thing.a'] });
    const state = await harness.write(await harness.aState({ name: 's' }), [
      { meta: live },
      { meta: deposed },
    ]);
    expect((await radius(state, 'test_thing.a')).lines).toEqual(['0 s test_thing.a', '1 s test_thing.b']);
    expect((await radius(state, 'test_thing.b')).lines).toEqual(['0 s test_thing.b']);
    await expect(radius(state, 'test_thing.c')).rejects.toMatchObject({
      id: 'INSTANCE_NOT_FOUND',
      status: 404,
    });
  });
});
