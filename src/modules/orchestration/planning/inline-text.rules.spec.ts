import { harmlessMarkdown } from '../reporting/comment-text.rules.js';
import { inlineCode, inlineText } from './inline-text.rules.js';

const HOSTILE = ['x`\n@team', '&#64;team', '&commat;team', '&num;1'];

describe('Names of others in a text of ours', () => {
  it('stay within their code', () => {
    expect(HOSTILE.map(inlineCode)).toEqual(["x' @team", '&#64;team', '&commat;team', '&num;1']);
  });

  it('neither mention people nor refer to issues, as written or as rendered', () => {
    expect(HOSTILE.map(inlineText)).toEqual([
      'x\\` @\u200bteam',
      '&amp;#\u200b64;team',
      '&amp;commat;team',
      '&amp;num;1',
    ]);
    expect(HOSTILE.map(harmlessMarkdown)).toEqual([
      'x`\n@\u200bteam',
      '&amp;#\u200b64;team',
      '&amp;commat;team',
      '&amp;num;1',
    ]);
  });

  it('keep an ampersand that begins no entity', () => {
    expect(inlineText('a && b & c')).toBe('a && b & c');
  });
});
