import { parseTag, parseTags } from './tags.rules.js';

describe('tags', () => {
  it('reads pairs and JSON objects', () => {
    expect(parseTags('team=net, ticket=A=1')).toEqual({ team: 'net', ticket: 'A=1' });
    expect(parseTags(' {"team":"net","pr":7}')).toEqual({ team: 'net', pr: 7 });
    expect(parseTags('')).toEqual({});
  });

  it('refuses what is neither', () => {
    expect(() => parseTags('team')).toThrow('key=value');
    expect(() => parseTags('{"team":')).toThrow('INFRASTATE_TX_TAGS');
    expect(() => parseTag('=x')).toThrow('key=value');
  });
});
