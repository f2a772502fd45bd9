import { ConfigurationError, loadConfig, unknownVariables } from './config.js';

const REQUIRED = {
  SERVICE_UI_BASE: 'http://localhost',
  DB_HOST: 'x',
  DB_USER: 'x',
  DB_PASS: 'x',
  DB_NAME: 'x',
};

describe('The configuration', () => {
  it.each([
    ['SERVICE_PORT', '65535'],
    ['SERVICE_INTERNAL_PORT', '0'],
    ['SERVICE_REDIS_URL', 'redis://cache:6379/1'],
    ['SERVICE_REDIS_URL', 'rediss://:secret@cache'],
  ] as const)('takes %s=%s', (key, value) =>
    expect(String(loadConfig({ ...REQUIRED, [key]: value }).get(key))).toBe(value),
  );

  it.each([
    ['SERVICE_PORT', '65536'],
    ['SERVICE_INTERNAL_PORT', '99999'],
    ['DB_PORT', '0'],
    ['SERVICE_REDIS_URL', 'cache:6379'],
  ])('refuses %s=%s in one line that names it and not the value', (key, value) => {
    const load = () => loadConfig({ ...REQUIRED, [key]: value });
    expect(load).toThrow(ConfigurationError);
    expect(load).toThrow(new RegExp(`^configuration error: ${key} is invalid: (?!.*${value})[^\\n]+$`));
  });
});

describe('unknownVariables', () => {
  it('names what has the prefix of the service and is not read, and nothing else', () => {
    const environment = {
      SERVICE_POTR: '9999',
      SERVICE_PORT: '8080',
      PATH: '/bin',
      DB_SERVICE_HOST: '10.0.0.1',
    };
    expect(unknownVariables(environment)).toEqual(['SERVICE_POTR']);
  });
});
