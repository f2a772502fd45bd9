// A real Chromium for measurements, and what is read out of its pages.
import { spawnSync } from 'node:child_process';
import { chromium } from 'playwright-core';

const SWITCHES = [
  '--no-sandbox',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-background-networking',
  '--disable-component-update',
];

const BUSY_MS = 500;

export function startChromium() {
  const executablePath = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim();
  if (executablePath === '') throw new Error('chromium is not on the PATH');
  return chromium.launch({ executablePath, args: SWITCHES });
}

/** Runs in every document before its scripts: largest paint, long tasks, and when an element was first shown. */
function watch() {
  const seen = { paint: 0, longest: 0, shown: {} };
  window.bench = seen;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.paint = Math.max(seen.paint, entry.startTime);
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.longest = Math.max(seen.longest, entry.duration);
  }).observe({ type: 'longtask', buffered: true });
  const wanted = new Set();
  const look = () => {
    for (const selector of wanted)
      if (document.querySelector(selector) !== null) {
        wanted.delete(selector);
        // The frame after the one in which it came into the document.
        requestAnimationFrame(() => setTimeout(() => (seen.shown[selector] = performance.now())));
      }
  };
  window.benchWatch = (selector) => {
    delete seen.shown[selector];
    wanted.add(selector);
    look();
  };
  new MutationObserver(look).observe(document, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['data-drawn'],
  });
}

/** A window of somebody who is signed in, unless `token` is left out. */
export async function openWindow(browser, base, token) {
  const context = await browser.newContext({ baseURL: base, viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(180_000);
  if (token !== undefined)
    await context.addCookies([{ name: 'session', value: token, url: base, httpOnly: true, sameSite: 'Lax' }]);
  const page = await context.newPage();
  await page.addInitScript(watch);
  const devtools = await context.newCDPSession(page);
  return { context, page, devtools };
}

/** Milliseconds of processor time that the main thread has spent so far. */
export async function mainThreadMs({ devtools }) {
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
}

/** Megabytes of the script heap after a collection. */
export async function heapMb({ devtools }) {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

/** Part of the time that the main thread has the processor while it wants it: 1 on a quiet machine. */
export async function processorShare(view) {
  const before = await mainThreadMs(view);
  await view.page.evaluate((busyMs) => {
    const end = performance.now() + busyMs;
    while (performance.now() < end);
  }, BUSY_MS);
  return Math.min(1, ((await mainThreadMs(view)) - before) / BUSY_MS);
}

/** Opens a page and tells how long after an answer of the API an element of it was shown. */
export async function shownAfter(view, path, { answer, selector }) {
  const { page } = view;
  await page.addInitScript((wanted) => window.benchWatch(wanted), selector);
  await page.goto(path);
  await page.waitForFunction((wanted) => window.bench.shown[wanted] !== undefined, selector);
  const elapsed = await page.evaluate(
    ({ part, wanted }) => {
      const entries = performance.getEntriesByType('resource');
      const ends = entries
        .filter(({ name }) => name.includes('/api/v1/') && name.includes(part))
        .map(({ responseEnd }) => responseEnd);
      return window.bench.shown[wanted] - Math.min(...ends);
    },
    { part: answer, wanted: selector },
  );
  return { elapsed, share: await processorShare(view) };
}
