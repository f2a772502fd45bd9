import { CloudFailure, type ScanPosition } from './cloud-inventory.js';
import { type FollowedPage, listedPages, type ListedPage, listingsFrom } from './listed-pages.js';

const expired = new CloudFailure('CLOUD_ERROR', { action: 'list', cloudCode: 'ValidationException' });

/** Three pages; reading fails as often as `failures` says, at the second page. */
function aListing(failures: CloudFailure[]): (token: string | undefined) => Promise<ListedPage<string>> {
  return async (token = '0') => {
    const failure = token === '1' ? failures.shift() : undefined;
    if (failure) throw failure;
    const at = Number(token);
    return { items: `page ${at}`, next: at < 2 ? String(at + 1) : undefined };
  };
}

async function all(pages: AsyncIterable<FollowedPage<string>>): Promise<string[]> {
  const found: string[] = [];
  for await (const { items } of pages) found.push(items);
  return found;
}

describe('A listing', () => {
  it('is read to its end', async () => {
    expect(await all(listedPages('list', aListing([])))).toEqual(['page 0', 'page 1', 'page 2']);
  });

  it('starts again when its page token has expired', async () => {
    expect(await all(listedPages('list', aListing([expired])))).toEqual([
      'page 0',
      'page 0',
      'page 1',
      'page 2',
    ]);
  });

  it('goes on from a page, and starts again when that token has expired', async () => {
    expect(await all(listedPages('list', aListing([]), '1'))).toEqual(['page 1', 'page 2']);
    expect(await all(listedPages('list', aListing([expired]), '1'))).toEqual(['page 0', 'page 1', 'page 2']);
  });

  it('names with each page the one that follows', async () => {
    const following: (string | null)[] = [];
    for await (const { next } of listedPages('list', aListing([]))) following.push(next);
    expect(following).toEqual(['1', '2', null]);
  });

  it('fails when tokens expire again and again', async () => {
    await expect(all(listedPages('list', aListing([expired, expired, expired])))).rejects.toBe(expired);
  });

  it('fails at once for any other failure, and for a refused first page', async () => {
    const denied = new CloudFailure('ACCESS_DENIED', { action: 'list', cloudCode: 'AccessDeniedException' });
    await expect(all(listedPages('list', aListing([denied])))).rejects.toBe(denied);
    await expect(all(listedPages('list', () => Promise.reject(expired)))).rejects.toBe(expired);
  });

  it('fails when the cloud repeats a token or sends none that is text', async () => {
    for (const next of ['again', 7])
      await expect(all(listedPages('list', async () => ({ items: 'page', next })))).rejects.toMatchObject({
        view: { code: 'INVALID_RESPONSE' },
      });
  });

  it('fails when the cloud goes on without end', async () => {
    let token = 0;
    const endless = () => listedPages('list', async () => ({ items: 'page', next: String((token += 1)) }));
    await expect(all(endless())).rejects.toMatchObject({ view: { code: 'INVALID_RESPONSE' } });
  });
});

describe('The listings that are left of a scan', () => {
  const left = (from: ScanPosition | undefined): unknown[] =>
    listingsFrom(['a', 'b', 'c'], (name) => name, from).map(({ part, page }) => [part, page]);
  const whole = [
    ['a', undefined],
    ['b', undefined],
    ['c', undefined],
  ];

  it('are all of them at the beginning, and when the listing that was read is not there any more', () => {
    expect(left(undefined)).toEqual(whole);
    expect(left({ listing: 'gone', page: '7' })).toEqual(whole);
  });

  it('begin with the next page of the one that was read, or after it', () => {
    expect(left({ listing: 'b', page: '7' })).toEqual([
      ['b', '7'],
      ['c', undefined],
    ]);
    expect(left({ listing: 'b', page: null })).toEqual([['c', undefined]]);
    expect(left({ listing: 'c', page: null })).toEqual([]);
  });
});
