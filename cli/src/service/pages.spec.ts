import { collect, rowsOf } from './pages.js';

describe('rows of a list in pages', () => {
  const asked: (string | undefined)[] = [];
  const page = async (token: string | undefined): Promise<{ results: number[]; next_page?: string }> => {
    asked.push(token);
    const start = Number(token ?? 0);
    return { results: [start, start + 1], ...(start < 4 ? { next_page: String(start + 2) } : {}) };
  };
  beforeEach(() => asked.splice(0));

  it('are followed to the last page', async () => {
    expect(await collect(rowsOf(page))).toEqual([0, 1, 2, 3, 4, 5]);
    expect(asked).toEqual([undefined, '2', '4']);
  });

  it('ask for no page that is not needed', async () => {
    expect(await collect(rowsOf(page), 2)).toEqual([0, 1]);
    expect(asked).toEqual([undefined]);
  });
});
