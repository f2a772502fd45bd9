import { table } from './table.rules.js';

describe('table', () => {
  it('lines columns up and leaves no space at the end of a line', () => {
    expect(
      table(
        ['NAME', 'N'],
        [
          ['a', '1'],
          ['longer', '22'],
        ],
      ),
    ).toBe('NAME    N\na       1\nlonger  22');
  });

  it('takes room from the widest column until a row fits', () => {
    const text = table(['ID', 'TEXT'], [['x', 'a'.repeat(100)]], 30);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBe(30);
    expect(text).toContain('…');
  });

  it('keeps every column readable on a terminal that is too narrow', () => {
    expect(table(['A', 'B'], [['a'.repeat(20), 'b'.repeat(20)]], 4)).toBe(
      `A         B\n${'a'.repeat(7)}…  ${'b'.repeat(7)}…`,
    );
  });

  it('shows control characters of a value instead of obeying them', () => {
    expect(table(['N'], [['\u001b[2Jx\ny']])).toBe('N\n\\u001b[2Jx\\ny');
  });
});
