/** @jest-environment @happy-dom/jest-environment */
import { MantineProvider } from '@mantine/core';
import { render, screen, waitFor } from '@testing-library/react';
import { Suspense } from 'react';
import { ErrorBoundary } from '../errors';
import { useUnsaved } from '../unsaved';
import { lazyPart } from './lazy-part';

let reloads: jest.SpyInstance;
beforeEach(() => {
  sessionStorage.clear();
  reloads = jest.spyOn(location, 'reload').mockImplementation(() => undefined);
  // React reports what an error boundary catches.
  jest.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  jest.restoreAllMocks();
});

function Typed() {
  useUnsaved(true);
  return null;
}

/** A page that asks for a part which the service no longer has. */
function open({ isTyped = false } = {}) {
  const Part = lazyPart(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module')));
  return render(
    <MantineProvider>
      {isTyped && <Typed />}
      <ErrorBoundary>
        <Suspense fallback={<p>Loading</p>}>
          <Part />
        </Suspense>
      </ErrorBoundary>
    </MantineProvider>,
  );
}
const WAIT = { timeout: 30_000 };
const alertShown = () => screen.findByRole('alert', {}, WAIT);

it('loads the page anew once, and says so when that did not help', async () => {
  const { unmount } = open();
  await waitFor(() => expect(reloads).toHaveBeenCalledTimes(1), WAIT);
  expect(screen.queryByRole('alert')).toBeNull();
  unmount();
  open();
  expect((await alertShown()).textContent).toContain('loaded anew, which did not help');
  expect(reloads).toHaveBeenCalledTimes(1);
});

it('asks first while something typed would be lost', async () => {
  open({ isTyped: true });
  const alert = await alertShown();
  expect(alert.textContent).toContain('What you typed is still here');
  expect(reloads).not.toHaveBeenCalled();
  screen.getByRole('button', { name: 'Load the page anew' }).click();
  expect(reloads).toHaveBeenCalledTimes(1);
});

it('reloads nothing where it could not remember that it did', async () => {
  jest.spyOn(globalThis, 'sessionStorage', 'get').mockImplementation(() => {
    throw new Error('storage is blocked');
  });
  open();
  await alertShown();
  expect(reloads).not.toHaveBeenCalled();
});
