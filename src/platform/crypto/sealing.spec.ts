import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Config, loadConfig } from '../config/index.js';
import { formatEncryptionKeys, parseEncryptionKeys } from './encryption-keys.js';
import { keyIdOf, sealedPrefix } from './sealed-value.js';
import { Sealing } from './sealing.js';

const REQUIRED = {
  SERVICE_UI_BASE: 'http://localhost',
  DB_HOST: 'x',
  DB_USER: 'x',
  DB_PASS: 'x',
  DB_NAME: 'x',
};
const OLD = { id: 'old', key: randomBytes(32) };
const NEW = { id: 'new', key: randomBytes(32) };
const PLACE = { table: 'secrets', column: 'value', row: '1' };

const configWith = (keys: string): Config => loadConfig({ ...REQUIRED, SERVICE_ENCRYPTION_KEYS: keys });
const sealingWith = (...keys: (typeof OLD)[]): Sealing =>
  new Sealing(keys.length === 0 ? loadConfig(REQUIRED) : configWith(formatEncryptionKeys(keys)));

describe('SERVICE_ENCRYPTION_KEYS', () => {
  const base64 = randomBytes(32).toString('base64');

  it('is a list of keys, the newest first, and is written as it is read', () => {
    const text = formatEncryptionKeys([NEW, OLD]);
    expect(parseEncryptionKeys(text)).toEqual([NEW, OLD]);
    expect(configWith(` ${text.replace(',', ' , ')} `).get('SERVICE_ENCRYPTION_KEYS')).toEqual([NEW, OLD]);
  });

  it.each([
    ['no id', base64],
    ['an empty id', `:${base64}`],
    ['an id with a space', `a b:${base64}`],
    ['31 bytes', `a:${randomBytes(31).toString('base64')}`],
    ['33 bytes', `a:${randomBytes(33).toString('base64')}`],
    ['no base64', `a:${'!'.repeat(44)}`],
    ['an empty entry', `a:${base64},`],
    ['one id twice', `a:${base64},a:${base64}`],
  ])('refuses %s in one line that shows no key', (_name, text) => {
    expect(() => configWith(text)).toThrow(
      /^configuration error: SERVICE_ENCRYPTION_KEYS is invalid: [^\n]+$/,
    );
    expect(() => configWith(text)).not.toThrow(base64);
  });
});

describe('A sealed value', () => {
  it('opens where it was sealed, with the key that sealed it, and shows nothing of itself', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (bytes, row) => {
        const [value, place] = [Buffer.from(bytes), { ...PLACE, row }];
        const sealed = sealingWith(NEW, OLD).seal(value, place);
        expect(sealingWith(OLD, NEW).open(sealed, place)).toEqual(value);
        if (value.length > 3) expect(sealed.includes(value)).toBe(false);
      }),
    );
  });

  it('is another one each time, under the first key', () => {
    const sealing = sealingWith(NEW, OLD);
    const [one, two] = [sealing.seal('secret', PLACE), sealing.seal('secret', PLACE)];
    expect(one.equals(two)).toBe(false);
    expect([keyIdOf(one), keyIdOf(two)]).toEqual(['new', 'new']);
    expect(one.subarray(0, 5)).toEqual(sealedPrefix('new'));
  });

  it.each([
    ['row', { ...PLACE, row: '2' }],
    ['column', { ...PLACE, column: 'other' }],
    ['table', { ...PLACE, table: 'other' }],
  ])('does not open in another %s', (_name, place) => {
    const sealing = sealingWith(NEW);
    const sealed = sealing.seal('secret', PLACE);
    expect(() => sealing.open(sealed, place)).toThrow('authenticate');
    expect(() => sealingWith(OLD, NEW).reseal(sealed, place)).toThrow('authenticate');
  });

  it('does not open when one bit of it is changed', () => {
    const sealing = sealingWith(NEW);
    const sealed = sealing.seal('secret', PLACE);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => sealing.open(changed, PLACE)).toThrow();
    }
    for (let length = 0; length < sealed.length; length += 1)
      expect(() => sealing.open(sealed.subarray(0, length), PLACE)).toThrow();
  });

  it('does not open with another key of the same id, and names a key that is missing', () => {
    const sealed = sealingWith(OLD).seal('secret', PLACE);
    expect(() => sealingWith({ ...NEW, id: 'old' }).open(sealed, PLACE)).toThrow('authenticate');
    const message = 'SERVICE_ENCRYPTION_KEYS has no key "old", which seals values in secrets.value';
    expect(() => sealingWith(NEW).open(sealed, PLACE)).toThrow(message);
    expect(() => sealingWith().open(sealed, PLACE)).toThrow(message);
  });

  it('moves to the newest key without the older one being needed afterwards', () => {
    const sealed = sealingWith(OLD).seal('secret', PLACE);
    const both = sealingWith(NEW, OLD);
    const resealed = both.reseal(sealed, PLACE);
    expect(keyIdOf(resealed)).toBe('new');
    expect(sealingWith(NEW).open(resealed, PLACE).toString()).toBe('secret');
    expect(both.reseal(resealed, PLACE)).toBe(resealed);
  });

  it('is not made without keys: 503 that says what to set', () => {
    expect(sealingWith().isConfigured).toBe(false);
    const refusal = expect.objectContaining({ id: 'ENCRYPTION_NOT_CONFIGURED', status: 503 }) as Error;
    expect(() => sealingWith().seal('secret', PLACE)).toThrow(refusal);
    expect(() => sealingWith().lookupHashes('secret', 'test')).toThrow(refusal);
  });
});

describe('A look-up hash', () => {
  it('is the same for the same secret, purpose and key, and another one otherwise', () => {
    const [newest, older] = sealingWith(NEW, OLD).lookupHashes('secret', 'webhook');
    expect(sealingWith(NEW).lookupHashes('secret', 'webhook')).toEqual([newest]);
    expect(sealingWith(OLD).lookupHashes('secret', 'webhook')).toEqual([older]);
    const others = [
      sealingWith(NEW).lookupHashes('secret', 'other')[0],
      sealingWith(NEW).lookupHashes('other', 'webhook')[0],
      older,
    ];
    for (const other of others) expect(newest.equals(other ?? newest)).toBe(false);
  });
});
