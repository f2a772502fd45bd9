// Largest paint of the first pages with a processor slowed four times, beside that of a page that is nothing but a heading.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { quantile } from '../service.mjs';
import { openWindow } from './chromium.mjs';

const ROUNDS = 5;
const SLOWER = 4;
const BARE =
  '<!doctype html><title>bare</title><h1>Sign in</h1><p>Nothing but text in the document of this page.</p>';

export async function firstPaints(browser, service, session) {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(BARE));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bare = `http://127.0.0.1:${server.address().port}/`;
  try {
    const page = (path, token) => ({ base: service.base, path, token });
    return [
      ...(await painted(browser, bare, 'sign-in page', page('/login', undefined))),
      ...(await painted(browser, bare, 'dashboard', page(`/tenants/${service.tenant}`, session))),
    ];
  } finally {
    server.close();
  }
}

async function painted(browser, bare, name, { base, path, token }) {
  const [cold, again, least] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const view = await openWindow(browser, base, token);
    await view.devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    cold.push(await largestPaint(view.page, path));
    again.push(await largestPaint(view.page, path));
    least.push(await largestPaint(view.page, bare));
    await view.context.close();
  }
  const peer = quantile(least, 0.5);
  return [
    row(
      `${name}, cold, processor slowed ${SLOWER} times, largest paint, median of ${ROUNDS}`,
      cold,
      peer,
      2500,
    ),
    row(`${name}, second visit, the same`, again, peer, 1200),
  ];
}

function row(work, times, peer, limit) {
  const value = quantile(times, 0.5);
  return {
    work,
    measured: `${value.toFixed(0)} ms`,
    peer: `${limit} ms; a bare heading ${peer.toFixed(0)} ms`,
    ratio: (value / limit).toFixed(2),
    goal: 'at most 1',
    met: value <= limit,
  };
}

/** The last one after the network and the main thread have become quiet. */
async function largestPaint(page, address) {
  await page.goto(address, { waitUntil: 'networkidle' });
  await page.locator('h1').waitFor();
  await page.waitForTimeout(500);
  return page.evaluate(() => window.bench.paint);
}
