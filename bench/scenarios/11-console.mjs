// The console in a real Chromium. Main-thread figures are processor time of that thread, which other load does not lengthen.
import { boundedGraph } from '../console/bounded-graph.mjs';
import { heapMb, mainThreadMs, openWindow, shownAfter, startChromium } from '../console/chromium.mjs';
import { firstPaints } from '../console/paints.mjs';
import { besideTheApi, documentSize } from '../console/serving.mjs';
import { statesForConsole } from '../console/states.mjs';
import { quantile } from '../service.mjs';

export const title = 'Console';

const FRAMES = 300;
const PIXELS = 400;

export async function run(service) {
  const states = await statesForConsole(service);
  const { session_token: session } = await service.call('POST', '/login/password', {
    email: 'bench@example.com',
    password: 'bench password',
  });
  const browser = await startChromium();
  try {
    const open = () => openWindow(browser, service.base, session);
    const rows = [await documentSize(service)];
    rows.push(...(await firstPaints(browser, service, session)));
    rows.push(await dashboardRequests(await open(), service));
    rows.push(await pageChanges(await open(), service, states));
    rows.push(...(await longList(await open(), states.list)));
    for (const count of [500, 2000]) rows.push(...(await graph(await open(), states.graph, count)));
    rows.push(await results(await open()));
    rows.push(await comparison(await open(), states.compared));
    await browser.close();
    rows.push(await boundedGraph(service, states.graph));
    rows.push(...(await besideTheApi(service)));
    return rows;
  } finally {
    await browser.close();
  }
}

/** Beside the goal stands which part of the processor the page had: other work lengthens the time by its inverse. */
function shownRow(work, { elapsed, share }, limit) {
  const peer = `${limit} ms; the page had ${Math.round(share * 100)} % of a processor`;
  return row(work, elapsed, limit, { peer });
}

function row(
  work,
  value,
  limit,
  { unit = 'ms', digits = 0, peer = `${limit} ${unit}`, goal = 'at most 1' } = {},
) {
  return {
    work,
    measured: `${value.toFixed(digits)} ${unit}`,
    peer,
    ratio: (value / limit).toFixed(2),
    goal,
    met: value <= limit,
  };
}

async function dashboardRequests({ page, context }, service) {
  const asked = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/')) asked.push(`${request.method()} ${pathname}${search}`);
  });
  await page.goto(`/tenants/${service.tenant}`);
  await page.getByRole('table', { name: 'Recent transactions' }).waitFor();
  await page.waitForLoadState('networkidle');
  const repeated = asked.length - new Set(asked).size;
  await context.close();
  return row(`requests of the dashboard (${repeated} of them twice)`, asked.length + repeated * 100, 8, {
    unit: 'requests',
  });
}

/** Between pages whose data is there: a link is clicked until the heading of the other page is shown. */
async function pageChanges(view, service, { list }) {
  const { page, context } = view;
  const main = page.getByRole('navigation', { name: 'Main' });
  const visit = async (name) => {
    await main.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('table', { name }).waitFor();
  };
  await page.goto(`/states/${list}`);
  for (const name of ['States', 'Transactions', 'States']) await visit(name);
  const times = [];
  for (let round = 0; round < 11; round++)
    for (const name of ['Transactions', 'States']) {
      const before = await mainThreadMs(view);
      await visit(name);
      times.push((await mainThreadMs(view)) - before);
    }
  await context.close();
  return row(
    'from one page to another with its data there, main thread, median of 22',
    quantile(times, 0.5),
    100,
  );
}

/** Scrolls by frames, and tells the processor time of a frame and the most rows in the document. */
function scrollFrames({ frames, pixels }) {
  const scroller = document.querySelector('[data-virtual]');
  return new Promise((done) => {
    let [frame, mostRows] = [0, 0];
    const step = () => {
      scroller.scrollTop += pixels;
      mostRows = Math.max(mostRows, document.querySelectorAll('main tr').length);
      if (++frame < frames) requestAnimationFrame(step);
      else done({ mostRows });
    };
    requestAnimationFrame(step);
  });
}

/** Jumps to the end again and again until every page was read. */
function scrollToTheEnd(total) {
  const scroller = document.querySelector('[data-virtual]');
  return new Promise((done) => {
    const step = () => {
      scroller.scrollTop = scroller.scrollHeight;
      const last = Math.max(
        ...[...document.querySelectorAll('tr[data-index]')].map((tr) => Number(tr.dataset.index)),
      );
      if (last >= total - 1) done(last);
      else setTimeout(step, 30);
    };
    step();
  });
}

async function longList(view, { id, total }) {
  const { page, context } = view;
  const first = await shownAfter(view, `/states/${id}/instances`, {
    answer: '/instances',
    selector: 'table[aria-label="Instances"] tbody tr[data-index]',
  });
  // Enough rows for every frame to have new ones.
  await page.evaluate(scrollToTheEnd, 8_000);
  await page.evaluate(() => (document.querySelector('[data-virtual]').scrollTop = 0));
  const before = await mainThreadMs(view);
  const { mostRows } = await page.evaluate(scrollFrames, { frames: FRAMES, pixels: PIXELS });
  const perFrame = ((await mainThreadMs(view)) - before) / FRAMES;
  await page.evaluate(scrollToTheEnd, total);
  const heap = await heapMb(view);
  await context.close();
  const of = `list of ${total} instances`;
  return [
    shownRow(`${of}: first rows after the answer`, first, 500),
    row(`${of}: rows in the document while scrolling`, mostRows, 300, { unit: 'rows' }),
    row(`${of}: main thread a frame, ${PIXELS} px a frame`, perFrame, 12, { digits: 1 }),
    row(`${of}: script heap after scrolling to the end`, heap, 150, { unit: 'MB' }),
  ];
}

async function graph(view, id, count) {
  const { page, context } = view;
  const drawn = await shownAfter(view, `/states/${id}/graph?limit=${count}`, {
    answer: '/graph?',
    selector: '[data-drawn]',
  });
  const longest = await page.evaluate(() => window.bench.longest);
  const box = await page.getByRole('img', { name: 'Dependency graph' }).boundingBox();
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  const [before, framesBefore] = [await mainThreadMs(view), await frames(page)];
  for (let step = 1; step <= 60; step++) await page.mouse.move(middle.x + step * 3, middle.y + step);
  const [spent, moved] = [(await mainThreadMs(view)) - before, (await frames(page)) - framesBefore];
  await page.mouse.up();
  await context.close();
  const of = `graph of ${count} nodes`;
  return [
    shownRow(
      `${of}: drawn after the answer (longest task ${longest.toFixed(0)} ms)`,
      drawn,
      count > 500 ? 1500 : 400,
    ),
    row(`${of}: main thread a frame while moving`, spent / Math.max(1, moved), 8, { digits: 1 }),
  ];
}

/** Frames that the page was asked to draw so far. */
function frames(page) {
  return page.evaluate(() => {
    if (window.benchFrames === undefined) {
      window.benchFrames = 0;
      const count = () => {
        window.benchFrames += 1;
        requestAnimationFrame(count);
      };
      requestAnimationFrame(count);
    }
    return window.benchFrames;
  });
}

async function results(view) {
  const columns = Array.from({ length: 20 }, (_, index) => `i.address AS c${index}`).join(', ');
  const q = `SELECT ${columns} FROM instances i ORDER BY i.address LIMIT 1000`;
  const shown = await shownAfter(view, `/sql?${new URLSearchParams({ q })}`, {
    answer: '/mql?',
    selector: 'table[aria-label="Results"] tbody tr',
  });
  await view.context.close();
  return shownRow('1,000 rows of SQL with 20 columns, shown after the answer', shown, 300);
}

async function comparison(view, { id, megabytes, changed }) {
  const shown = await shownAfter(view, `/states/${id}/versions/1/diff/2`, {
    answer: '/diff/2',
    selector: 'table[aria-label="Changed instances"] tbody tr',
  });
  await view.context.close();
  return shownRow(
    `documents of ${megabytes} MB compared, ${changed} changed instances, shown after the answer`,
    shown,
    500,
  );
}
