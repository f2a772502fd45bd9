/** @jest-environment @happy-dom/jest-environment */
import { MantineProvider } from '@mantine/core';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { PrintedOutput } from './printed-output';

const DRAWN = 3;

it('copies the whole output, though only its last lines are drawn', async () => {
  const lines = Array.from({ length: DRAWN + 2 }, (_, n) => `line ${n}`);
  const writeText = jest.fn(async (_text: string) => undefined);
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true });
  const router = createRouter({
    routeTree: createRootRoute({
      component: () => (
        <PrintedOutput text={`\u001b[32m${lines.join('\n')}`} label="Output" maxDrawnLines={DRAWN} />
      ),
    }),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  });
  render(
    <MantineProvider>
      <RouterProvider router={router as never} />
    </MantineProvider>,
  );
  const output = await screen.findByLabelText('Output');
  expect(output.children).toHaveLength(DRAWN);
  expect(output.firstElementChild?.textContent).toBe('line 2');
  screen.getByText(/^2 earlier lines not shown here/);
  screen.getByText('5 lines');
  fireEvent.click(screen.getByText('Copy all'));
  await waitFor(() => expect(writeText).toHaveBeenCalledTimes(1));
  expect(writeText.mock.calls[0]?.[0].split('\n')).toEqual(lines);
});
