import { csv, rowsOfQuery } from './rows.rules.js';

const rows = [
  '{"name":"a,\\"b\\"","n":12345678901234567890,"tags":{"x": 1.0}}',
  '{"name":"","n":null,"tags":[]}',
];

describe('rows of a query', () => {
  it('keep their columns in order and every digit of a number', () => {
    expect(rowsOfQuery(rows)).toEqual({
      columns: ['name', 'n', 'tags'],
      cells: [
        ['a,"b"', '12345678901234567890', '{"x": 1.0}'],
        ['', null, '[]'],
      ],
    });
  });

  it('are quoted in CSV where they must be, and tell NULL from an empty string', () => {
    expect(csv(rowsOfQuery(rows))).toBe(
      'name,n,tags\n"a,""b""",12345678901234567890,"{""x"": 1.0}"\n"",,[]\n',
    );
    expect(csv(rowsOfQuery(['{"a":"1\\n2"}']))).toBe('a\n"1\n2"\n');
    expect(csv(rowsOfQuery([]))).toBe('');
  });
});
