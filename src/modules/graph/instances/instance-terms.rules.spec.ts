import { parseInstanceTerms } from './instance-terms.rules.js';

const parse = (q: string) => parseInstanceTerms(q).map(({ key, path, parts }) => [key, ...path, parts]);

describe('the q of an instance list', () => {
  it.each([
    ['', []],
    ['type:aws_vpc', [['type', ['aws_vpc']]]],
    [
      ' type:aws_vpc  module:root ',
      [
        ['type', ['aws_vpc']],
        ['module', ['root']],
      ],
    ],
    ['address:module.a.*', [['address', ['module.a.', '']]]],
    ['type:*', [['type', ['', '']]]],
    ['type:"a*b"', [['type', ['a*b']]]],
    ['type:"a b"', [['type', ['a b']]]],
    ['type:"a\\"b\\\\c"', [['type', ['a"b\\c']]]],
    ['attr:tags.Name:web', [['attr', 'tags', 'Name', ['web']]]],
    ['attr:arn:"arn:aws:s3:::x"', [['attr', 'arn', ['arn:aws:s3:::x']]]],
    ['attr:arn:arn:aws:s3:::x', [['attr', 'arn', ['arn:aws:s3:::x']]]],
    ['attr:name:', [['attr', 'name', ['']]]],
    ['address:aws_x.y["a b"]', [['address', ['aws_x.y["a b"]']]]],
    [
      'address:aws_x.y["a\\"]b"] type:t',
      [
        ['address', ['aws_x.y["a\\"]b"]']],
        ['type', ['t']],
      ],
    ],
    ['address:"aws_x.y[\\"k\\"]"', [['address', ['aws_x.y["k"]']]]],
  ])('reads %j', (q, expected) => {
    expect(parse(q)).toEqual(expected);
  });

  it.each(['type', 'color:red', ':x', 'attr:x', 'attr::x', 'type:"open', '"type:x"', 'type:a\0b'])(
    'refuses %j',
    (q) => {
      expect(() => parseInstanceTerms(q)).toThrow(
        expect.objectContaining({ id: 'INVALID_REQUEST', status: 400 }),
      );
    },
  );
});
