import * as fc from 'fast-check';
import { planRegions } from './plan-regions.rules.js';

const plan = {
  variables: { region: { value: 'eu-west-1' }, hidden: { value: 'ap-south-1' } },
  configuration: {
    provider_config: {
      aws: {
        expressions: { region: { constant_value: 'us-east-1' }, secret_key: { constant_value: 'secret' } },
      },
      'aws.eu': { expressions: { region: { references: ['var.region'] } } },
      'aws.hidden': { expressions: { region: { references: ['var.hidden'] } } },
      'aws.odd': { expressions: { region: { references: ['local.region', 'var.region'] } } },
      'module.a:aws': { module_address: 'module.a', expressions: { region: { references: ['var.region'] } } },
      google: { expressions: { zone: { constant_value: 'us-central1-a' } } },
    },
    root_module: {
      variables: { region: {}, hidden: { sensitive: true } },
      resources: [
        { address: 'aws_instance.a', provider_config_key: 'aws' },
        { address: 'aws_instance.b', provider_config_key: 'aws.hidden' },
      ],
      module_calls: {
        net: { module: { resources: [{ address: 'aws_vpc.main', provider_config_key: 'aws.eu' }] } },
      },
    },
  },
};

describe('the regions of a plan', () => {
  it('are constants, and values of variables that are not sensitive', () => {
    expect(planRegions(plan)).toEqual({
      provider_config: {
        aws: { expressions: { region: { constant_value: 'us-east-1' } } },
        'aws.eu': { expressions: { region: { constant_value: 'eu-west-1' } } },
        google: { expressions: { zone: { constant_value: 'us-central1-a' } } },
      },
      provider_config_keys: { 'aws_instance.a': 'aws', 'module.net.aws_vpc.main': 'aws.eu' },
    });
  });

  it('are read from any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        planRegions(value);
        planRegions({ configuration: value, variables: value });
        planRegions({ configuration: { provider_config: { a: value }, root_module: value } });
      }),
    );
  });
});
