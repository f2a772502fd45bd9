import { CloudFailure } from './cloud-inventory.js';
import { listedPages, type ListedPage } from './listed-pages.js';

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

async function all(pages: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const page of pages) found.push(page);
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
