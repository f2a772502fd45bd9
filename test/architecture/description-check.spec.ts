import { DescriptionCheck, type ReceivedAnswer } from '../support/description-check.js';

const ID = '0d3f5b52-7c1e-4f0a-9d1c-2b8e6a4f7c11';
const check = new DescriptionCheck();

function contradiction(body: unknown, over: Partial<ReceivedAnswer> = {}): string | undefined {
  return check.contradiction({
    method: 'GET',
    url: 'http://localhost/api/v1/user/tenants?x=1',
    status: 200,
    contentType: 'application/json; charset=utf-8',
    text: JSON.stringify(body),
    ...over,
  });
}

describe('The comparison of answers with the description', () => {
  it('accepts what is described', () => {
    expect(contradiction({ results: [{ id: ID, name: 'one' }] })).toBeUndefined();
    expect(contradiction({ results: [] })).toBeUndefined();
    expect(contradiction({ id: 'NOT_FOUND', data: 'gone' }, { status: 401 })).toBeUndefined();
    expect(contradiction({}, { url: 'http://localhost/api/v1/no/such/route' })).toBeUndefined();
  });

  it.each([
    ['a property of another type', { results: [{ id: ID, name: 7 }] }, {}],
    ['an id that is none', { results: [{ id: 'x', name: 'one' }] }, {}],
    ['a missing property', { results: [{ id: ID }] }, {}],
    ['a property that is not described', { results: [], more: true }, {}],
    ['a status that is not described', {}, { status: 418 }],
    ['an error without an id', { data: 'gone' }, { status: 401 }],
    ['a body that is no JSON', {}, { text: 'oops' }],
    ['a body of another type', {}, { contentType: 'text/html' }],
  ])('names %s', (_, body, over) => {
    expect(contradiction(body, over)).toMatch(/^GET \/api\/v1\/user\/tenants → \d+: /);
  });

  it('tells routes with parameters from those without', () => {
    const url = `http://localhost/api/v1/states/${ID}/lock`;
    expect(contradiction({ locked: false }, { url })).toBeUndefined();
    expect(contradiction({ locked: 'no' }, { url })).toMatch('/states/{stateId}/lock');
    const held = { method: 'LOCK', status: 423, url: `http://localhost/api/v1/states/backend/${ID}` };
    expect(contradiction({ ID: 'a' }, held)).toBeUndefined();
    expect(contradiction({}, held)).toMatch('/states/backend/{groupId}');
  });
});
