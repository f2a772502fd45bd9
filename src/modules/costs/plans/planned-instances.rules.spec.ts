import * as fc from 'fast-check';
import { keyOf } from '../../documents/index.js';
import { plannedChanges } from './planned-instances.rules.js';

const change = (address: string, actions: string[], more: object = {}) => ({
  ...{ address, mode: 'managed', type: 'aws_instance', provider_name: 'registry.terraform.io/hashicorp/aws' },
  change: { actions, after: { instance_type: 'm5.large' }, after_unknown: { id: true } },
  ...more,
});

describe('the changes of a plan', () => {
  it('are what it creates, updates, replaces, removes, forgets and moves', () => {
    const changes = plannedChanges({
      resource_changes: [
        change('aws_instance.kept', ['no-op']),
        change('aws_instance.read', ['read']),
        change('data.aws_ami.x', ['create'], { mode: 'data' }),
        change('aws_instance.new', ['create']),
        change('aws_instance.replaced', ['delete', 'create']),
        change('aws_instance.gone', ['delete']),
        change('aws_instance.forgotten', ['forget']),
        change('aws_instance.here', ['no-op'], { previous_address: 'aws_instance.there' }),
        change('aws_instance.kept', ['delete'], { deposed: 'abcd' }),
      ],
    });
    expect(changes.map(({ address, deposed, after }) => [address, deposed, after !== undefined])).toEqual([
      ['aws_instance.new', null, true],
      ['aws_instance.replaced', null, true],
      ['aws_instance.gone', null, false],
      ['aws_instance.forgotten', null, false],
      ['aws_instance.here', null, true],
      ['aws_instance.kept', 'abcd', false],
    ]);
    expect(changes[4]).toMatchObject({
      before: keyOf('aws_instance.there'),
      key: keyOf('aws_instance.here'),
    });
    expect(changes[5]?.key).toBe(keyOf('aws_instance.kept', 'abcd'));
    expect(changes[0]?.after).toMatchObject({
      unknown: { id: true },
      provider: 'registry.terraform.io/hashicorp/aws',
    });
  });

  it('have the region of the provider that the resource uses', () => {
    const [web] = plannedChanges({
      resource_changes: [change('module.a["x"].aws_instance.web[0]', ['create'])],
      configuration: {
        provider_config: { 'aws.eu': { expressions: { region: { constant_value: 'eu-west-1' } } } },
        provider_config_keys: { 'module.a.aws_instance.web': 'aws.eu' },
      },
    });
    expect(web?.after?.plannedRegion).toBe('eu-west-1');
  });

  it('are read from any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        plannedChanges(one);
        plannedChanges({ resource_changes: one, configuration: other });
        plannedChanges({
          resource_changes: [one, { address: 'a.b', type: 'a', change: other }],
          configuration: one,
        });
      }),
    );
  });
});
