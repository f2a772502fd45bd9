/** @jest-environment @happy-dom/jest-environment */
import { MantineProvider } from '@mantine/core';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { render, screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import { PullRequestGates, PullRequestHolds } from './pull-request-locks';

const shown = (page: ReactElement) => render(<MantineProvider>{page}</MantineProvider>);
const cellsOf = (table: string) =>
  [...screen.getByRole('table', { name: table }).querySelectorAll('td')].map((cell) => cell.textContent);

it('says whose approval a gate needs, who gave one, and what to comment', () => {
  const gate = { token: 'over-budget', all_of: [], any_of: ['team:ops'], any_of_count: 1 };
  shown(
    <PullRequestGates
      gates={[
        { ...gate, approvals: [] },
        { ...gate, token: 'b', name: 'B', approvals: ['eve'] },
      ]}
    />,
  );
  expect(cellsOf('Gates')).toEqual([
    'over-budget',
    '1 of team:ops',
    'nobody',
    'Copy',
    'B',
    '1 of team:ops',
    'eve',
    'Copy',
  ]);
});

it('says who holds a directory, why, and how it is released', async () => {
  const hold = { dir: 'a', workspace: 'prod', created_at: '2026-01-01T00:00:00Z' };
  const page = () => (
    <PullRequestHolds
      pullNumber={7}
      runs="/runs"
      pullRequests="/pull-requests/5"
      holds={[
        { ...hold, pull_number: 8, user: 'bob', reason: 'failed' },
        { ...hold, dir: 'b', pull_number: 7, reason: 'applied' },
      ]}
    />
  );
  const router = createRouter({
    routeTree: createRootRoute({ component: page }),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  });
  shown(<RouterProvider router={router as never} />);
  const links = await screen.findAllByRole('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['#8', '/pull-requests/5/8'],
  ]);
  const cells = cellsOf('Holds');
  expect(cells[0]).toBe('a (prod)');
  expect(cells[1]).toBe('#8 by bob');
  expect(cells[2]).toContain('somebody has to look');
  expect(cells[4]).toContain('“infrastate unlock 8”');
});

it('shows nothing where nothing is held and nothing is to be approved', () => {
  shown(<PullRequestGates gates={[]} />);
  shown(<PullRequestHolds holds={[]} pullNumber={7} runs="/runs" pullRequests="/pull-requests/5" />);
  expect(screen.queryByRole('table')).toBeNull();
});
