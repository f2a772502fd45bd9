import { shownData } from './shown-entry.rules.js';

const shown = (objectType: string, data: unknown) =>
  JSON.parse(shownData(objectType, JSON.stringify(data))) as unknown;

describe('A log entry, read', () => {
  it('has no value of an output that is sensitive', () => {
    const output = { name: 'o', type: 'string', value: 'swordfish', sensitive: true };
    expect(shown('output', output)).toEqual({ ...output, value: '(sensitive value)' });
    expect(shown('output', { ...output, sensitive: false })).toEqual({ ...output, sensitive: false });
  });

  it('has no attribute that is sensitive, and nothing that providers keep to themselves', () => {
    const sensitive_attributes = [
      [
        { type: 'get_attr', value: 'auth' },
        { type: 'get_attr', value: 'password' },
      ],
    ];
    const instance = { address: 'a.b', attributes: { auth: { user: 'ada', password: 'swordfish' }, n: 1 } };
    expect(
      shown('instance', { ...instance, sensitive_attributes, private: 'swordfish', attributes_flat: {} }),
    ).toEqual({
      address: 'a.b',
      attributes: { auth: { user: 'ada', password: '(sensitive value)' }, n: 1 },
      sensitive_attributes,
    });
    expect(shown('instance', instance)).toEqual(instance);
    expect(shown('instance', { address: 'a.b' })).toEqual({ address: 'a.b' });
  });

  it('has no default of a sensitive variable, and no secret of a backend that was kept before', () => {
    const block = (data: unknown) => shown('hcl', { file: 'main.tf', data });
    const hidden = '(sensitive value)';
    expect(
      [
        { variable: { a: { default: 'swordfish', sensitive: true } } },
        { variable: { sensitive: [{ default: { a: 'swordfish' }, sensitive: 'true' }] } },
        { variable: [{ a: { default: 'open', sensitive: false }, b: { default: null, sensitive: true } }] },
        { terraform: [{ backend: { s3: { secret_key: 'swordfish' } }, required_version: '>= 1' }] },
      ].map(block),
    ).toEqual(
      [
        { variable: { a: { default: hidden, sensitive: true } } },
        { variable: { sensitive: [{ default: hidden, sensitive: 'true' }] } },
        { variable: [{ a: { default: 'open', sensitive: false }, b: { default: null, sensitive: true } }] },
        { terraform: [{ required_version: '>= 1' }] },
      ].map((data) => ({ file: 'main.tf', data })),
    );
    expect(shown('hcl', { node_id: 'variable.a' })).toEqual({ node_id: 'variable.a' });
  });

  it('keeps every digit, and is otherwise what was said', () => {
    expect(shownData('output', '{"name": "n", "value": 12345678901234567890.10}')).toBe(
      '{"name":"n","value":12345678901234567890.10}',
    );
    expect(shownData('hcl', '{"data": {"sensitive": true, "value": 1}}')).toBe(
      '{"data": {"sensitive": true, "value": 1}}',
    );
  });
});
