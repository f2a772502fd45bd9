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
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { PullRequestPage } from './pull-request-page';

const PLAN = {
  work_manifest_id: '11111111-0000-0000-0000-000000000000',
  state: 'success',
  has_changes: true,
  summary: { add: 1, change: 2, destroy: 0 },
  created_at: '2026-01-01T00:00:00Z',
};
const RUN = {
  id: PLAN.work_manifest_id,
  run_type: 'plan',
  state: 'completed',
  kind: { pull_number: 7 },
  dirspaces: [{ dir: 'network', workspace: 'default', success: true }],
  owner: 'octo',
  repo: 'infra',
  user: 'ada',
  created_at: '2026-01-01T00:00:00Z',
};
const FOUND = {
  repository: '5',
  owner: 'octo',
  name: 'infra',
  pull_number: 7,
  title: 'Seven',
  state: 'open',
  is_draft: false,
  is_fork: false,
  branch: 'topic',
  base_branch: 'main',
  sha: 'aaaa',
  url: 'https://github.example/octo/infra/pull/7',
  mistakes: [{ file: '.infrastate/config.yml', line: 3, key: 'dirz', message: 'unknown key' }],
  directories: [{ dir: 'network', workspace: 'default', is_overtaken: true, plan: PLAN }],
  holds: [
    {
      dir: 'network',
      workspace: 'default',
      pull_number: 7,
      user: 'ada',
      created_at: '2026-01-01T00:00:00Z',
      reason: 'failed',
      work_manifest_id: PLAN.work_manifest_id,
    },
  ],
  may_release: true,
  gates: [{ token: 't', all_of: [], any_of: ['team:ops'], any_of_count: 1, approvals: [] }],
  descriptions: [{ dir: 'network', workspace: 'default', title: 'Monthly cost', text: '+12.00 USD' }],
};

/** Shows the page; answers the requests that it sends, as method and path. */
async function shown(found: object): Promise<string[]> {
  const sent: string[] = [];
  const answers: Record<string, unknown> = {
    'pull-requests/7': found,
    'work-manifests': {
      work_manifests: [
        { ...RUN, repo_id: '5' },
        { ...RUN, id: 'of-another', repo_id: '6' },
      ],
    },
  };
  global.fetch = jest.fn(async (request: Request | string) => {
    const url = typeof request === 'string' ? request : request.url;
    sent.push(`${typeof request === 'string' ? 'GET' : request.method} ${new URL(url, 'http://x').pathname}`);
    const body = Object.entries(answers).find(([part]) => url.includes(part))?.[1];
    return new Response(JSON.stringify(body ?? {}), { headers: { 'content-type': 'application/json' } });
  }) as never;
  const rootRoute = createRootRoute();
  const page = createRoute({
    getParentRoute: () => rootRoute,
    path: '/installations/$vcs/$installationId/pull-requests/$repoId/$pullNumber',
    component: PullRequestPage,
  });
  const router = createRouter({
    routeTree: rootRoute.addChildren([page]),
    history: createMemoryHistory({ initialEntries: ['/installations/github/1/pull-requests/5/7'] }),
  });
  render(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient()}>
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  await screen.findByRole('heading', { level: 1, name: 'Pull request #7' });
  return sent;
}

it('shows the plan of each directory, what it costs, and that it counts no more', async () => {
  await shown(FOUND);
  const row = (await screen.findByText('+1 ~2 -0')).closest('tr');
  expect(row?.textContent).toContain('network');
  expect(row?.textContent).toContain('Another pull request has applied here since: plan again.');
  screen.getByText('+12.00 USD');
  const mistake = screen.getByRole('table', { name: 'Mistakes' }).querySelector('tbody tr');
  expect(mistake?.textContent).toBe('.infrastate/config.yml:3dirzunknown key');
  screen.getByRole('table', { name: 'Holds' });
  screen.getByRole('table', { name: 'Gates' });
  // A repository of the same name in another namespace has runs of its own.
  expect((await screen.findByRole('table', { name: 'Runs' })).querySelectorAll('tbody tr')).toHaveLength(1);
});

const LEFT = {
  dir: 'network',
  workspace: 'default',
  created_at: '2026-01-01T00:00:00Z',
  reason: 'failed',
  work_manifest_id: '22222222-0000-0000-0000-000000000000',
};

it('releases what an aborted drift run left, after a question', async () => {
  const sent = await shown({ ...FOUND, holds: [...FOUND.holds, { ...LEFT, dir: 'drifted' }] });
  const buttons = await screen.findAllByRole('button', { name: /^Release / });
  // What a pull request holds is released by a comment.
  expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual(['Release drifted']);
  fireEvent.click(screen.getByRole('button', { name: 'Release drifted' }));
  await screen.findByText(/its runner may still apply/);
  fireEvent.click(screen.getByRole('button', { name: 'Release directories' }));
  await waitFor(() => {
    expect(sent.filter((each) => each.startsWith('POST'))).toEqual([
      expect.stringMatching(/\/work-manifests\/22222222-0000-0000-0000-000000000000\/release$/),
    ]);
  });
});

it.each([
  ['for those who may not', { may_release: false, holds: [LEFT] }],
  ['while the run goes on', { holds: [{ ...LEFT, reason: 'applying' }] }],
])('releases nothing %s', async (_, fields) => {
  await shown({ ...FOUND, ...fields });
  await screen.findByRole('table', { name: 'Holds' });
  expect(screen.queryByRole('button', { name: /^Release / })).toBeNull();
});
