import { ConfigurationError, loadConfig } from './config.js';

const REQUIRED = {
  SERVICE_UI_BASE: 'http://localhost',
  DB_HOST: 'x',
  DB_USER: 'x',
  DB_PASS: 'x',
  DB_NAME: 'x',
};
const DEFAULTS = { aws: 'us-east-1', azure: 'eastus', gcp: 'us-central1' };

const regionsOf = (value?: string) =>
  loadConfig({
    ...REQUIRED,
    ...(value === undefined ? {} : { SERVICE_COST_DEFAULT_REGIONS: value }),
  }).get('SERVICE_COST_DEFAULT_REGIONS');

describe('SERVICE_COST_DEFAULT_REGIONS', () => {
  it.each([
    [undefined, DEFAULTS],
    ['aws=eu-west-1', { ...DEFAULTS, aws: 'eu-west-1' }],
    [' azure = westeurope , gcp=europe-west1,', { ...DEFAULTS, azure: 'westeurope', gcp: 'europe-west1' }],
    [
      'aws=eu-west-1,azure=westeurope,gcp=europe-west1,aws=eu-west-2',
      {
        aws: 'eu-west-2',
        azure: 'westeurope',
        gcp: 'europe-west1',
      },
    ],
  ])('%j is read, and what it does not name keeps its default', (value, regions) => {
    expect(regionsOf(value)).toEqual(regions);
  });

  it.each(['eu-west-1', 'aws=', 'aws=eu west', 'ibm=eu-de', 'aws=EU-WEST-1', '__proto__=x'])(
    'refuses %j',
    (value) => {
      expect(() => regionsOf(value)).toThrow(ConfigurationError);
      expect(() => regionsOf(value)).toThrow(/SERVICE_COST_DEFAULT_REGIONS/);
    },
  );
});
