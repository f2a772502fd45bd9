/** @jest-environment @happy-dom/jest-environment */
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { SessionProvider } from '../../platform/access';
import { parseSearch, stringifySearch } from '../../platform/address';
import { RunsPage } from './runs-page';

const USER = { tenants: [], capabilities: {} } as never;

afterEach(cleanup);

/** Shows the page of an address; answers the queries of the lists of runs that it asks for. */
async function asked(search: string): Promise<Record<string, string>[]> {
  const queries: Record<string, string>[] = [];
  global.fetch = jest.fn(async (request: Request | string) => {
    const url = new URL(typeof request === 'string' ? request : request.url, 'http://x');
    if (url.pathname.endsWith('/work-manifests')) queries.push(Object.fromEntries(url.searchParams));
    return new Response('{"work_manifests":[]}', { headers: { 'content-type': 'application/json' } });
  }) as never;
  const rootRoute = createRootRoute();
  const page = createRoute({
    getParentRoute: () => rootRoute,
    path: '/installations/$vcs/$installationId/runs',
    component: RunsPage,
  });
  const router = createRouter({
    routeTree: rootRoute.addChildren([page]),
    parseSearch,
    stringifySearch,
    history: createMemoryHistory({ initialEntries: [`/installations/github/1/runs${search}`] }),
  });
  render(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient()}>
        <SessionProvider user={USER}>
          <RouterProvider router={router as never} />
        </SessionProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );
  await screen.findByRole('heading', { level: 1, name: 'Runs' });
  await waitFor(() => expect(queries).not.toEqual([]));
  return queries;
}

it('asks in the order and the time zone of the address, also after a quick filter', async () => {
  const queries = await asked('?q=pr%3A7&d=asc&tz=Pacific%2FAuckland');
  expect(queries.at(-1)).toMatchObject({ q: 'pr:7', d: 'asc', tz: 'Pacific/Auckland' });
  fireEvent.click(screen.getByRole('link', { name: 'Applies' }));
  await waitFor(() =>
    expect(queries.at(-1)).toMatchObject({ q: 'type:apply', d: 'asc', tz: 'Pacific/Auckland' }),
  );
});

it('asks for the newest first, in the time zone of the browser, where the address says nothing', async () => {
  const [query] = await asked('?d=sideways');
  expect(query).toMatchObject({ tz: Intl.DateTimeFormat().resolvedOptions().timeZone });
  expect(query).not.toHaveProperty('d');
  expect(query).not.toHaveProperty('q');
});
