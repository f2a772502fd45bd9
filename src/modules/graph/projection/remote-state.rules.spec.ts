import { distinctiveValues, remoteStateReference } from './remote-state.rules.js';

const GROUP = '0b7ee2ce-9a1f-4a42-a73f-6c3f7e0f1a11';

function attributes(address: unknown, backend = 'http', outputs: unknown = {}): string {
  return JSON.stringify({
    backend,
    config: { value: { address }, type: ['object', { address: 'string' }] },
    outputs: { value: outputs, type: ['object', {}] },
  });
}

describe('a terraform_remote_state', () => {
  it.each([
    [`http://host:8080/api/v1/states/backend/${GROUP}`, 'default'],
    [`https://host/api/v1/states/backend/${GROUP}/prod`, 'prod'],
    [`https://user@host/prefix/api/v1/states/backend/${GROUP.toUpperCase()}/a%2Fb?view=outputs`, 'a/b'],
    [`https://host/api/v1/states/backend/${GROUP}?x=1`, 'default'],
    [`https://host/api/v1/states/backend/${GROUP}/%zz`, '%zz'],
  ])('at %s reads the workspace %s', (address, workspace) => {
    expect(remoteStateReference(attributes(address))).toEqual({ groupId: GROUP, workspace, values: [] });
  });

  it.each([
    attributes(`https://host/api/v1/states/backend/${GROUP}`, 's3'),
    attributes('https://host/other'),
    attributes(`https://host/api/v1/states/backend/not-a-uuid`),
    attributes(null),
    '{}',
    '{"backend":"http"}',
    'null',
  ])('of another kind is no link: %s', (text) => {
    expect(remoteStateReference(text)).toBeUndefined();
  });

  it('keeps the identifiers among the outputs', () => {
    const outputs = {
      vpc: 'vpc-0a1b2c3d',
      nested: [{ arn: 'arn:aws:sqs:eu-west-1:123456789012:q' }],
      n: 12345678,
      on: true,
    };
    const found = remoteStateReference(attributes(`https://h/states/backend/${GROUP}`, 'http', outputs));
    expect(found?.values).toEqual(['vpc-0a1b2c3d', 'arn:aws:sqs:eu-west-1:123456789012:q']);
  });
});

describe('distinctive values', () => {
  it.each([
    'vpc-0a1b2c3d4e5f',
    'i-0abc12',
    'arn:aws:s3:::bucket-1',
    GROUP,
    'my-bucket-123456789012',
    'db-1.abc.eu-west-1.rds.amazonaws.com',
    'projects/p1/zones/europe-west1-b/instances/web',
  ])('%s is one', (value) => {
    expect(distinctiveValues({ value })).toEqual([value]);
  });

  it.each([
    'true',
    'production',
    'us-east-1',
    'eu-central-1a',
    'europe-west1',
    't3.medium',
    'm5.2xlarge',
    '123456789012',
    '10.0.0.0/16',
    '1.2.3',
    'v1.28.3',
    '2024-03-01T10:00:00Z',
    '(sensitive value)',
    'a text with 1 number',
    'a1',
  ])('%s is none', (value) => {
    expect(distinctiveValues([value])).toEqual([]);
  });
});
