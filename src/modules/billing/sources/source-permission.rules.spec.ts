import { parseAllowedSources } from '../../../platform/config/allowed-sources.js';
import { parseSourceAddress } from '../stores/source-address.rules.js';
import { isSourceAllowed } from './source-permission.rules.js';

const TENANT = '0b8f2a52-5c5d-4d0f-8f7a-6a7f1f6a2d11';
const OTHER = '9b8f2a52-5c5d-4d0f-8f7a-6a7f1f6a2d99';
const ALLOWED = parseAllowedSources(
  `s3://shared/bills, gs://ours=${TENANT} , abfss://con@account.dfs.core.windows.net/x/`,
);

describe('Who may name a billing source', () => {
  const ask = (uri: string, { isOperators = false, tenantId = TENANT, fileRoot = '/srv/bills' } = {}) => {
    const address = parseSourceAddress(uri);
    if (!address) throw new Error(`${uri} is no address`);
    return isSourceAllowed(
      { tenantId, uri, address, isOperators },
      { allowed: ALLOWED, fileRoot: fileRoot === '' ? undefined : fileRoot },
    );
  };

  it.each([
    ['s3://shared/bills/a.csv', true],
    ['s3://shared/bills', true],
    ['s3://shared/bills2/a.csv', false],
    ['s3://shared/bill*/a.csv', false],
    ['s3://shared/*/a.csv', false],
    ['s3://other/a.csv', false],
    ['gs://ours/a.csv', true],
    ['abfss://con@account.dfs.core.windows.net/x/a.csv', true],
    ['abfss://con@account.dfs.core.windows.net/y/a.csv', false],
    [`file:///srv/bills/${TENANT}/a.csv`, true],
    [`file:///srv/bills/${OTHER}/a.csv`, false],
    ['file:///srv/bills/*/a.csv', false],
    ['file:///srv/bills/a.csv', false],
    ['file:///etc/passwd', false],
  ])('lets the administrator of a tenant name %s: %s', (uri, isAllowed) => {
    expect(ask(uri)).toBe(isAllowed);
  });

  it('keeps what is allowed to one tenant from the others', () => {
    expect(ask('gs://ours/a.csv', { tenantId: OTHER })).toBe(false);
    expect(ask('s3://shared/bills/a.csv', { tenantId: OTHER })).toBe(true);
  });

  it.each([
    ['s3://anything/a.csv', true],
    ['file:///srv/bills/a.csv', true],
    ['file:///etc/passwd', false],
    ['file:///srv/bills2/a.csv', false],
  ])('lets an installation administrator name %s: %s', (uri, isAllowed) => {
    expect(ask(uri, { isOperators: true })).toBe(isAllowed);
  });

  it('has no files without a root', () => {
    expect(ask('file:///srv/bills/a.csv', { isOperators: true, fileRoot: '' })).toBe(false);
  });

  it.each(['bucket/path', 's3://bucket/*', 'http://bucket', 's3://'])(
    'refuses %s in the settings',
    (text) => {
      expect(() => parseAllowedSources(text)).toThrow('an entry must look like');
    },
  );
});
