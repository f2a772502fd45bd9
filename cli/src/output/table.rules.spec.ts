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

  it('never cuts an id', () => {
    const id = '0a1b2c3d-0000-4000-8000-00000000000f';
    const shown = table(['NAME', 'ID'], [['a-long-name-that-gives-way-to-the-id', id]], 60);
    expect(shown).toContain(id);
    expect(shown.split('\n').every((line) => line.length <= 60)).toBe(true);
  });
});
