import {
  decodePosition,
  decodeText,
  decodeTimeAndId,
  encodePageToken,
  LARGEST_INTEGER,
} from './page-token.js';

const ID = '0b0e3c4e-9d7c-4c57-8a3c-5a1c9c0d2f11';

describe('A page token', () => {
  it.each(['2026-11-21 07:32:32.318234+00', '2024-02-29T07:32:32.318Z', '2026-11-21 07:32:32+05:30'])(
    'carries the time %s and an id',
    (time) => expect(decodeTimeAndId(encodePageToken([time, ID]))).toEqual({ time, id: ID }),
  );

  it.each([
    ['text', 'a'],
    ['a day alone', '2026-01-01'],
    ['what only JavaScript takes for a time', 'a 1'],
    ['a day that no month has', '2026-02-30 00:00:00+00'],
    ['a month that no year has', '2026-13-01 00:00:00+00'],
    ['an hour that no day has', '2026-01-01 25:00:00+00'],
    ['a zone that no place has', '2026-01-01 00:00:00+23'],
    ['a number', 5],
    ['nothing', null],
  ])('of another list is refused: %s for a time', (_what, time) =>
    expect(() => decodeTimeAndId(encodePageToken([time, ID]))).toThrow('not a page token of this list'),
  );

  it('a page token of another list is refused: text for an id', () =>
    expect(() => decodeTimeAndId(encodePageToken(['2026-11-21 07:32:32+00', 'x']), 'cursor')).toThrow(
      'cursor is not a page token of this list',
    ));

  it.each([LARGEST_INTEGER + 1, 1.5, 99999999999999999999, '1', null])(
    'of another list is refused: %s for a row number',
    (position) =>
      expect(() => decodePosition(encodePageToken([position]), LARGEST_INTEGER)).toThrow(
        'not a page token of this list',
      ),
  );

  it.each([1, null, 'a\0b', '\ud800'])('a page token of another list is refused: %j for a text', (text) =>
    expect(() => decodeText(encodePageToken([text]))).toThrow('not a page token of this list'),
  );

  it('a page token carries a text unchanged', () =>
    expect(decodeText(encodePageToken(['module.é["a"]']))).toBe('module.é["a"]'));

  it('carries a row number', () => expect(decodePosition(encodePageToken([7]), LARGEST_INTEGER)).toBe(7));
});
